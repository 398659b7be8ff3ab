"""Hostile bodies and queries get an answer of the 4xx kind, a problem, and harm nobody."""

import json
from typing import Any

import httpx2
import pytest

from server.api.bodies import MOST, BodyReader, FieldError, _field_error
from server.api.errors import ProblemError
from server.play.commands import Command
from tests.api.client import Table, join

JSON = {"content-type": "application/json"}
DEEP = 50_000
COMMAND = '{"command_id":"a","do":"move","remove":["P1","P8"]%s}'

BODIES = {
    "empty": b"",
    "space": b"  \n ",
    "cut": b'{"name":"Ad',
    "not json": b"name=Ada",
    "two values": b"{}{}",
    "trailing comma": b'{"name":"Ada",}',
    "comment": b'{/**/"name":"Ada"}',
    "bom": b"\xef\xbb\xbf{}",
    "utf-16": "{}".encode("utf-16"),
    "latin-1": '{"name":"Zoé"}'.encode("latin-1"),
    "overlong": b'{"name":"\xc0\xafAda"}',
    "NaN": b'{"name":NaN}',
    "Infinity": b'{"name":-Infinity}',
    "null": b"null",
    "true": b"true",
    "number": b"7",
    "text": b'"Ada"',
    "list": b"[]",
    "5,000 digits": b'{"name":' + b"9" * 5000 + b"}",
    "bare 5,000 digits": b"9" * 5000,
    "huge exponent": b'{"name":1e999999999}',
    "deep list": b"[" * DEEP,
    "deep closed list": b"[" * 30_000 + b"]" * 30_000,
    "deep object": b'{"name":' * 7000,
    "deep in a field": b'{"name":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    "lone high surrogate": b'{"name":"Ad\\ud800"}',
    "lone low surrogate": b'{"name":"\\udc00Ada"}',
    "raw surrogate": b'{"name":"\xed\xa0\x80Ada"}',
    "NUL": b'{"name":"A\\u0000da"}',
    "raw NUL": b'{"name":"A\x00da"}',
    "line feed": b'{"name":"Ada\\n"}',
    "bidirectional": '{"name":"Ada\u202e"}'.encode(),
    "zero width": '{"name":"A\u200bda"}'.encode(),
    "duplicate": b'{"name":"Ada","name":"Bob"}',
    "duplicate, written differently": b'{"name":"Ada","n\\u0061me":"Bob"}',
    "unknown field": b'{"name":"Ada","admin":true}',
    "wrong type": b'{"name":["Ada"]}',
    "3 MB": b'{"name":"' + b"A" * 3_000_000 + b'"}',
}


def assert_problem(response: httpx2.Response) -> dict[str, Any]:
    assert 400 <= response.status_code < 500, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert "Traceback" not in response.text and ".py" not in response.text
    problem: dict[str, Any] = response.json()
    assert problem["status"] == response.status_code
    assert problem["type"] == "/problems/" + problem["code"]
    assert problem["request_id"] == response.headers["x-request-id"]
    return problem


@pytest.fixture(scope="module")
async def table(http: httpx2.AsyncClient) -> Table:
    """A game that nothing here can move."""
    return await (await join(http, name="Ada")).deal()


@pytest.mark.parametrize("name", BODIES)
async def test_no_body_is_answered_with_more_than_a_problem(name: str, table: Table) -> None:
    for method, path in (
        ("POST", "/v1/players"),
        ("PATCH", "/v1/players/me"),
        ("POST", "/v1/games"),
        ("POST", "/v1/pairings"),
        ("POST", "/v1/recoveries"),
        ("PUT", table.path + "/watching"),
        ("POST", table.path + "/commands"),
    ):
        problem = assert_problem(await table.player.ask(method, path, content=BODIES[name], headers=JSON))
        assert problem["code"] in {"invalid_body", "invalid_command", "too_large"}


async def test_none_of_them_has_changed_anything(table: Table) -> None:
    assert (await table.player.get("/v1/players/me")).json()["name"] == "Ada"
    assert (await table.player.get(table.path)).json()["seq"] == 1


@pytest.mark.parametrize(
    ("tail", "pointer"),
    [
        (',"after":-1', "/after"),
        (',"after":1.5', "/after"),
        (',"after":"1"', "/after"),
        (',"after":null', "/after"),
        (',"after":' + "9" * 5000, "/after"),
        (',"after":99999999999', "/after"),
        (',"place":7', "/place"),
        (',"selection":"P1"', "/selection"),
        (',"selection":["P1",2]', "/selection/1"),
        (',"x":1', "/x"),
        (',"a/b~c":1', "/a~1b~0c"),
    ],
)
async def test_json_that_is_no_command_is_malformed_and_says_where(tail: str, pointer: str, table: Table) -> None:
    content = (COMMAND % tail).encode()
    problem = assert_problem(await table.player.ask("POST", table.path + "/commands", content=content, headers=JSON))
    assert (problem["status"], problem["code"]) == (400, "invalid_command")
    assert problem["params"]["reason"] == "malformed"
    assert problem["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    "body",
    [
        {"do": "undo"},
        {"command_id": "", "do": "undo"},
        {"command_id": "a" * 65, "do": "undo"},
        {"command_id": "a b", "do": "undo"},
        {"command_id": "~expired", "do": "undo"},
        {"command_id": "a\n", "do": "undo"},
        {"command_id": 7, "do": "undo"},
        {"command_id": "a"},
        {"command_id": "a", "do": "deal"},
        {"command_id": "a", "do": "double_tap", "place": "P1"},
        {"command_id": "a", "do": "undo", "place": "P1"},
        {"command_id": "a", "do": "undo", "after": 2},
        [],
        "undo",
    ],
    ids=json.dumps,
)
async def test_a_command_that_cannot_be_read_is_malformed(body: Any, table: Table) -> None:
    problem = assert_problem(await table.player.ask("POST", table.path + "/commands", body))
    assert (problem["status"], problem["code"]) == (400, "invalid_command")
    assert problem["params"]["reason"] == "malformed"


