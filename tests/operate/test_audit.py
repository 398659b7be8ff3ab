"""The audit finds every kind of forgery, names the event, and says nothing about an honest game."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace

from server.play.audit import Auditor, Finding, audit
from server.play.commands import expire
from server.play.events import EXPIRED_BY
from server.play.playthrough import replay
from server.play.records import Header, Record
from tests.operate.forging import edited, half_moon, header_of, owned, records_of, relinked
from tests.play.helpers import GAME, START, Table
from tests.play.test_golden_logs import LOGS
from tests.play.test_golden_logs import records_of as golden_records

Forgery = Callable[[list[Record]], list[Record]]


def seahaven() -> list[Record]:
    """The log of a game of Seahaven: dealt, and three single cards moved."""
    table = Table("SH1-C4-AAAAAJ2")
    for _ in range(3):
        move = next(iter(table.playthrough.solitaire.legal_moves(table.playthrough.state)))
        table.send(do="move", **table.playthrough.solitaire.move_fields(move))
    return owned(records_of(table))


def findings(records: list[Record], header: Header | None = None) -> list[tuple[int, str]]:
    header = header or header_of(records, replay(records).status)
    return [(one.seq, one.check) for one in audit(records, header)]


# -- honest games -----------------------------------------------------------------------------------


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log['code']}-{len(log['events'])}")
def test_nothing_is_found_in_a_golden_log(log: dict[str, Any]) -> None:
    records = golden_records(log)
    row = replace(header_of(records, log["end"]["status"]), id=records[0].game, player=None, salt=None)
    assert audit(records, row) == []


@pytest.mark.parametrize("ending", [{}, {"do": "resign"}, {"do": "undo"}], ids=str)
def test_nothing_is_found_in_an_honest_game(ending: dict[str, Any]) -> None:
    records = half_moon(*([ending] if ending else []))
    assert findings(records) == []


def test_nothing_is_found_in_a_game_that_has_expired() -> None:
    table = Table("HM1-N-AAAAAAB", until=START + 60_000)
    table.send(do="move", remove=["P1", "P8"])
    table.events.append(expire(table.playthrough, START + 61_000))
    records = owned(records_of(table))
    assert audit(records, header_of(records, "expired")) == []


def test_an_erased_player_is_no_fault() -> None:
    records = half_moon()
    assert audit(records, replace(header_of(records), player=None, salt=None)) == []


# -- the chain --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seq", [1, 2, 5])
@pytest.mark.parametrize("field", ["at", "command_id", "data", "link"])
def test_a_change_that_is_not_relinked_is_found_at_its_event_and_at_no_other(field: str, seq: int) -> None:
    records = half_moon()
    row, one = header_of(records), records[seq - 1]
    data = one.data.replace("1", "2", 1)
    other: dict[str, Any] = {"at": one.at + 1, "command_id": "x", "data": data, "link": "0" * 64}
    records[seq - 1] = replace(one, **{field: other[field]})
    chain = [finding for finding in audit(records, row) if finding.check == "chain"]
    assert [finding.seq for finding in chain] == [seq]


def test_an_event_that_is_missing_is_found_at_the_next() -> None:
    records = half_moon()
    row = header_of(records)
    del records[2]
    assert audit(records, row) == [Finding(GAME, 4, "chain", "expected event 3, found 4")]


def test_events_in_another_order_are_found() -> None:
    records = half_moon()
    row = header_of(records)
    records[1], records[2] = replace(records[2], seq=2), replace(records[1], seq=3)
    assert (2, "chain") in [(one.seq, one.check) for one in audit(records, row)]


def test_an_empty_log_is_no_game() -> None:
    assert [(one.seq, one.check) for one in audit([], header_of(half_moon()))] == [(0, "chain")]


# -- what was forged, with every link made anew -----------------------------------------------------

DEALT: dict[str, tuple[Forgery, str]] = {
    "two cards swapped": (lambda log: _dealt(log, "P1", ["AC", "KD", "QS", "TD", "6H", "2D", "7H", "5S"]), "deal"),
    "a card too many": (lambda log: _dealt(log, "R1", ["TH", "TH"]), "deal"),
    "a place that is none": (lambda log: _dealt(log, "P13", []), "deal"),
    "a card that is none": (lambda log: _dealt(log, "R1", ["1H"]), "deal"),
    "another code": (lambda log: [edited(log[0], code="HM1-N-AAAAAAC"), *log[1:]], "deal"),
    "a code of no game": (lambda log: [edited(log[0], code="XX1-N-AAAAAAB"), *log[1:]], "deal"),
    "a code that is not canonical": (lambda log: [edited(log[0], code="hm1-n-aaaaaab"), *log[1:]], "deal"),
    "dealt after its own end": (lambda log: [edited(log[0], until=START), *log[1:]], "legality"),
    "not dealt at all": (lambda log: [replace(log[1], seq=1)], "legality"),
    "dealt by the sweep": (lambda log: [replace(log[0], command_id=EXPIRED_BY), *log[1:]], "legality"),
}


def _dealt(log: list[Record], place: str, cards: list[str]) -> list[Record]:
    places = json.decode(log[0].data)["places"]
    return [edited(log[0], places={**places, place: cards}), *log[1:]]


@pytest.mark.parametrize("name", DEALT)
def test_a_forged_deal_is_found(name: str) -> None:
    forge, check = DEALT[name]
    records = half_moon()
    row = header_of(records)
    assert (1, check) in [(one.seq, one.check) for one in audit(relinked(forge(records)), row)]


EVENTS: dict[str, tuple[int, str, Callable[[Record], Record]]] = {
    "cards that were not there": (2, "it says cards", lambda one: edited(one, cards=["5S", "6C"])),
    "points for nothing": (2, "it says 20 points", lambda one: edited(one, points=20)),
    "points withheld": (3, "it says 0 points", lambda one: edited(one, points=0)),
    "a pair that makes twelve": (2, "sum_must_be_11", lambda one: edited(one, remove=["P1", "P7"])),
    "a place twice": (2, "place_twice", lambda one: edited(one, remove=["P1", "P1"])),
    "a place that is none": (2, "no_such_place", lambda one: edited(one, remove=["P1", "P99"])),
    "the other game's move": (2, "no move of HM1-N", lambda one: edited(_transfer(one), drop="remove")),
    "a move told in both ways": (2, "no move of HM1-N", lambda one: _transfer(one)),
    "the wrong move undone": (4, "it undoes event 2", lambda one: edited(one, undoes=2)),
    "an undo that costs nothing": (4, "it says 0 points", lambda one: edited(one, points=0)),
    "a time before the one before": (3, "ms before", lambda one: replace(one, at=START)),
    "a command taken twice": (3, "taken already, as event 2", lambda one: replace(one, command_id="c1")),
    "the sweep's command id": (3, "command id", lambda one: replace(one, command_id=EXPIRED_BY)),
    "a command id of no client": (3, "no client", lambda one: replace(one, command_id="a b")),
    "expired without an end": (5, "before its time", lambda one: _ended(one, "expired", EXPIRED_BY)),
    "dealt twice": (5, "a second time", lambda one: replace(one, type="dealt", data=half_moon()[0].data)),
    "another version": (5, "unknown event", lambda one: replace(one, v=2)),
    "another type": (5, "unknown event", lambda one: replace(one, type="shuffled")),
    "data of another type": (5, "unreadable", lambda one: replace(one, type="undone")),
    "a field too many": (5, "unreadable", lambda one: edited(one, bonus=1)),
    "a number that is not whole": (5, "unreadable", lambda one: replace(one, data=one.data.replace("10", "10.0"))),
    "keys in another order": (5, "canonical", lambda one: replace(one, data=_backwards(one.data))),
    "spaces": (5, "canonical", lambda one: replace(one, data=one.data.replace(",", ", "))),
    "another seat": (5, "seat 2", lambda one: replace(one, seat=2)),
}


def _transfer(one: Record) -> Record:
    return edited(one, **{"from": "P1", "to": "P8", "count": 1})


def _ended(one: Record, kind: str, command_id: str) -> Record:
    return replace(one, type=kind, data="{}", command_id=command_id)


def _backwards(data: str) -> str:
    fields = json.decode(data)
    return json.encode({name: fields[name] for name in reversed(fields)}).decode()


@pytest.mark.parametrize("name", EVENTS)
def test_a_forged_event_is_found_once_and_by_its_seq(name: str) -> None:
    seq, words, forge = EVENTS[name]
    records = half_moon()
    row = header_of(records)
    records[seq - 1] = forge(records[seq - 1])
    (found,) = audit(relinked(records), row)
    assert found.game == GAME and found.seq == seq and words in found.detail


def test_an_undo_of_nothing_is_found() -> None:
    records = half_moon()
    row = header_of(records)
    forged = relinked([records[0], replace(records[3], seq=2)])
    assert [(one.seq, one.detail) for one in audit(forged, row)] == [(2, "an undo with nothing to undo")]


def test_an_undo_beyond_a_hundred_moves_is_found() -> None:
    """150 moves that can be made again and again; only the last 100 can be taken back."""
    table = Table("SH1-C4-AAAAAJ2")
    for number in range(150):
        source, target = ("C1", "C3") if number % 2 == 0 else ("C3", "C1")
        table.send(do="move", **{"from": source, "to": target})
    for _ in range(100):
        table.send(do="undo")
    records = owned(records_of(table))
    row = header_of(records)
    assert audit(records, row) == []
    last = records[-1]
    undo = edited(replace(last, seq=last.seq + 1, command_id="more"), undoes=51)
    assert [one.detail for one in audit(relinked([*records, undo]), row)] == ["an undo with nothing to undo"]


@pytest.mark.parametrize("after", [{"do": "undo"}, {"do": "resign"}, {"do": "move", "remove": ["P10", "P9"]}], ids=str)
def test_what_comes_after_the_end_is_found(after: dict[str, Any]) -> None:
    honest = half_moon(after)
    ended = half_moon({"do": "resign"})
    late = replace(honest[-1], seq=7, command_id="late", at=ended[-1].at)
    forged = relinked([*ended, late])
    (found,) = audit(forged, header_of(ended, "resigned"))
    assert found.seq == 7 and "after the end" in found.detail


def test_a_command_at_the_end_of_its_time_is_found_and_one_before_is_not() -> None:
    until = START + 1_000_000
    honest = half_moon(until=until)
    row = header_of(honest)
    assert audit(relinked([*honest[:4], replace(honest[4], at=until - 1)]), row) == []
    (found,) = audit(relinked([*honest[:4], replace(honest[4], at=until)]), row)
    assert found.seq == 5 and "time was over" in found.detail


def test_an_expiry_before_its_time_is_found() -> None:
    honest = half_moon(until=START + 1_000_000)
    early = replace(honest[4], seq=6, type="expired", data="{}", command_id=EXPIRED_BY)
    (found,) = audit(relinked([*honest, early]), header_of(honest, "expired"))
    assert found.seq == 6 and "before its time" in found.detail


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"count": 2}, "illegal move"),
        ({"count": 0}, "bad_count"),
        ({"from": "T99"}, "no_such_place"),
        ({"to": "FS", "cards": ["KS"]}, "illegal move"),
        ({"points": 10}, "it says 10 points"),
    ],
    ids=str,
)
def test_a_forged_transfer_is_found(changes: dict[str, Any], words: str) -> None:
    records = seahaven()
    row = header_of(records)
    assert audit(records, row) == []
    records[1] = edited(records[1], **changes)
    (found,) = audit(relinked(records), row)
    assert found.seq == 2 and words in found.detail


def test_a_transfer_without_its_count_is_found() -> None:
    records = seahaven()
    row = header_of(records)
    records[1] = edited(records[1], drop="count")
    assert [(one.seq, one.check) for one in audit(relinked(records), row)] == [(2, "event")]


# -- the row ----------------------------------------------------------------------------------------

ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "code": ({"code": "HM1-N-AAAAAAC"}, "row"),
    "ruleset": ({"ruleset": "SH1-C4"}, "row"),
    "owner": ({"owner": "0" * 64}, "row"),
    "purpose": ({"purpose": "daily"}, "row"),
    "until": ({"until": 1}, "row"),
    "created_at": ({"created_at": 1}, "row"),
    "command_id": ({"command_id": "other"}, "row"),
    "status": ({"status": "won"}, "row"),
    "another player": ({"player": "6f1c1a52-3b86-4a56-9d5c-0c5b3b0c2f12"}, "owner"),
    "another salt": ({"salt": "00" * 16}, "owner"),
    "no salt": ({"salt": None}, "owner"),
    "a salt that is none": ({"salt": "zz"}, "owner"),
    "a status of another type": ({"status": 7}, "row"),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_row_that_contradicts_its_log_is_found(name: str) -> None:
    changes, check = ROWS[name]
    records = half_moon()
    assert [(one.seq, one.check) for one in audit(records, replace(header_of(records), **changes))] == [(0, check)]


def test_a_log_without_a_row_is_found() -> None:
    auditor = Auditor(GAME)
    assert [finding for record in half_moon() for finding in auditor.take(record)] == []
    assert [(one.seq, one.check) for one in auditor.close(None)] == [(0, "row")]


# -- what a damaged database may give ---------------------------------------------------------------


@pytest.mark.parametrize("value", [None, b"x", 1.5, "\ufffd"], ids=repr)
@pytest.mark.parametrize("field", [name for name in Record.__struct_fields__ if name not in ("game", "digest")])
def test_no_value_of_any_type_makes_the_audit_fail(field: str, value: object) -> None:
    records = half_moon()
    row = header_of(records)
    records[2] = replace(records[2], **{field: value})
    assert audit(records, row) != []


def test_no_finding_tells_a_sealed_code_or_a_covered_card() -> None:
    records = half_moon()
    row = replace(header_of(records), code="HM1-N-AAAAAAC")
    for log in (records, relinked(_dealt(records, "P1", ["KD", "AC"])), relinked(DEALT["another code"][0](records))):
        told = " ".join(one.detail for one in audit(log, row))
        assert told and not any(secret in told for secret in ("AAAAAA", "AC", "KD", "QS"))
