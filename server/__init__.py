"""Moontide: a game server for solitaires. The floors and their order stand in DESIGN 3 and `docs/`."""
