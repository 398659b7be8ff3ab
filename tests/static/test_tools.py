"""The types hold, the linter is quiet, and the formatter has nothing to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# where another user has run them before, their memory of that cannot be written
MEMORY = ROOT / ".mypy_cache"
REMEMBERED = MEMORY if os.access(MEMORY if MEMORY.exists() else ROOT, os.W_OK) else os.devnull

# the server, and the SDK as soon as there is one
TYPED = [name for name in ("server", "clients/python") if (ROOT / name).is_dir()]

CHECKS = {
    "mypy": ["mypy", "--no-error-summary", f"--cache-dir={REMEMBERED}", *TYPED],
    "ruff": ["ruff", "check", "--quiet", "--no-cache"],
    "format": ["ruff", "format", "--check", "--quiet", "--no-cache"],
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", CHECKS)
def test_a_tool_finds_nothing(name: str) -> None:
    done = subprocess.run([sys.executable, "-m", *CHECKS[name]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"
