"""The types hold, the linter is quiet, and the formatter has nothing to do."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CHECKS = {
    "mypy": ["mypy", "--no-error-summary"],
    "ruff": ["ruff", "check", "--quiet"],
    "format": ["ruff", "format", "--check", "--quiet"],
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", CHECKS)
def test_a_tool_finds_nothing(name: str) -> None:
    done = subprocess.run([sys.executable, "-m", *CHECKS[name]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"
