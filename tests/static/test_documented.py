"""What an operator or a client can meet is written down: settings and routes (error codes: tests/api/test_errors.py).

``python3 -m tests.static.test_documented`` prints the rows of docs/routes.md as they should be.
"""

from pathlib import Path
from typing import Any

import pytest

from server.api.endpoint import Access, Endpoint
from server.api.routes import ENDPOINTS
from server.settings import Described, describe

DOCS = Path(__file__).parents[2] / "docs"
FOR = {Access.OPEN: "everybody", Access.READER: "reader", Access.PLAYER: "player"}


def lines(name: str) -> list[str]:
    return (DOCS / name).read_text().splitlines()


@pytest.mark.parametrize("one", list(describe()), ids=lambda one: one.variable)
def test_a_setting_is_documented_as_it_is(one: Described) -> None:
    default = f"`{one.default}`" if one.default else "empty"
    assert f"| `{one.variable}` | {default} | {one.wanted} | {one.meaning} |" in lines("settings.md")


def row(endpoint: Endpoint[Any, Any]) -> str:
    audience = FOR.get(endpoint.access, endpoint.access.value)
    return f"| `{endpoint.method} {endpoint.path}` | {audience} | {endpoint.summary} |"


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: f"{one.method} {one.path}")
def test_a_route_is_documented_as_it_is(endpoint: Endpoint[Any, Any]) -> None:
    assert row(endpoint) in lines("routes.md")


def test_no_route_is_documented_that_is_not_there() -> None:
    assert {line for line in lines("routes.md") if line.startswith("| `")} <= {row(one) for one in ENDPOINTS}


if __name__ == "__main__":
    print(*map(row, ENDPOINTS), sep="\n")
