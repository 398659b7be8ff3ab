"""Golden files and how the tests read them; never regenerated to make a test pass."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def lines(name: str) -> list[dict[str, Any]]:
    """The JSON lines of one golden file below this folder."""
    with (HERE / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]
