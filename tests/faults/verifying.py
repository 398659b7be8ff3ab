"""``verify`` as an operator runs it."""

import json
import subprocess
import sys
from typing import Any

from tests.parts.server_process import ROOT


def verify(database: str) -> tuple[int, Any]:
    """Check every game of a database: the exit code, and what is said. Blocks for as long as it takes."""
    words = [sys.executable, "-m", "server", "verify", "--all", "--json", "--database", database]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)
