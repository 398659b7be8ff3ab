"""Randomness that repeats, so that what is drawn can be written down in a test."""

from hashlib import shake_256


class SeededEntropy:
    """As ``os.urandom``, but the same bytes for the same seed, in order."""

    def __init__(self, seed: str = "moontide") -> None:
        self._seed = seed
        self._calls = 0

    def __call__(self, size: int) -> bytes:
        self._calls += 1
        return shake_256(f"{self._seed}/{self._calls}".encode()).digest(size)
