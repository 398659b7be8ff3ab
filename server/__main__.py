"""``python3 -m server``: see that the environment is there, then hand over to the command line."""

import sys

from server.bootstrap import ensure


def main() -> None:
    ensure()
    from server.operate.cli import main as command_line

    sys.exit(command_line())


if __name__ == "__main__":
    main()
