"""Figures, side by side in one run: ``python3 -m tests.bench`` (all) or ``python3 -m tests.bench engine moves``.

Every bench prints a table of what it measured; ``--json FILE`` writes all of it as one JSON object as well.
``--short`` runs each for a fraction of its time, to see that it works. Machines differ and are noisy: ratios
within one run are worth more than figures from two.
"""

import argparse
import json
import platform
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from server import bootstrap

BENCHES = ("engine", "moves", "growth", "fanout", "boards", "cluster")


def main() -> int:
    bootstrap.ensure("test")
    parser = argparse.ArgumentParser(prog="python3 -m tests.bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="BENCH", help=f"of {', '.join(BENCHES)}; all if none is named")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--short", action="store_true", help="a fraction of the time: rough figures")
    given = parser.parse_args()
    if unknown := set(given.names) - set(BENCHES):
        parser.error(f"no bench {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    print(f"Python {platform.python_version()}, {platform.machine()}", flush=True)
    figures: dict[str, object] = {}
    for name in given.names or BENCHES:
        print(f"\n== {name}", flush=True)
        run: Callable[[bool], object] = import_module(f"tests.bench.{name}").run
        figures[name] = run(given.short)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
