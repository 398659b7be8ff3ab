"""Golden logs: the chain comes out exactly, and the fold gives what the files say."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from server.play import codec
from server.play.playthrough import Playthrough, replay
from server.play.records import Header, Record
from server.play.view import view
from server.solitaires.cards import cards_text
from tests.golden import lines

LOGS = lines("cases/logs.jsonl") + lines("logs.jsonl")


def records_of(log: dict[str, Any]) -> list[Record]:
    return [
        Record(
            game=event["game"],
            seq=event["seq"],
            type=event["type"],
            v=event["v"],
            seat=event["seat"],
            at=event["at"],
            command_id=event["command_id"],
            data=codec.canonical(event["data"]),
            link=event["link"],
        )
        for event in log["events"]
    ]


def end_of(playthrough: Playthrough, like: dict[str, Any]) -> dict[str, Any]:
    """What a playthrough comes to, in the shape of the golden files."""
    state = playthrough.state
    end: dict[str, Any] = {
        "status": playthrough.status,
        "score": state.score,
        "moves": state.moves,
        "undos": playthrough.undos,
        "elapsed_ms": playthrough.elapsed_ms,
    }
    cards = {
        place.name: cards_text(held) for place, held in zip(playthrough.solitaire.places, state.places, strict=True)
    }
    if "places" in like:
        end["places"] = {name: len(held) if name.startswith("F") else list(held) for name, held in cards.items()}
    else:
        end["tops"] = {name: held[-1] if held else None for name, held in cards.items()}
        end["counts"] = {name: len(held) for name, held in cards.items() if name.startswith("P")}
    return end


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log['code']}-{len(log['events'])}")
def test_a_golden_log_verifies_and_folds_to_its_end(log: dict[str, Any]) -> None:
    playthrough = replay(records_of(log))
    assert end_of(playthrough, log["end"]) == log["end"]
    assert playthrough.link == log["events"][-1]["link"]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log['code']}-{len(log['events'])}")
def test_sealing_the_same_events_again_gives_the_same_text_and_links(log: dict[str, Any]) -> None:
    link = codec.FIRST_LINK
    for record in records_of(log):
        event = codec.read(record)
        sealed = codec.seal(
            link,
            game=record.game,
            seq=record.seq,
            at=record.at,
            command_id=record.command_id,
            data=event.data,
        )
        assert sealed.record == record
        link = record.link


@pytest.mark.parametrize("field", ["at", "command_id", "data", "game", "seq", "type", "v", "seat", "link"])
def test_a_change_of_any_field_breaks_the_chain(field: str) -> None:
    records = records_of(LOGS[0])
    other = {"at": 1, "command_id": "x", "data": "{}", "game": "g", "seq": 99, "type": "x", "v": 2, "seat": 2}
    value = "0" * 64 if field == "link" else other[field]
    records[3] = replace(records[3], **{field: value})
    with pytest.raises(codec.CorruptLog) as caught:
        replay(records)
    assert caught.value.seq == 4


def test_an_unknown_type_or_version_is_refused_not_guessed() -> None:
    event = codec.read(records_of(LOGS[0])[1])
    for kind, version in (("shuffled", 1), ("moved", 2)):
        record = event.record
        bad = Record(record.game, 2, kind, version, 1, record.at, "c", record.data, record.link)
        with pytest.raises(codec.CorruptLog, match="unknown event"):
            codec.read(bad)


@pytest.mark.parametrize("log", lines("logs.jsonl"), ids=lambda log: f"{log['code']}-{len(log['events'])}")
def test_a_golden_log_is_still_shown_as_it_was_then(log: dict[str, Any]) -> None:
    """What an old log says to a client stays what it was: fields may be added to a view, none may change."""
    records = records_of(log)
    header = Header(
        id=records[0].game,
        code=log["code"],
        ruleset=log["code"].rsplit("-", 1)[0],
        owner="",
        salt=None,
        player=None,
        command_id="c0",
        created_at=records[0].at,
        **log["header"],
    )
    until = header.until
    now = records[-1].at if until is None else until - 1
    shown = msgspec.json.decode(msgspec.json.encode(view(header, replay(records), now=now, legal=True)))
    assert {name: shown[name] for name in log["view"]} == log["view"]
