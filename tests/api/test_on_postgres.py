"""The same API on PostgreSQL, whose types are stricter: every route that asks the database, once."""

import pytest

from tests.api.client import client_of, join
from tests.api.conftest import MakeApp

NOWHERE = "0193796a-5c00-7000-8000-00000000dead"


async def test_every_question_to_the_database_is_answered(make_app: MakeApp, new_postgres_url: str) -> None:
    app = await make_app(database=new_postgres_url, limits=True)
    async with client_of(app) as http:
        ada, bob = await join(http, name="Ada"), await join(http)
        tables = [await ada.deal(command_id=f"deal-{number}") for number in range(3)]
        again = await ada.ask("POST", "/v1/games", {"code": "HM1-N-AAAAAAB", "command_id": "deal-0"})
        assert again.json()["id"] == tables[0].id
        table = tables[0]
        view = await table.move("P1", "P8")
        assert (await ada.get(table.path)).json() == view
        assert len((await ada.get(table.path + "/events")).json()["items"]) == 2
        assert (await ada.get(f"/v1/games/{NOWHERE}")).status_code == 404
        assert (await bob.get(table.path)).status_code == 404

        page = (await ada.get("/v1/games?limit=2&ruleset=HM1-N&status=playing&code=HM1-N-AAAAAAB")).json()
        rest = (await ada.get(f"/v1/games?limit=2&cursor={page['next']}")).json()
        assert [item["id"] for item in page["items"] + rest["items"]] == [one.id for one in reversed(tables)]
        await ada.ask("PUT", table.path + "/watching", {"watching": "public"})
        assert [item["id"] for item in (await http.get("/v1/games?watching=public")).json()["items"]] == [table.id]
        assert (await bob.get(table.path)).status_code == 200

        code = (await ada.ask("POST", "/v1/players/me/pairings")).json()["code"]
        assert (await http.post("/v1/pairings", json={"code": code, "label": "phone"})).status_code == 201
        assert (await http.post("/v1/recoveries", json={"recovery": ada.recovery})).status_code == 201
        assert (await http.post("/v1/recoveries", json={"recovery": "wrong"})).status_code == 404
        devices = (await ada.get("/v1/players/me/tokens")).json()["items"]
        assert {one["label"] for one in devices} == {None, "phone", "recovered"}
        for one in devices:
            if not one["current"]:
                assert (await ada.ask("DELETE", f"/v1/players/me/tokens/{one['id']}")).status_code == 204
        assert (await ada.ask("DELETE", f"/v1/players/me/tokens/{NOWHERE}")).status_code == 404
        assert len((await ada.get("/v1/players/me/export")).json()["games"]) == 3
        assert (await ada.ask("PATCH", "/v1/players/me", {"name": "李白"})).json()["name"] == "李白"
        assert (await http.get(f"/v1/players/{NOWHERE}")).status_code == 404
        assert (await ada.ask("DELETE", "/v1/players/me")).status_code == 204
        assert (await http.get("/readyz")).status_code == 200


@pytest.mark.parametrize("body", [b'{"name":"A\\u0000da"}', b'{"name":"Ada","label":"\\u0000"}'])
async def test_no_text_that_postgresql_cannot_hold_gets_there(
    body: bytes, make_app: MakeApp, postgres_url: str
) -> None:
    app = await make_app(database=postgres_url)
    async with client_of(app) as http:
        response = await http.post("/v1/players", content=body, headers={"content-type": "application/json"})
        assert (response.status_code, response.json()["code"]) == (400, "invalid_body")
