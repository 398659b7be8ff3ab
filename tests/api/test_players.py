"""Players and their devices: guests, names, pairing, recovery, revocation, everything back or gone."""

import hashlib
from typing import Any

import httpx2
import pytest
from sqlalchemy import text

from server.api.names import read_name
from server.play.codec import owner_of
from tests.api.client import Player, client_of, join
from tests.api.conftest import MakeApp
from tests.parts.clock import ManualClock


async def test_a_guest_has_a_tag_and_no_name(http: httpx2.AsyncClient) -> None:
    made = (await http.post("/v1/players", json={})).json()
    assert made["player"]["name"] is None
    assert len(made["player"]["tag"]) == 4
    assert (made["token"][:3], len(made["token"])) == ("mt_", 46)
    assert (await http.get(f"/v1/players/{made['player']['id']}")).json() == made["player"]


async def test_secrets_are_stored_as_hashes_alone(http: httpx2.AsyncClient, app: Any) -> None:
    player = await join(http)
    code = (await player.ask("POST", "/v1/players/me/pairings")).json()["code"]
    secrets = (player.token, player.recovery, code)

    def everything(connection: Any) -> str:
        tables = ("players", "tokens", "pairings")
        return str([connection.execute(text(f"SELECT * FROM {table}")).all() for table in tables])

    stored = await app.state.services.database.read(everything)
    for secret in secrets:
        assert secret not in stored
        assert hashlib.sha256(secret.encode()).hexdigest() in stored


async def test_a_name_is_changed_and_taken_back(ada: Player) -> None:
    assert (await ada.ask("PATCH", "/v1/players/me", {"name": " Lady\u00a0Ada "})).json()["name"] == "Lady Ada"
    assert (await ada.get(f"/v1/players/{ada.id}")).json()["name"] == "Lady Ada"
    assert (await ada.ask("PATCH", "/v1/players/me", {"name": None})).json()["name"] is None
    assert (await ada.ask("PATCH", "/v1/players/me", {})).status_code == 400


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Ada", "Ada"),
        ("\uff21da", "Ada"),
        ("Zoé", "Zoé"),
        ("Zoe\u0301", "Zoé"),
        ("  Ada   Lovelace ", "Ada Lovelace"),
        ("O'Neil-Smith_7", "O'Neil-Smith_7"),
        ("李白", "李白"),
        ("हिन्दी", "हिन्दी"),
        ("ที่รัก", "ที่รัก"),
        ("Łódź", "Łódź"),
        ("x" * 20, "x" * 20),
        ("42", "42"),
        ("\u00b2\u00b3", "23"),
    ],
)
def test_a_name_has_one_form(written: str, name: str) -> None:
    assert read_name(written) == name
    assert read_name(name) == name


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", "A", " A ", "x" * 21, "--", "' '", "_-_"),
        *("A\nda", "A\tda", "A\x00da", "A\u202eda", "A\u2066da", "A\u200bda", "A\u200dda", "A\ufeffda", "A\x7fda"),
        *("Ada!", "Ada.", "<b>", "Ada\u2019s", "a/b", "Ada☺", "½½", "Ⅻ·"),
        *("A" + "\u0335" * 3, "\u0301Ada", "1\u0301Ada", "Ada \u0301"),
    ],
    ids=ascii,
)
async def test_what_is_no_name_is_refused_and_named(written: str, http: httpx2.AsyncClient) -> None:
    response = await http.post("/v1/players", json={"name": written})
    problem = response.json()
    assert (response.status_code, problem["code"]) == (400, "invalid_body")
    assert problem["errors"][0]["pointer"] == "/name"


# -- devices ----------------------------------------------------------------------------------------


async def test_a_pairing_code_adds_a_device_once(ada: Player, http: httpx2.AsyncClient) -> None:
    made = await ada.ask("POST", "/v1/players/me/pairings")
    code = made.json()["code"]
    assert (made.status_code, len(code)) == (201, 8)
    typed = f" {code[:4].lower()}-{code[4:]} "
    device = await http.post("/v1/pairings", json={"code": typed, "label": "phone"})
    assert (device.status_code, device.json()["player"]["id"]) == (201, ada.id)
    phone = {"authorization": f"Bearer {device.json()['token']}"}
    assert (await http.get("/v1/players/me", headers=phone)).json()["id"] == ada.id
    assert (await http.post("/v1/pairings", json={"code": code})).status_code == 404
    listed = (await ada.get("/v1/players/me/tokens")).json()["items"]
    assert [(one["label"], one["current"]) for one in sorted(listed, key=lambda one: one["current"])] == [
        ("phone", False),
        (None, True),
    ]


