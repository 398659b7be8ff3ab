"""Secrets are stored as hashes only: who reads the database cannot open a door with what stands there."""

from hashlib import sha256


def secret_hash(secret: str) -> str:
    """SHA-256 of a token, a recovery or a pairing code as 64 hex digits. They are random and long enough, or
    short-lived and counted, so that a slow hash would add nothing."""
    return sha256(secret.encode()).hexdigest()
