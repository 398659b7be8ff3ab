"""Who may ask what: every route with every kind of caller. A route without a row here fails."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx2
import pytest

from server.api.routes import ENDPOINTS
from server.clock import SystemClock
from server.contest.calendar import day_of
from tests.api.client import Player, Table, join

CALLERS = ("nobody", "malformed", "another", "owner", "revoked")
NOWHERE = "0193796a-5c00-7000-8000-00000000dead"


class Row(NamedTuple):
    """What each caller gets, in the order of `CALLERS`, and what is sent."""

    nobody: int
    malformed: int
    another: int
    owner: int
    revoked: int
    body: Any = None
    query: str = ""


def open_to_all(status: int = 200, body: Any = None) -> Row:
    return Row(status, status, status, status, status, body)


MOVE = {"command_id": "first", "do": "move", "remove": ["P1", "P8"]}

# A private game of the owner stands behind {id}; `LINKED` says what changes once it is open to whoever has the id.
ROWS: Mapping[tuple[str, str], Row] = {
    ("POST", "/v1/games/{id}/commands"): Row(401, 401, 404, 200, 401, MOVE),
    ("GET", "/v1/games/{id}"): Row(401, 401, 404, 200, 401),
    ("POST", "/v1/games"): Row(401, 401, 201, 201, 401, {"code": "HM1-N-AAAAAAB"}),
    ("GET", "/v1/games"): Row(401, 401, 200, 200, 401),
    ("PUT", "/v1/games/{id}/watching"): Row(401, 401, 404, 200, 401, {"watching": "private"}),
    ("GET", "/v1/games/{id}/events"): Row(401, 401, 404, 200, 401),
    ("GET", "/v1/games/{id}/board.svg"): Row(401, 401, 404, 200, 401),
    ("POST", "/v1/players"): open_to_all(201, {}),
    ("GET", "/v1/players/me"): Row(401, 401, 200, 200, 401),
    ("PATCH", "/v1/players/me"): Row(401, 401, 200, 200, 401, {"name": "Ada"}),
    ("DELETE", "/v1/players/me"): Row(401, 401, 204, 204, 401),
    ("GET", "/v1/players/{id}"): open_to_all(),
    ("GET", "/v1/players/me/export"): Row(401, 401, 200, 200, 401),
    ("POST", "/v1/players/me/pairings"): Row(401, 401, 201, 201, 401),
    ("POST", "/v1/pairings"): open_to_all(404, {"code": "AAAAAAAA"}),
    ("POST", "/v1/recoveries"): open_to_all(404, {"recovery": "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA-AAAA"}),
    ("GET", "/v1/players/me/tokens"): Row(401, 401, 200, 200, 401),
    ("DELETE", "/v1/players/me/tokens/{id}"): Row(401, 401, 404, 204, 401),
    ("GET", "/v1/rulesets"): open_to_all(),
    ("GET", "/v1/deals/{code}"): open_to_all(),
    ("GET", "/v1/boards/{code}"): Row(200, 401, 200, 200, 401),
    ("GET", "/v1/dailies"): Row(200, 401, 200, 200, 401),
    ("GET", "/v1/dailies/{date}"): Row(200, 401, 200, 200, 401),
    ("POST", "/v1/dailies/{date}/{ruleset}/attempt"): Row(401, 401, 409, 409, 401, {}),  # no deal has been found yet
    ("GET", "/v1/dailies/{date}/{ruleset}/board"): Row(404, 401, 404, 404, 401),
    ("GET", "/v1/dailies/{date}/{ruleset}/manifest"): open_to_all(404),
    ("GET", "/v1/games/{id}/receipt"): Row(401, 401, 404, 409, 401),
    ("POST", "/v1/verify"): open_to_all(400, {}),
    ("GET", "/openapi.json"): open_to_all(),
    ("GET", "/asyncapi.json"): open_to_all(),
    ("GET", "/docs"): open_to_all(),
    ("GET", "/docs/style.css"): open_to_all(),
    ("GET", "/problems/{code}"): open_to_all(),
    ("GET", "/healthz"): open_to_all(),
    ("GET", "/readyz"): open_to_all(),
    ("GET", "/metrics"): open_to_all(),
}

LINKED: Mapping[tuple[str, str], Row] = {
    ("POST", "/v1/games/{id}/commands"): Row(401, 401, 403, 200, 401, MOVE),
    ("GET", "/v1/games/{id}"): Row(200, 401, 200, 200, 401),
    ("PUT", "/v1/games/{id}/watching"): Row(401, 401, 403, 200, 401, {"watching": "link"}),
    ("GET", "/v1/games/{id}/events"): Row(200, 401, 200, 200, 401),
    ("GET", "/v1/games/{id}/board.svg"): Row(200, 401, 200, 200, 401),
    ("GET", "/v1/games/{id}/receipt"): Row(409, 401, 409, 409, 401),
}


class Cast(NamedTuple):
    """The owner of a game of each watching policy, somebody else, and the owner's two devices."""

    owner: Player
    another: Player
    tables: Mapping[str, Table]
    revoked: str
    device: str


