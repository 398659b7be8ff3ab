"""Every problem is documented: a page, a line, and a row for each reason."""

import re
from pathlib import Path

import httpx2
import pytest

from server.api.errors import PROBLEMS, Problem, ProblemError, as_problem
from server.api.routes import ENDPOINTS
from server.play import refusals
from server.solitaires import SOLITAIRES
from server.store.errors import StoreUnavailable

DOCS = (Path(__file__).parents[2] / "docs" / "errors.md").read_text()
UNREADABLE = ("malformed", "bad_count", "no_such_place", "place_twice")
REASONS = [*UNREADABLE, *dict.fromkeys(r for one in SOLITAIRES.values() for r in one.reasons), "nothing_to_undo"]


@pytest.mark.parametrize("code", PROBLEMS)
async def test_a_problem_has_its_page_and_its_line(code: str, http: httpx2.AsyncClient) -> None:
    kind = PROBLEMS[code]
    assert f"| {kind.status} | `{code}` | {kind.meaning} |" in DOCS.splitlines()
    page = await http.get(f"/problems/{code}")
    assert page.status_code == 200
    assert kind.title in page.text


def test_nothing_else_is_documented_as_a_problem() -> None:
    assert re.findall(r"^\| \d{3} \| `(\w+)` \|", DOCS, re.MULTILINE) == list(PROBLEMS)


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_is_documented(reason: str) -> None:
    assert len(re.findall(rf"^\| `{reason}` \|", DOCS, re.MULTILINE)) == 1


async def test_a_problem_that_there_is_not_has_no_page(http: httpx2.AsyncClient) -> None:
    assert (await http.get("/problems/teapot")).status_code == 404


@pytest.mark.parametrize("code", {code for endpoint in ENDPOINTS for code in endpoint.codes})
def test_a_route_names_only_codes_that_there_are(code: str) -> None:
    assert code in PROBLEMS


@pytest.mark.parametrize("refusal", refusals.Refusal.__subclasses__(), ids=lambda one: one.code)
def test_a_refusal_of_a_lower_floor_becomes_its_problem(refusal: type[refusals.Refusal]) -> None:
    problem = as_problem(refusal("why", reason="x"))
    assert problem is not None
    assert (problem.code, problem.detail, problem.params) == (refusal.code, "why", {"reason": "x"})
    assert dict(problem.headers).get(b"retry-after", b"") == (b"1" if problem.status == 503 else b"")


def test_what_the_storage_says_of_itself_is_not_passed_on() -> None:
    problem = as_problem(StoreUnavailable("/var/lib/secret.db: disk full"))
    assert problem is not None
    assert (problem.code, "secret" in problem.detail) == ("unavailable", False)


def test_a_fault_of_ours_is_no_problem_of_the_client() -> None:
    assert as_problem(KeyError("x")) is None


def test_a_problem_is_written_as_the_rfc_has_it() -> None:
    body = ProblemError("sealed", "not yet", until=None).body("7f")
    assert body == Problem(
        type="/problems/sealed",
        title="Sealed",
        status=409,
        code="sealed",
        detail="not yet",
        params={"until": None},
        request_id="7f",
    )
