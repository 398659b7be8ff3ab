"""When a part cannot be had on this machine, the tests that need it are skipped, and say so."""


class Absent(Exception):
    """A part that is not there; the message says which and why, and becomes the reason of the skip."""
