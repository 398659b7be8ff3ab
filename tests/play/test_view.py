"""What one may see: never a covered card, nothing of a sealed deal; and a frame folds to the same."""

from typing import Any

import msgspec
import pytest

from server.play.events import Event
from server.play.frames import encode_frame, event_frame
from server.play.outcome import outcome
from server.play.playthrough import evolve, fold
from server.play.records import Header
from server.play.secrecy import FOREVER, is_sealed, sealed_until
from server.play.view import event_view, view
from tests.golden import lines
from tests.play.helpers import GAME, OWNER, START, Table

SALT, PLAYER = "00" * 16, "6f1c1a52-3b86-4a56-9d5c-0c5b3b0c2f11"


def header(code: str, **changes: Any) -> Header:
    fields: dict[str, Any] = {
        "id": GAME,
        "code": code,
        "ruleset": code.rsplit("-", 1)[0],
        "owner": OWNER,
        "salt": SALT,
        "player": PLAYER,
        "command_id": "c0",
        "created_at": START,
    }
    return Header(**(fields | changes))


def shown(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def test_the_opening_view_of_the_published_deal() -> None:
    table = Table("HM1-N-AAAAAAB")
    seen = shown(view(header("HM1-N-AAAAAAB"), table.playthrough, now=START))
    assert seen["places"][0] == {"name": "P1", "role": "pile", "count": 8, "cards": ["5S"]}
    assert [place["cards"][0] for place in seen["places"]] == (
        "5S AH KH 4C QH 5H 7S 6D TD TC 2D KH TH 6S 3D 4S 7D 5S JH AC".split()
    )
    assert (seen["seq"], seen["status"], seen["score"], seen["undo_left"]) == (1, "playing", 0, 0)
    assert seen["started_at"] == "2026-11-30T00:53:20.000Z"
    assert "legal" not in seen


def test_a_foundation_shows_all_its_cards_and_legal_moves_come_where_asked_for() -> None:
    log = next(log for log in lines("cases/logs.jsonl") if log["code"] == "SH1-C4-PZVT7B3")
    table = Table(log["code"])
    for event in log["events"][1:]:
        table.send(do="move", **{name: event["data"][name] for name in ("from", "to", "count")})
    seen = shown(view(header(log["code"]), table.playthrough, now=START, legal=True))
    assert seen["status"] == "won"
    assert seen["places"][-1]["cards"] == [rank + "C" for rank in "A23456789TJQK"]
    assert seen["legal"] == []


def test_a_sealed_view_and_log_say_neither_code_nor_cards_nor_links() -> None:
    until = START + 1000
    table = Table("HM1-N-AAAAAAB", until=until)
    sealed = header("HM1-N-AAAAAAB", purpose="daily", date="2026-11-30", until=until)
    for now, secret in ((until - 1, True), (until, False)):
        seen = shown(view(sealed, table.playthrough, now=now))
        told = shown(event_view(sealed, table.events[0].record, now=now))
        assert (seen["code"] is None) == secret
        assert seen["daily"] == {"date": "2026-11-30", "ruleset": "HM1-N"}
        assert (told["link"] is None) == secret
        if secret:
            assert told["data"] == {"code": None, "purpose": "daily", "until": until}
        else:
            assert told["data"]["code"] == "HM1-N-AAAAAAB"
        frame = shown(event_frame(sealed, table.events[0], table.playthrough, now=now))
        assert ("AAAAAAB" in msgspec.json.encode(frame).decode()) == (not secret)


def test_a_race_is_sealed_while_it_runs_and_an_open_game_never() -> None:
    race = header("HM1-N-AAAAAAB", purpose="race", until=START + 1)
    assert sealed_until(race) == FOREVER
    assert is_sealed(race, START + 10**9) and not is_sealed(race, START, race_over=True)
    assert sealed_until(header("HM1-N-AAAAAAB")) is None


@pytest.mark.parametrize("log", lines("cases/logs.jsonl")[:4], ids=lambda log: log["code"])
def test_folding_frames_onto_the_first_view_gives_the_newest_view(log: dict[str, Any]) -> None:
    code = log["code"]
    table = Table(code)
    head = header(code)
    client = shown(view(head, table.playthrough, now=START))
    playthrough = table.playthrough
    for event in log["events"][1:]:
        kind = {"moved": "move", "undone": "undo", "resigned": "resign"}[event["type"]]
        fields = {name: event["data"][name] for name in ("remove", "from", "to", "count") if name in event["data"]}
        made = table.send(do=kind, **fields)
        assert isinstance(made, Event)
        playthrough = evolve(playthrough, made)
        frame = msgspec.json.decode(encode_frame(event_frame(head, made, playthrough, now=START)))
        assert frame["channel"] == "game:" + GAME
        assert frame["seq"] == client["seq"] + 1
        changed = {place["name"]: place for place in frame["places"]}
        client["places"] = [changed.get(place["name"], place) for place in client["places"]]
        for name in ("seq", "score", "moves", "undos", "undo_left", "status", "elapsed_ms"):
            client[name] = frame[name]
    assert client == shown(view(head, table.playthrough, now=START))
    assert playthrough == fold(table.events)


def test_only_a_change_of_status_has_an_outcome_and_only_an_end_with_moves_a_result() -> None:
    table = Table("HM1-N-AAAAAAB")
    head, dealt = header("HM1-N-AAAAAAB"), table.playthrough
    assert outcome(head, None, dealt) is None
    table.send(do="move", remove=["P1", "P8"])
    moved = table.playthrough
    assert outcome(head, dealt, moved) is None
    table.now += 700
    table.send(do="resign")
    made = outcome(head, moved, table.playthrough)
    assert made is not None and made.status == "resigned" and made.result is not None
    assert (made.result.score, made.result.moves, made.result.seconds, made.result.won) == (10, 1, 1, False)
    untouched = Table("HM1-N-AAAAAAB")
    untouched.send(do="resign")
    unmoved = outcome(head, dealt, untouched.playthrough)
    assert unmoved is not None and unmoved.result is None
