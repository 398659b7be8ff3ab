"""Moves as wire fields: what can be read, and the first reason why something cannot."""

from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.solitaires import SOLITAIRES
from server.solitaires.protocol import InvalidMove, Removal, Transfer
from tests.solitaires.tables import EASY, HALF_MOON, HARD, MEDIUM, every_move

REASONS = ("malformed", "bad_count", "no_such_place", "place_twice")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from(["P1", "T1", "FS"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.dictionaries(st.sampled_from(["remove", "from", "to", "count", "place"]), JSON, max_size=4)


def test_every_removal_of_two_or_three_and_every_transfer_reads_back_from_its_fields() -> None:
    assert len(every_move(HALF_MOON)) == comb(20, 2) + comb(20, 3)
    for solitaire, places in ((EASY, 18), (MEDIUM, 16), (HARD, 15)):
        assert len(every_move(solitaire)) == places**2 * 14


def test_the_fields_are_those_of_the_wire() -> None:
    assert HALF_MOON.move_fields(Removal(("P1", "P8"))) == {"remove": ["P1", "P8"]}
    assert EASY.move_fields(Transfer("T3", "T7")) == {"from": "T3", "to": "T7", "count": 1}


def test_the_order_of_a_removal_is_kept_and_a_count_left_out_is_1() -> None:
    assert HALF_MOON.parse_move({"remove": ["R8", "P10", "P2"]}) == Removal(("R8", "P10", "P2"))
    assert EASY.parse_move({"from": "C4", "to": "FS"}) == Transfer("C4", "FS", 1)
    assert EASY.parse_move({"from": "T1", "to": "T1", "count": 10**30}) == Transfer("T1", "T1", 10**30)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "malformed"),
        ({"remove": None}, "malformed"),
        ({"remove": "P1P8"}, "malformed"),
        ({"remove": {"P1": "P8"}}, "malformed"),
        ({"remove": ["P1", 8]}, "malformed"),
        ({"remove": ["P1", None, "P1", "P1"]}, "malformed"),
        ({"remove": ["P1", ["P8"]]}, "malformed"),
        ({"remove": ["P1", "P8"], "count": 2}, "malformed"),
        ({"remove": ["P1", "P8"], "from": "P1"}, "malformed"),
        ({"from": "P1", "to": "P8"}, "malformed"),
        ({"remove": []}, "bad_count"),
        ({"remove": ["P1"]}, "bad_count"),
        ({"remove": ["P1", "P2", "P3", "P4"]}, "bad_count"),
        ({"remove": ["X"]}, "bad_count"),
        ({"remove": ["P1", "P1", "P1", "P1"]}, "bad_count"),
        ({"remove": ["P1", "P13"]}, "no_such_place"),
        ({"remove": ["P1", "p8"]}, "no_such_place"),
        ({"remove": ["P1", "T1"]}, "no_such_place"),
        ({"remove": ["P1", ""]}, "no_such_place"),
        ({"remove": ["X", "X"]}, "no_such_place"),
        ({"remove": ["P1", "P1"]}, "place_twice"),
        ({"remove": ["R1", "P1", "R1"]}, "place_twice"),
    ],
)
def test_half_moon_says_why_it_cannot_read(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidMove) as refused:
        HALF_MOON.parse_move(fields)
    assert refused.value.reason == reason
    assert refused.value.detail


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "malformed"),
        ({"from": "T1"}, "malformed"),
        ({"to": "T1", "count": 1}, "malformed"),
        ({"from": None, "to": "T1"}, "malformed"),
        ({"from": "T1", "to": ["T2"]}, "malformed"),
        ({"from": 1, "to": 2, "count": 0}, "malformed"),
        ({"from": "T1", "to": "T2", "place": "T1"}, "malformed"),
        ({"from": "T1", "to": "T2", "remove": ["T1"]}, "malformed"),
        ({"remove": ["T1", "T2"]}, "malformed"),
        *(
            ({"from": "T1", "to": "T2", "count": count}, "bad_count")
            for count in (0, -1, 2.0, 1.5, True, "2", None, [2])
        ),
        ({"from": "X", "to": "X", "count": 0}, "bad_count"),
        ({"from": "X", "to": "T1"}, "no_such_place"),
        ({"from": "T1", "to": "T11"}, "no_such_place"),
        ({"from": "t1", "to": "T2"}, "no_such_place"),
        ({"from": "T1", "to": "C3"}, "no_such_place"),
        ({"from": "P1", "to": "P1"}, "no_such_place"),
    ],
)
def test_seahaven_says_why_it_cannot_read(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidMove) as refused:
        MEDIUM.parse_move(fields)
    assert refused.value.reason == reason
    assert refused.value.detail


def test_cells_that_a_variant_does_not_have_are_no_places_of_it() -> None:
    assert EASY.parse_move({"from": "C3", "to": "C4"}) == Transfer("C3", "C4")
    for solitaire, name in ((MEDIUM, "C3"), (HARD, "C2"), (EASY, "C5")):
        with pytest.raises(InvalidMove, match="no place"):
            solitaire.parse_move({"from": name, "to": "T1"})


@pytest.mark.parametrize("ruleset", SOLITAIRES)
@given(fields=FIELDS)
def test_any_json_is_a_move_or_one_of_the_four_reasons(ruleset: str, fields: dict[str, Any]) -> None:
    solitaire = SOLITAIRES[ruleset]
    try:
        move = solitaire.parse_move(fields)
    except InvalidMove as error:
        assert error.reason in REASONS
    else:
        assert solitaire.move_fields(move) == {"count": 1} | fields if "from" in fields else fields
