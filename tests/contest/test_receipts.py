"""Receipts prove themselves, online and offline; each forgery fails at its own link of the proof."""

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import pytest

from clients import verify as offline
from server.play.codec import FIRST_LINK, canonical, next_link
from server.solitaires import SOLITAIRES, read_code
from tests.api.client import Player
from tests.contest.conftest import HM_CODE, SH_CODE, World
from tests.golden import lines

DATE = "2026-11-30"
Receipt = dict[str, Any]


async def finished(here: World, player: Player, *, moves: int = 6) -> str:
    """A daily attempt with some moves and an undo in it, given up; the clock goes on as it is played."""
    answer = await player.ask("POST", f"/v1/dailies/{DATE}/HM1-N/attempt", {})
    game: str = answer.json()["id"]
    for number in range(moves):
        here.clock.tick(1700)
        view = (await player.get(f"/v1/games/{game}?legal=1")).json()
        body = {"command_id": f"m{number}", "do": "move", **view["legal"][0]}
        assert (await player.ask("POST", f"/v1/games/{game}/commands", body)).status_code == 200
    for do in ("undo", "resign"):
        here.clock.tick(900)
        body = {"command_id": do, "do": do}
        assert (await player.ask("POST", f"/v1/games/{game}/commands", body)).status_code == 200
    return game


class Evidence:
    """A revealed daily of three players: their receipts, and what was published."""

    def __init__(self, receipts: list[Receipt], manifest: bytes, commitment: str, http: httpx2.AsyncClient) -> None:
        self.receipts = receipts
        self.manifest = manifest
        self.commitment = commitment
        self.http = http

    @property
    def receipt(self) -> Receipt:
        return copy.deepcopy(self.receipts[0])

    async def online(self, receipt: Receipt) -> dict[str, Any]:
        answer = await self.http.post("/v1/verify", json=receipt)
        assert answer.status_code == 200, answer.text
        verdict: dict[str, Any] = answer.json()
        return verdict

    def offline(self, receipt: Receipt, manifest: bytes | None = None) -> tuple[str | None, int | None]:
        """The link that fails and the event, or nothing."""
        try:
            offline.check(receipt, manifest=manifest or self.manifest, commitment=self.commitment)
        except offline.Broken as broken:
            return broken.failed, broken.seq
        return None, None


@pytest.fixture
async def evidence(here: World) -> Evidence:
    named = await here.commit(DATE)
    commitment = (await here.http.get(f"/v1/dailies/{DATE}")).json()["items"][0]["commitment"]
    players = [await here.player() for _ in range(3)]
    games = [await finished(here, player, moves=4 + number) for number, player in enumerate(players)]
    sealed = await players[0].get(f"/v1/games/{games[0]}/receipt")
    assert (sealed.status_code, sealed.json()["code"]) == (409, "sealed")
    assert sealed.json()["params"] == {"until": "2026-12-01T01:00:00.000Z"}
    here.clock.at = named.closes_at
    await here.services.dailies.sweep()
    receipts = [
        (await player.get(f"/v1/games/{game}/receipt")).json() for player, game in zip(players, games, strict=True)
    ]
    manifest = (await here.http.get(f"/v1/dailies/{DATE}/HM1-N/manifest")).content
    return Evidence(receipts, manifest, commitment, here.http)


def rechain(receipt: Receipt) -> Receipt:
    """Make the links follow again, as a forger would."""
    link = FIRST_LINK
    for event in receipt["events"]:
        link = next_link(link, canonical({name: value for name, value in event.items() if name != "link"}))
        event["link"] = link
    receipt["link"] = link
    return receipt


async def test_every_receipt_of_a_revealed_daily_holds_online_and_offline(evidence: Evidence) -> None:
    for receipt in evidence.receipts:
        assert await evidence.online(receipt) == {"valid": True, "failed": None, "seq": None}
        assert evidence.offline(receipt) == (None, None)
    assert evidence.receipts[0]["code"] == HM_CODE
    assert evidence.receipts[0]["result"]["undos"] == 1


def a_move_changed(receipt: Receipt) -> Receipt:
    receipt["events"][2]["data"]["points"] = 15
    return receipt


def a_time_changed(receipt: Receipt) -> Receipt:
    receipt["events"][3]["at"] -= 1000
    return receipt


def an_event_dropped(receipt: Receipt) -> Receipt:
    del receipt["events"][2]
    return receipt


def anothers_player(receipt: Receipt) -> Receipt:
    receipt["player"] = "6f1c1a52-3b86-4a56-9d5c-0c5b3b0c2f11"
    return receipt


def anothers_salt(receipt: Receipt) -> Receipt:
    receipt["salt"] = "00" * 16
    return receipt


def anothers_deal(receipt: Receipt) -> Receipt:
    state = SOLITAIRES["HM1-N"].deal("AAAAAAB")
    receipt["events"][0]["data"]["places"]["P1"] = [
        f"{card}" for card in ("KD", "AC", "QS", "TD", "6H", "2D", "7H", "5S")
    ]
    assert len(state.places[0]) == 8
    return rechain(receipt)


def anothers_code(receipt: Receipt) -> Receipt:
    receipt["code"] = "HM1-N-AAAAAAB"
    return receipt


def an_illegal_move_in_a_new_chain(receipt: Receipt) -> Receipt:
    receipt["events"][2]["data"]["remove"].reverse()
    receipt["events"][2]["data"]["points"] += 5
    return rechain(receipt)


def a_better_time_in_a_new_chain(receipt: Receipt) -> Receipt:
    for event in receipt["events"][1:]:
        event["at"] = receipt["events"][0]["at"]
    receipt["result"]["seconds"] = 0
    return rechain(receipt)