async def gather_cast(http: httpx2.AsyncClient) -> Cast:
    owner, another = await join(http, name="Owner"), await join(http, name="Another")
    code = (await owner.ask("POST", "/v1/players/me/pairings")).json()["code"]
    lost = (await http.post("/v1/pairings", json={"code": code, "label": "lost"})).json()["token"]
    devices = (await owner.get("/v1/players/me/tokens")).json()["items"]
    (lost_id,) = [one["id"] for one in devices if one["label"] == "lost"]
    (own_id,) = [one["id"] for one in devices if one["current"]]
    assert (await owner.ask("DELETE", f"/v1/players/me/tokens/{lost_id}")).status_code == 204
    tables = {}
    for watching in ("private", "link", "public"):
        tables[watching] = await owner.deal()
        put = await owner.ask("PUT", tables[watching].path + "/watching", {"watching": watching})
        assert put.json()["watching"] == watching
    return Cast(owner, another, tables, lost, own_id)


@pytest.fixture(scope="module")
async def cast(http: httpx2.AsyncClient) -> Cast:
    return await gather_cast(http)


async def ask(
    cast: Cast, http: httpx2.AsyncClient, caller: str, key: tuple[str, str], row: Row, watching: str = "private"
) -> httpx2.Response:
    method, path = key
    named = {
        "/v1/games/{id}": cast.tables[watching].path,
        "/v1/players/{id}": f"/v1/players/{cast.owner.id}",
        "/v1/players/me/tokens/{id}": f"/v1/players/me/tokens/{cast.device}",
        "/v1/deals/{code}": "/v1/deals/HM1-N-AAAAAAB",
        "/v1/boards/{code}": "/v1/boards/HM1-N-AAAAAAB",
        "{date}": day_of(SystemClock().now()).date,
        "{ruleset}": "HM1-N",
        "/problems/{code}": "/problems/stale",
    }
    for template, real in named.items():
        path = path.replace(template, real)
    headers = {
        "nobody": {},
        "malformed": {"authorization": "Bearer mt_short"},
        "another": cast.another.headers,
        "owner": cast.owner.headers,
        "revoked": {"authorization": f"Bearer {cast.revoked}"},
    }[caller]
    body = {**row.body, "watching": watching} if "watching" in (row.body or ()) else row.body
    given = {} if body is None else {"json": body}
    return await http.request(method, path, headers=headers, **given)


def test_every_route_has_a_row() -> None:
    assert {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS} == set(ROWS)


@pytest.mark.parametrize("key", ROWS, ids=" ".join)
async def test_a_private_game_and_everything_else(key: tuple[str, str], cast: Cast, http: httpx2.AsyncClient) -> None:
    for caller in CALLERS:
        # What locks somebody out gets people of its own.
        here = await gather_cast(http) if key[0] == "DELETE" else cast
        response = await ask(here, http, caller, key, ROWS[key])
        assert response.status_code == getattr(ROWS[key], caller), (caller, response.text)


@pytest.mark.parametrize("watching", ["link", "public"])
@pytest.mark.parametrize("key", LINKED, ids=" ".join)
async def test_a_game_that_may_be_watched(
    key: tuple[str, str], watching: str, cast: Cast, http: httpx2.AsyncClient
) -> None:
    for caller in CALLERS:
        response = await ask(cast, http, caller, key, LINKED[key], watching)
        assert response.status_code == getattr(LINKED[key], caller), (caller, response.text)


@pytest.mark.parametrize("token", [False, True], ids=["no token", "another's token"])
@pytest.mark.parametrize("key", [key for key in ROWS if "/games/{id}" in key[1]], ids=" ".join)
async def test_not_yours_and_not_there_are_equal_byte_for_byte(
    key: tuple[str, str], token: bool, cast: Cast, http: httpx2.AsyncClient
) -> None:
    headers = cast.another.headers if token else {}
    answers = []
    for game in (cast.tables["private"].id, NOWHERE, "no-id-at-all"):
        path = key[1].replace("{id}", game)
        given = {} if ROWS[key].body is None else {"json": ROWS[key].body}
        answer = await http.request(key[0], path, headers=headers, **given)
        named = answer.headers.pop("x-request-id")
        answers.append(
            (answer.status_code, answer.content.replace(named.encode(), b""), sorted(answer.headers.items()))
        )
        assert game.encode() not in answer.content
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize(
    "value",
    ["", "Bearer", "Bearer ", "Basic YWRhOmFkYQ==", "Bearer mt_" + "A" * 43, "bearer\tmt_x", "Bearer " + "é" * 46],
)
async def test_what_is_no_token_is_unauthenticated(value: str, http: httpx2.AsyncClient) -> None:
    response = await http.get("/v1/players/me", headers={"authorization": value.encode("latin-1")})
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")
    assert response.headers["www-authenticate"].startswith("Bearer")


async def test_the_scheme_of_a_token_is_read_in_any_case(ada: Player, http: httpx2.AsyncClient) -> None:
    response = await http.get("/v1/players/me", headers={"authorization": f"bEARER {ada.token}"})
    assert response.status_code == 200
