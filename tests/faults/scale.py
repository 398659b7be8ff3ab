"""How long the tests of this room go on: long enough to find a fault, or much longer where that is asked for.

``python3 -m tests.long`` runs this room alone, with the numbers of a soak.
"""

import os

LONG = os.environ.get("MOONTIDE_LONG_TESTS") == "on"


def times(normally: int, long: int) -> int:
    """How often to do something."""
    return long if LONG else normally
