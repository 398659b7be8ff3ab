"""``python3 -m tests.long [words for pytest]``: the tests of faults again, with the numbers of a soak (10 minutes).

Three hundred kills, a hundred thousand commands sent twice, twenty thousand seeds of the simulation.
"""

import os
import sys

from server.bootstrap import ensure


def main() -> None:
    ensure("test")
    import pytest

    os.environ["MOONTIDE_LONG_TESTS"] = "on"
    sys.exit(pytest.main(["tests/faults", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
