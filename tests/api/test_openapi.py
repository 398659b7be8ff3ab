"""The document is valid, says what the code does, and a machine that attacks the API by it finds nothing."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import httpx2
import jsonschema
import msgspec
import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from server.api.endpoint import Access
from server.api.routes import ENDPOINTS
from server.api.schema import operation_id
from server.api.shapes import Shapes
from tests.api.client import DOCUMENT, Undocumented, hold
from tests.parts.server_process import ServerProcess

HERE = Path(__file__).parent


async def test_the_document_is_served_as_it_was_made(http: httpx2.AsyncClient) -> None:
    served = (await http.get("/openapi.json")).json()
    assert served == DOCUMENT
    assert served["openapi"].startswith("3.1.")


def test_every_schema_in_it_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema({"$defs": DOCUMENT["components"]["schemas"]})
    for _, operation in operations():
        for response in operation["responses"].values():
            for content in response.get("content", {}).values():
                jsonschema.Draft202012Validator.check_schema(content["schema"])


def test_every_reference_leads_somewhere_and_every_type_is_used() -> None:
    text = msgspec.json.encode(DOCUMENT).decode()
    named = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert named | {"FieldError"} == set(DOCUMENT["components"]["schemas"])


def test_it_tells_of_every_route_and_no_other() -> None:
    told = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert told == {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}
    names = [operation_id(endpoint) for endpoint in ENDPOINTS]
    assert len(set(names)) == len(names)


def test_every_parameter_of_a_path_is_described() -> None:
    for path, operation in operations():
        described = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
        assert described == set(re.findall(r"\{(\w+)\}", path)), path


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=operation_id)
def test_who_may_ask_is_told(endpoint: Any) -> None:
    operation = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
    wanted = {Access.OPEN: [], Access.READER: [{}, {"token": []}], Access.PLAYER: [{"token": []}]}
    assert operation["security"] == wanted[endpoint.access]
    assert ("401" in operation["responses"]) is (endpoint.access is not Access.OPEN)


def operations() -> list[tuple[str, dict[str, Any]]]:
    return [(path, operation) for path, methods in DOCUMENT["paths"].items() for operation in methods.values()]


# -- the check itself -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "media", "content"),
    [
        (418, "application/json", b"{}"),
        (200, "text/html", b""),
        (200, "application/json", b"{}"),
        (200, "application/json", b'{"id":7,"name":null,"tag":"AAAA"}'),
        (404, "application/json", b"{}"),
        (404, "application/problem+json", b'{"code":"stale"}'),
    ],
)
def test_the_check_of_answers_sees_what_is_not_documented(status: int, media: str, content: bytes) -> None:
    with pytest.raises(Undocumented):
        hold("GET", "/v1/players/4f3c2b1a-0000-4000-8000-000000000000", status, media, content)


def test_the_check_of_answers_lets_pass_what_is_documented() -> None:
    player = b'{"id":"4f3c2b1a-0000-4000-8000-000000000000","name":null,"tag":"AAAA","more":"to come"}'
    hold("GET", "/v1/players/4f3c2b1a-0000-4000-8000-000000000000", 200, "application/json", player)


# -- types to schemas -------------------------------------------------------------------------------


class Inner(Struct):
    """Inside."""

    x: int


class Other(Struct):
    y: str


class Asked(Struct, forbid_unknown_fields=True, kw_only=True):
    """What is asked. More words
    on a second line.

    A second paragraph.
    """

    name: Annotated[str, Meta(min_length=1, max_length=3, pattern="^a", description="A name")]
    tags: Annotated[list[str], Meta(max_length=2)] = []
    kind: Literal["a", "b"] = "a"
    both: Inner | Other | UnsetType = UNSET
    maybe: int | None = None
    source: float | UnsetType = msgspec.field(default=UNSET, name="from")


class Told(Struct, tag_field="t", tag="told"):
    inner: Inner
    pairs: dict[str, tuple[int, ...]]
    fixed: tuple[int, str]
    raw: msgspec.Raw
    late: bool | UnsetType = UNSET


def test_a_request_is_closed_and_needs_what_has_no_default() -> None:
    shapes = Shapes()
    assert shapes.of(Asked) == {"$ref": "#/components/schemas/Asked"}
    assert shapes.components["Asked"] == {
        "type": "object",
        "description": "What is asked. More words on a second line.",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^a", "description": "A name"},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "kind": {"enum": ["a", "b"], "default": "a"},
            "both": {"anyOf": [{"$ref": "#/components/schemas/Inner"}, {"$ref": "#/components/schemas/Other"}]},
            "maybe": {"type": ["integer", "null"]},
            "from": {"type": "number"},
        },
    }


def test_an_answer_is_open_and_has_all_that_is_always_sent() -> None:
    shapes = Shapes({(Told, "raw"): Inner | Other}, {Inner: {"minProperties": 1}})
    shapes.of(Told)
    assert shapes.components["Told"] == {
        "type": "object",
        "required": ["t", "inner", "pairs", "fixed", "raw"],
        "properties": {
            "t": {"const": "told"},
            "inner": {"$ref": "#/components/schemas/Inner"},
            "pairs": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
            "fixed": {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
            },
            "raw": {"anyOf": [{"$ref": "#/components/schemas/Inner"}, {"$ref": "#/components/schemas/Other"}]},
            "late": {"type": "boolean"},
        },
    }
    assert shapes.components["Inner"]["minProperties"] == 1
    assert "additionalProperties" not in shapes.components["Inner"]


def test_two_types_of_one_name_and_types_without_a_schema_are_refused() -> None:
    shapes = Shapes()
    shapes.of(Inner)
    with pytest.raises(TypeError, match="two types"):
        shapes.of(msgspec.defstruct("Inner", [("y", int)]))
    with pytest.raises(TypeError, match="no schema"):
        shapes.of(complex)


# -- attacked by the document -----------------------------------------------------------------------


@pytest.mark.timeout(300)
def test_schemathesis_finds_nothing(folder: Path, tmp_path: Path) -> None:
    with ServerProcess(folder / "attacked.db", env={"MOONTIDE_DAILIES": "off"}) as server:
        token = server.wait_ready().request("POST", "/v1/players", {})[1]["token"]
        attack = subprocess.run(
            [
                *(sys.executable, "-W", "ignore", "-m", "schemathesis.cli"),
                *("--config-file", HERE / "schemathesis.toml", "run", server.url + "/openapi.json"),
                *("--header", f"Authorization: Bearer {token}"),
                # These two would lock out the attacker.
                *("--exclude-name", "DELETE /v1/players/me", "--exclude-name", "DELETE /v1/players/me/tokens/{id}"),
                *("--phases", "coverage,fuzzing", "--max-examples", "2"),
                *("--generation-deterministic", "--continue-on-failure", "--no-color"),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert "Traceback" not in server.output()
    assert attack.returncode == 0, attack.stdout
    assert " passed" in attack.stdout