async def test_a_pairing_code_holds_for_ten_minutes(make_app: MakeApp, clock: ManualClock) -> None:
    app = await make_app(clock=clock)
    async with client_of(app) as http:
        ada = await join(http)
        made = (await ada.ask("POST", "/v1/players/me/pairings", {})).json()
        assert made["expires_at"] == "2026-11-30T10:10:00.000Z"
        clock.tick(600_000)
        assert (await http.post("/v1/pairings", json={"code": made["code"]})).status_code == 404
        made = (await ada.ask("POST", "/v1/players/me/pairings")).json()
        clock.tick(599_999)
        assert (await http.post("/v1/pairings", json={"code": made["code"]})).status_code == 201


async def test_the_recovery_code_brings_one_back_and_the_others_are_told(ada: Player, http: httpx2.AsyncClient) -> None:
    for written in (ada.recovery, ada.recovery.lower().replace("-", " ")):
        back = await http.post("/v1/recoveries", json={"recovery": written})
        assert (back.status_code, back.json()["player"]["id"]) == (201, ada.id)
        headers = {"authorization": f"Bearer {back.json()['token']}"}
        assert (await http.get("/v1/players/me", headers=headers)).status_code == 200
    listed = (await ada.get("/v1/players/me/tokens")).json()["items"]
    assert [one["label"] for one in listed].count("recovered") == 2


@pytest.mark.parametrize("recovery", ["", "x", "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA-AAAA", "é" * 28, "A" * 200])
async def test_a_wrong_recovery_code_is_not_found(recovery: str, http: httpx2.AsyncClient) -> None:
    assert (await http.post("/v1/recoveries", json={"recovery": recovery})).status_code == 404


async def test_a_revoked_device_is_out_at_once(ada: Player, http: httpx2.AsyncClient) -> None:
    back = (await http.post("/v1/recoveries", json={"recovery": ada.recovery})).json()["token"]
    headers = {"authorization": f"Bearer {back}"}
    assert (await http.get("/v1/players/me", headers=headers)).status_code == 200
    listed = (await ada.get("/v1/players/me/tokens")).json()["items"]
    (lost,) = [one["id"] for one in listed if not one["current"]]
    assert (await ada.ask("DELETE", f"/v1/players/me/tokens/{lost}")).status_code == 204
    assert (await http.get("/v1/players/me", headers=headers)).status_code == 401
    assert (await ada.ask("DELETE", f"/v1/players/me/tokens/{lost}")).status_code == 404
    assert (await ada.get("/v1/players/me")).status_code == 200


async def test_one_cannot_revoke_the_device_of_another(ada: Player, bob: Player) -> None:
    (own,) = (await ada.get("/v1/players/me/tokens")).json()["items"]
    assert (await bob.ask("DELETE", f"/v1/players/me/tokens/{own['id']}")).status_code == 404
    assert (await ada.get("/v1/players/me")).status_code == 200


# -- everything back, everything gone ---------------------------------------------------------------


async def test_an_export_has_everything_that_is_kept(ada: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.api.export._GAMES_AT_ONCE", 2)
    tables = [await ada.deal() for _ in range(5)]
    await tables[0].move("P1", "P8")
    export = (await ada.get("/v1/players/me/export")).json()
    assert export["player"] == (await ada.get("/v1/players/me")).json()
    assert len(export["devices"]) == 1
    assert [one["game"]["id"] for one in export["games"]] == [table.id for table in reversed(tables)]
    first = export["games"][-1]
    assert first["events"] == (await ada.get(tables[0].path + "/events")).json()["items"]
    assert first["events"][0]["data"]["owner"] == owner_of(ada.id, bytes.fromhex(first["salt"]))


async def test_an_export_without_games_is_one_too(ada: Player) -> None:
    assert (await ada.get("/v1/players/me/export")).json()["games"] == []


async def test_who_is_erased_is_gone_and_the_games_stay(ada: Player, bob: Player, http: httpx2.AsyncClient) -> None:
    table, shown = await ada.deal(), await ada.deal()
    await ada.ask("PUT", shown.path + "/watching", {"watching": "link"})
    erased = await ada.ask("DELETE", "/v1/players/me")
    assert (erased.status_code, erased.content) == (204, b"")
    assert (await ada.get("/v1/players/me")).status_code == 401
    assert (await http.get(f"/v1/players/{ada.id}")).status_code == 404
    assert (await http.post("/v1/recoveries", json={"recovery": ada.recovery})).status_code == 404
    assert (await bob.get(table.path)).status_code == 404
    assert (await bob.get(shown.path)).status_code == 200
    assert ada.id not in (await bob.get(shown.path + "/events")).text
