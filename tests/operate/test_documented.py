"""An operator finds every command in the documentation, and every one that answers can answer in JSON."""

from importlib import import_module
from pathlib import Path

import click
import pytest

from server.operate.cli import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs" / "operators.md").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_documented_and_answers_in_json(name: str) -> None:
    assert any(line.startswith(f"| `{name}") for line in PAGE.splitlines())
    module, _, attribute = COMMANDS[name].where.partition(":")
    command: click.Command = getattr(import_module(f"server.operate.{module}"), attribute)
    assert name == "serve" or any("--json" in option.opts for option in command.params)