@pytest.mark.parametrize(
    "tail", [',"do":"undo"', ',"count":1,"count":1', ',"count":{"a":1,"a":2}', ',"r\\u0065move":[]']
)
async def test_a_name_that_stands_twice_is_refused_wherever_it_is(tail: str, table: Table) -> None:
    content = (COMMAND % tail).encode()
    problem = assert_problem(await table.player.ask("POST", table.path + "/commands", content=content, headers=JSON))
    assert problem["code"] == "invalid_body"


@pytest.fixture(scope="module")
async def towers(table: Table) -> Table:
    return await table.player.deal("SH1-C4-AAAAAJ2")


@pytest.mark.parametrize("count", ["1e400", "1e5", "-1", "0", "true", "[]", '"1"', "9" * 400, "9" * 5000, "null"])
async def test_no_count_breaks_a_move(count: str, towers: Table) -> None:
    content = f'{{"command_id":"a","do":"move","from":"T1","to":"T2","count":{count}}}'.encode()
    assert_problem(await towers.player.ask("POST", towers.path + "/commands", content=content, headers=JSON))


async def test_a_body_of_the_largest_size_is_read_and_one_byte_more_is_not(http: httpx2.AsyncClient) -> None:
    def padded(size: int) -> bytes:
        return b"{}" + b" " * (size - 2)

    assert (await http.post("/v1/players", content=padded(MOST), headers=JSON)).status_code == 201
    problem = assert_problem(await http.post("/v1/players", content=padded(MOST + 1), headers=JSON))
    assert (problem["status"], problem["code"], problem["params"]) == (413, "too_large", {"limit": MOST})


async def test_a_body_that_hides_its_length_is_bounded_too(http: httpx2.AsyncClient) -> None:
    async def parts() -> Any:
        for _ in range(64):
            yield b" " * 1024 * 2

    assert_problem(await http.post("/v1/players", content=parts(), headers=JSON))


@pytest.mark.parametrize(
    "media",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "application/json; charset=latin-1",
        "application/json-patch+json",
    ],
)
async def test_a_body_of_another_kind_is_not_read(media: str | None, http: httpx2.AsyncClient) -> None:
    headers = {} if media is None else {"content-type": media}
    problem = assert_problem(await http.post("/v1/players", content=b"{}", headers=headers))
    assert (problem["status"], problem["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "media", ["application/json; charset=utf-8", 'application/json;charset="UTF-8"', "Application/JSON"]
)
async def test_json_in_utf_8_may_say_so(media: str, http: httpx2.AsyncClient) -> None:
    assert (await http.post("/v1/players", content=b"{}", headers={"content-type": media})).status_code == 201


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("?at=1&at=1", "at"),
        ("?at=0", "at"),
        ("?at=2", "at"),
        ("?at=-1", "at"),
        ("?at=one", "at"),
        ("?at=", "at"),
        ("?at=%31%00", "at"),
        ("?at=" + "9" * 5000, "at"),
        ("?legal=yes", "legal"),
        ("?legal=", "legal"),
        ("?Legal=1", "Legal"),
        ("?x=1", "x"),
        ("?" + "x" * 100 + "=1", "x" * 40 + "…"),
        ("?legal=%ff", None),
        ("?" + "&".join(f"a{n}=1" for n in range(100)), None),
        ("/events?after=-1", "after"),
        ("/events?limit=0", "limit"),
        ("/events?limit=201", "limit"),
        ("/events?wait=26", "wait"),
        ("/events?cursor=x", "cursor"),
    ],
)
async def test_a_wrong_query_names_the_parameter(path: str, name: str | None, table: Table) -> None:
    problem = assert_problem(await table.player.get(table.path + path))
    assert (problem["status"], problem["code"]) == (400, "invalid_query")
    assert problem["params"]["name"] == name


@pytest.mark.parametrize("path", ["/v1/games/%00", "/v1/games/%ff", "/v1/players/..%2fme", "/v1/games/" + "a" * 5000])
async def test_no_path_is_answered_with_more_than_a_problem(path: str, table: Table) -> None:
    assert assert_problem(await table.player.get(path))["code"] == "not_found"


async def test_broken_json_behind_a_fault_of_type_is_broken_json() -> None:
    with pytest.raises(ProblemError) as caught:
        BodyReader(Command, "invalid_command").read(b'{"command_id":7,"do":')
    assert caught.value.code == "invalid_body"


@pytest.mark.parametrize(
    ("message", "pointer"),
    [
        ("Expected `object`, got `array`", ""),
        ("Expected `int`, got `str` - at `$.after`", "/after"),
        ("Expected `str`, got `int` - at `$.remove[12]`", "/remove/12"),
        ("Object contains unknown field `a/b`", "/a~1b"),
        ("Object missing required field `do`", "/do"),
    ],
)
def test_the_place_of_a_fault_becomes_a_json_pointer(message: str, pointer: str) -> None:
    assert _field_error(message) == FieldError(pointer, message.partition(" - at ")[0])
