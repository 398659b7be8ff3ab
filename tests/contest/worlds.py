"""Compare pairs of worlds, as many as wanted: ``python3 -m tests.contest.worlds 10000 [SEED]``.

What is compared, and how, stands in `world` and `visit`. The suite does the same with 300 pairs.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from server.bootstrap import ensure

if TYPE_CHECKING:
    from tests.contest.world import Worlds


async def compare(pairs: int, folder: Path, *, seed: str = "moontide", progress: Callable[[int], None]) -> Worlds:
    """Compare so many pairs of attempts; raises `Different` at the first that can be told apart."""
    from tests.contest.visit import visit
    from tests.contest.world import Different, two_worlds

    async with two_worlds(folder) as worlds:
        for number in range(pairs):
            try:
                await visit(worlds, number, random.Random(f"{seed}/{number}"))
            except Different as different:
                raise Different(f"pair {number} of seed {seed}: {different}") from None
            progress(number + 1)
        return worlds


def memory() -> str | None:
    """A folder in memory, where there is one: the worlds are not about the disk."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def main(words: Sequence[str]) -> None:
    ensure("test")
    from tests.contest.world import Different

    pairs, seed = int(words[0]) if words else 300, words[1] if len(words) > 1 else str(time.time_ns())
    began = time.perf_counter()

    def progress(done: int) -> None:
        if done % 100 == 0 or done == pairs:
            print(f"\r{done} of {pairs} pairs, {time.perf_counter() - began:.0f} s", end="", file=sys.stderr)

    with TemporaryDirectory(prefix="moontide-worlds-", dir=memory()) as folder:
        try:
            worlds = asyncio.run(compare(pairs, Path(folder), seed=seed, progress=progress))
        except Different as different:
            sys.exit(f"\nTHE WORLDS DIFFER: {different}")
    answers = sum(number for kind, number in worlds.told.items() if kind.startswith("status"))
    frames = sum(number for kind, number in worlds.told.items() if kind.startswith("t "))
    print(f"\n{pairs} pairs of seed {seed}: {answers} answers and {frames} frames, no difference", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
