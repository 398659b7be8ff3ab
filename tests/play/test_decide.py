"""Deciding: what is read, in which order it is judged, what is refused, and that a refusal changes nothing."""

from typing import Any

import msgspec
import pytest

from server.play.commands import Command, Selection, decide, expire, understand
from server.play.events import Event, Moved, Undone
from server.play.history import UNDO_DEPTH
from server.play.playthrough import evolve, replay
from server.play.refusals import GameOver, IllegalCommand, InvalidCommand, Stale
from server.solitaires import SOLITAIRES
from tests.play.helpers import START, Table

HM, SH = "HM1-N-AAAAAAB", "SH1-C4-AAAAAJ2"


def order(ruleset: str, **fields: Any) -> Any:
    return understand(SOLITAIRES[ruleset], msgspec.convert({"command_id": "c", **fields}, Command))


@pytest.mark.parametrize(
    ("ruleset", "fields", "reason"),
    [
        ("HM1-N", {"do": "move"}, "malformed"),
        ("HM1-N", {"do": "move", "remove": ["P1", "P8"], "count": 1}, "malformed"),
        ("HM1-N", {"do": "move", "from": "P1", "to": "P8"}, "malformed"),
        ("HM1-N", {"do": "double_tap", "place": "P1"}, "malformed"),
        ("HM1-N", {"do": "tap"}, "malformed"),
        ("HM1-N", {"do": "tap", "place": "P1", "remove": []}, "malformed"),
        ("HM1-N", {"do": "undo", "place": "P1"}, "malformed"),
        ("HM1-N", {"do": "resign", "count": 1}, "malformed"),
        ("HM1-N", {"do": "move", "remove": []}, "bad_count"),
        ("HM1-N", {"do": "move", "remove": ["X1"]}, "bad_count"),
        ("HM1-N", {"do": "move", "remove": ["P1", "P2", "P3", "P4"]}, "bad_count"),
        ("HM1-N", {"do": "move", "remove": ["X1", "X1"]}, "no_such_place"),
        ("HM1-N", {"do": "tap", "place": "T1"}, "no_such_place"),
        ("HM1-N", {"do": "tap", "place": "P1", "selection": ["C1"]}, "no_such_place"),
        ("HM1-N", {"do": "move", "remove": ["P1", "P1"]}, "place_twice"),
        ("SH1-C4", {"do": "tap", "place": "T1", "selection": []}, "malformed"),
        ("SH1-C4", {"do": "double_tap", "place": "T1", "selection": []}, "malformed"),
        ("SH1-C4", {"do": "move", "remove": ["T1", "T2"]}, "malformed"),
        ("SH1-C4", {"do": "move", "from": "T1"}, "malformed"),
        ("SH1-C4", {"do": "move", "from": "T1", "to": "T2", "count": 0}, "bad_count"),
        ("SH1-C4", {"do": "move", "from": "T1", "to": "T2", "count": 1.5}, "bad_count"),
        ("SH1-C4", {"do": "move", "from": "T1", "to": "T2", "count": "2"}, "bad_count"),
        ("SH1-C4", {"do": "move", "from": "T1", "to": "T2", "count": True}, "bad_count"),
        ("SH1-C4", {"do": "move", "from": "T1", "to": "T2", "count": None}, "bad_count"),
        ("SH1-C4", {"do": "move", "from": "X1", "to": "T2", "count": -1}, "bad_count"),
        ("SH1-C2", {"do": "move", "from": "T1", "to": "C3"}, "no_such_place"),
        ("SH1-C1", {"do": "double_tap", "place": "C2"}, "no_such_place"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_first_reason(
    ruleset: str, fields: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidCommand) as caught:
        order(ruleset, **fields)
    assert caught.value.params["reason"] == reason


@pytest.mark.parametrize("command_id", ["", "a b", "~expired", "x" * 65, "é", "a\n", 'a"', "a/b"])
def test_a_command_id_has_1_to_64_of_the_allowed_characters(command_id: str) -> None:
    with pytest.raises((msgspec.ValidationError, InvalidCommand)):
        order("HM1-N", command_id=command_id, do="undo")


def test_the_digest_takes_defaults_as_told_and_no_order_and_tells_a_tap_from_a_move() -> None:
    assert order("SH1-C4", do="move", **{"from": "T1", "to": "T2"}).digest == (
        order("SH1-C4", do="move", count=1, **{"from": "T1", "to": "T2"}).digest
    )
    one = order("HM1-N", do="move", remove=["P1", "P8"])
    assert one.digest == order("HM1-N", do="move", remove=["P8", "P1"], after=3).digest
    tap = order("HM1-N", do="tap", place="P8", selection=["P1"])
    assert tap.digest != one.digest
    assert order("HM1-N", do="tap", place="P8").digest == order("HM1-N", do="tap", place="P8", selection=[]).digest
    assert order("HM1-N", do="undo").digest != order("HM1-N", do="resign").digest
    # The form is fixed for ever: the SHA-256 of the canonical JSON.
    assert one.digest == "13c4c1f33f9d59df"


def test_a_tap_that_removes_becomes_the_move_of_its_places_in_the_order_of_the_touches() -> None:
    table = Table(HM)
    event = table.send(do="tap", selection=["P8"], place="P1")
    assert isinstance(event, Event) and isinstance(event.data, Moved)
    assert (event.data.remove, event.data.cards, event.data.points) == (("P8", "P1"), ("6D", "5S"), 10)


def test_a_tap_that_removes_nothing_is_no_event() -> None:
    table = Table(HM)
    assert table.send(do="tap", place="P1") == Selection(("P1",), ("P8", "R2"), None)
    assert table.send(do="tap", selection=["P1"], place="P2") == Selection((), (), "sum_must_be_11")
    assert table.playthrough.seq == 1


def test_the_checks_come_in_their_order_stale_then_over_then_legal() -> None:
    table = Table(HM)
    table.send(do="resign")
    with pytest.raises(InvalidCommand) as beyond:
        table.send(do="undo", after=3)
    assert beyond.value.params["reason"] == "malformed"
    with pytest.raises(Stale) as stale:
        table.send(do="undo", after=1)
    assert stale.value.params["seq"] == 2
    with pytest.raises(GameOver) as over:
        table.send(do="undo", after=2)
    assert over.value.params["status"] == "resigned"
    with pytest.raises(GameOver):
        table.send(do="move", remove=["P1", "P2"])


def test_an_illegal_move_names_its_reason_and_places_and_changes_nothing() -> None:
    table = Table(HM)
    before = table.playthrough
    with pytest.raises(IllegalCommand) as caught:
        table.send(do="move", remove=["P2", "P1"])
    assert caught.value.params == {"reason": "sum_must_be_11", "places": ["P2", "P1"]}
    with pytest.raises(IllegalCommand) as undo:
        table.send(do="undo")
    assert undo.value.params == {"reason": "nothing_to_undo", "places": []}
    assert table.playthrough is before


def test_time_never_runs_backwards_in_a_log() -> None:
    table = Table(HM)
    table.send(do="move", remove=["P1", "P8"])
    table.now = START - 1_000_000
    event = table.send(do="undo")
    assert isinstance(event, Event)
    assert event.at == table.events[1].at


@pytest.mark.parametrize(("offset", "taken"), [(-1, True), (0, False), (1, False)])
def test_a_command_counts_before_until_and_not_from_it_on(offset: int, taken: bool) -> None:
    until = START + 60_000
    table = Table(HM, until=until)
    resign = order("HM1-N", do="resign")
    assert table.playthrough.status_at(until + offset) == ("playing" if taken else "expired")
    if taken:
        assert isinstance(decide(table.playthrough, resign, until + offset), Event)
    else:
        with pytest.raises(GameOver) as caught:
            decide(table.playthrough, resign, until + offset)
        assert caught.value.params["status"] == "expired"


def test_the_sweep_ends_a_game_with_an_id_that_no_client_can_use() -> None:
    table = Table(HM, until=START + 1)
    event = expire(table.playthrough, START + 2)
    assert (event.type, event.record.command_id, event.record.data) == ("expired", "~expired", "{}")
    assert evolve(table.playthrough, event).status == "expired"
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"command_id": "~expired", "do": "undo"}, Command)


def test_undo_restores_exactly_goes_back_a_hundred_moves_and_no_further() -> None:
    table = Table(SH)
    states = [table.playthrough.state]
    spots = ["C3", "C4"]
    for number in range(150):
        source = "C1" if number == 0 else spots[(number + 1) % 2]
        table.send(do="move", **{"from": source, "to": spots[number % 2]})
        states.append(table.playthrough.state)
    assert table.playthrough.undo_left == UNDO_DEPTH
    for number in range(UNDO_DEPTH):
        event = table.send(do="undo")
        assert isinstance(event, Event) and isinstance(event.data, Undone)
        assert event.data.undoes == 151 - number
        assert table.playthrough.state == states[149 - number]
    with pytest.raises(IllegalCommand):
        table.send(do="undo")
    assert (table.playthrough.undos, table.playthrough.state.moves) == (100, 50)
    for number in range(10):
        table.send(do="move", **{"from": spots[(number + 1) % 2], "to": spots[number % 2]})
    assert table.playthrough.undo_left == 10
    assert replay([event.record for event in table.events]) == table.playthrough


def test_a_loss_that_the_floor_cut_short_is_given_back_as_it_was() -> None:
    """RULES, Seahaven "Score": undo gives back only what was really lost."""
    code = "SH1-C4-PZVT7B3"
    table = Table(code)
    from tests.golden import lines

    log = next(log for log in lines("cases/logs.jsonl") if log["code"] == code)
    for event in log["events"][1:]:
        data = event["data"]
        table.send(do="move", **{name: data[name] for name in ("from", "to", "count")})
        if data["to"].startswith("F"):
            break
    assert table.playthrough.state.score == 10
    home = data["to"]
    before = table.playthrough.state
    free = next(
        place.name
        for place, cards in zip(table.playthrough.solitaire.places, before.places, strict=True)
        if place.role == "cell" and not cards
    )
    taken_back = table.send(do="move", **{"from": home, "to": free})
    assert isinstance(taken_back, Event) and isinstance(taken_back.data, Moved)
    assert (taken_back.data.points, table.playthrough.state.score) == (-10, 0)
    table.send(do="undo")
    assert table.playthrough.state == before
