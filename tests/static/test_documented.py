"""What an operator or a client can meet is written down: settings, routes, error codes."""

from pathlib import Path

import pytest

from server.settings import Described, describe

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("one", describe(), ids=lambda one: one.variable)
def test_a_setting_is_documented_as_it_is(one: Described) -> None:
    default = f"`{one.default}`" if one.default else "empty"
    row = f"| `{one.variable}` | {default} | {one.wanted} | {one.meaning} |"
    assert row in (ROOT / "docs" / "settings.md").read_text().splitlines()
