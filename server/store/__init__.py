"""Floor 2: what is kept. The log of every game, and the few tables beside it, on SQLite or PostgreSQL.

Functions here take a sync `sqlalchemy.Connection` and run on both; `Database` gives them one, a
transaction each. Hot statements of the log are written by hand, everything else is SQLAlchemy Core.
"""