def a_better_result(receipt: Receipt) -> Receipt:
    receipt["result"]["score"] = 520
    return receipt


def another_last_link(receipt: Receipt) -> Receipt:
    receipt["link"] = "0" * 64
    return receipt


FORGERIES: list[tuple[Callable[[Receipt], Receipt], str, int | None]] = [
    (a_move_changed, "chain", 3),
    (a_time_changed, "chain", 4),
    (an_event_dropped, "chain", 3),
    (another_last_link, "chain", 7),
    (anothers_player, "owner", 1),
    (anothers_salt, "owner", 1),
    (anothers_deal, "deal", 1),
    (anothers_code, "deal", 1),
    (an_illegal_move_in_a_new_chain, "legality", 3),
    (a_better_result, "result", 7),
    (a_better_time_in_a_new_chain, "manifest", None),
]


@pytest.mark.parametrize(("forge", "failed", "seq"), FORGERIES, ids=lambda one: getattr(one, "__name__", None))
async def test_a_forged_receipt_fails_at_its_link_online_and_offline(
    evidence: Evidence, forge: Callable[[Receipt], Receipt], failed: str, seq: int | None
) -> None:
    forged = forge(evidence.receipt)
    verdict = await evidence.online(forged)
    assert (verdict["valid"], verdict["failed"]) == (False, failed)
    assert evidence.offline(forged) == (failed, seq)
    if verdict["failed"] != "chain":
        assert verdict["seq"] == seq


async def test_a_row_dropped_from_the_manifest_or_changed_in_it_is_found(evidence: Evidence) -> None:
    manifest = json.loads(evidence.manifest)
    mine = next(row for row in manifest["rows"] if row["game"] == evidence.receipt["game"])
    dropped = {**manifest, "rows": [row for row in manifest["rows"] if row is not mine]}
    changed = {**manifest, "rows": [{**row, "link": "1" * 64} for row in manifest["rows"]]}
    for forged in (dropped, changed):
        assert evidence.offline(evidence.receipt, canonical(forged).encode()) == ("manifest", None)
    assert evidence.offline(evidence.receipt, json.dumps(manifest, indent=1).encode())[0] == "manifest"


async def test_a_code_that_was_not_committed_to_is_found(evidence: Evidence) -> None:
    evidence.commitment = sha256(SH_CODE.encode()).hexdigest()
    assert evidence.offline(evidence.receipt) == ("commitment", None)


async def test_a_manifest_that_does_not_follow_on_the_one_before_is_found(evidence: Evidence) -> None:
    manifest = json.loads(evidence.manifest)
    before = b'{"rows":[]}'
    follows = canonical({**manifest, "previous": sha256(before).hexdigest()}).encode()
    offline.check(evidence.receipt, manifest=follows, previous=before)
    with pytest.raises(offline.Broken) as broken:
        offline.check(evidence.receipt, manifest=evidence.manifest, previous=before)
    assert broken.value.failed == "manifest"


async def test_the_program_says_what_holds_and_what_fails_by_its_exit_code(evidence: Evidence, tmp_path: Path) -> None:
    files = {"good": evidence.receipt, "bad": a_time_changed(evidence.receipt)}
    for name, receipt in files.items():
        (tmp_path / name).write_text(json.dumps(receipt))
    (tmp_path / "manifest").write_bytes(evidence.manifest)

    def run(*words: str) -> tuple[int, str]:
        program = [sys.executable, "-I", "clients/verify.py", *words]
        done = subprocess.run(program, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    words = ("--manifest", str(tmp_path / "manifest"), "--commitment", evidence.commitment)
    code, said = run(str(tmp_path / "good"), *words)
    assert code == 0 and said.startswith("valid: HM1-N-") and "manifest, commitment" in said
    code, said = run(str(tmp_path / "bad"), *words)
    assert code == 1 and "chain at event 4" in said
    assert run(str(tmp_path / "nothing"))[0] == 2


async def test_an_open_game_has_a_receipt_once_it_has_ended(here: World) -> None:
    ada, bob = await here.player(), await here.player()
    table = await ada.deal("SH1-C4-PZVT7B3")
    early = await ada.get(f"{table.path}/receipt")
    assert (early.status_code, early.json()["code"]) == (409, "not_finished")
    log = next(log for log in lines("cases/logs.jsonl") if log["code"] == "SH1-C4-PZVT7B3")
    for event in log["events"][1:]:
        fields = {name: event["data"][name] for name in ("from", "to", "count")}
        assert (await table.send("move", **fields)).status_code == 200
    receipt = (await ada.get(f"{table.path}/receipt")).json()
    assert receipt["result"] == {"status": "won", "won": True, "score": 520, "undos": 0, "moves": 88, "seconds": 0}
    assert (await here.http.post("/v1/verify", json=receipt)).json()["valid"] is True
    offline.check(receipt)
    elsewhere = rechain(
        {**receipt, "events": [{**event, "command_id": f"x{event['seq']}"} for event in receipt["events"]]}
    )
    offline.check(elsewhere)
    assert (await here.http.post("/v1/verify", json=elsewhere)).json() == {
        "valid": False,
        "failed": "manifest",
        "seq": None,
    }
    assert (await bob.get(f"{table.path}/receipt")).status_code in (200, 404)


@pytest.mark.parametrize("body", [{}, [], {"code": "x"}, "text"])
async def test_what_is_no_receipt_is_a_bad_body(here: World, body: Any) -> None:
    answer = await here.http.post("/v1/verify", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")


def test_the_offline_program_deals_as_the_engine_does_and_plays_the_golden_games() -> None:
    for case in lines("cases/deals.jsonl"):
        assert offline.deal(case["code"]) == case["places"]
        assert str(read_code(case["code"])) == case["code"]
