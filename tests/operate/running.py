"""Commands of the operator, run in this process."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner

from server.operate.cli import command_line


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


async def run(url: str, *words: str) -> Done:
    """Run a command on a database, in a thread, for it has a loop of its own."""

    def invoke() -> Done:
        result = CliRunner().invoke(command_line, [*words, "--database", url])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    return await asyncio.to_thread(invoke)
