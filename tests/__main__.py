"""``python3 -m tests [words for pytest]``: bring what the tests need, run them, say what was skipped and why."""

import sys

from server.bootstrap import ensure


def main() -> None:
    ensure("test")
    import pytest

    from tests.parts import chromium

    chromium.bring()
    sys.exit(pytest.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
