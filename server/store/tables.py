"""The tables, as SQLAlchemy Core: every constraint has a name, so that a migration can speak of it.

    players ─┬─< tokens        devices; only hashes of what opens the door
             ├─< pairings      short codes that add a device
             └─< games         one row a game: what no event may carry, and what is asked without a replay
    events                     the log: one row an event, only ever added to (triggers refuse the rest)
    results                    what a finished game counts: made with its last event
     └── standings             the best of each player on each board, through each lens: what boards show
    rank_buckets               how many stand in which part of a board: what ranks are summed from
    dailies, manifests         sealed days, and what is published of each when it closes
    counters                   attempts per address and window of time
    leases                     which process does what only one may do
    audit                      what operators did

``events`` has no foreign key: the log is keyed by its game alone, so that it can be spread by ``game_id`` and
kept when everything else has been erased (DESIGN 5, 11). Ids are native ``uuid`` on PostgreSQL and their 36
characters on SQLite; times are integer milliseconds UTC; hashes and links are lower-case hex.

The schema of a database is made by the migrations, never from here; ``alembic check`` keeps the two equal.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects import postgresql

NAMES = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}

ID = String(36).with_variant(postgresql.UUID(as_uuid=False), "postgresql")
HASH = String(64)
ROW_NUMBER = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up by itself only in INTEGER

metadata = MetaData(naming_convention=NAMES)

players = Table(
    "players",
    metadata,
    Column("id", ID, primary_key=True),
    Column("name", String(20)),
    Column("tag", String(4), nullable=False),
    Column("recovery_hash", HASH, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", ID, primary_key=True),
    Column("player_id", ID, ForeignKey("players.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("hash", HASH, nullable=False, unique=True),
    Column("label", String(64)),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
)

pairings = Table(
    "pairings",
    metadata,
    Column("code_hash", HASH, primary_key=True),
    Column("player_id", ID, ForeignKey("players.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("expires_at", BigInteger, nullable=False, index=True),
    Column("used_at", BigInteger),
)

games = Table(
    "games",
    metadata,
    Column("id", ID, primary_key=True),
    Column("code", String(40), nullable=False),
    Column("ruleset", String(16), nullable=False),
    Column("owner", HASH, nullable=False),
    Column("salt", String(32)),
    # No ON DELETE: erasing a player must clear the salt too, so it is done by hand (players.delete_player).
    Column("player", ID, ForeignKey("players.id")),
    Column("purpose", String(8), nullable=False),
    Column("ranked", Boolean, nullable=False),
    Column("date", String(10)),
    Column("race", ID),
    Column("until", BigInteger),
    Column("watching", String(8), nullable=False),
    Column("status", String(8), nullable=False),
    Column("command_id", String(64), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("player", "command_id"),
    CheckConstraint("purpose IN ('open', 'daily', 'race')", name="purpose"),
    CheckConstraint("watching IN ('private', 'link', 'public')", name="watching"),
    CheckConstraint("status IN ('playing', 'dead_end', 'won', 'resigned', 'expired')", name="status"),
)
Index("ix_games_player_created_at_id", games.c.player, games.c.created_at, games.c.id)
DAILY = games.c.purpose == "daily"
# The first attempt only (DESIGN 9): a second row for the same day, ruleset and player cannot be made.
Index(
    "uq_games_attempt",
    games.c.date,
    games.c.ruleset,
    games.c.player,
    unique=True,
    sqlite_where=DAILY,
    postgresql_where=DAILY,
)
PUBLIC = games.c.watching == "public"
Index("ix_games_public", games.c.created_at, games.c.id, sqlite_where=PUBLIC, postgresql_where=PUBLIC)
Index(
    "ix_games_public_code", games.c.code, games.c.created_at, games.c.id, sqlite_where=PUBLIC, postgresql_where=PUBLIC
)
Index("ix_games_player_code", games.c.player, games.c.code, games.c.created_at, games.c.id)

events = Table(
    "events",
    metadata,
    Column("game_id", ID, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("type", String(16), nullable=False),
    Column("v", SmallInteger, nullable=False),
    Column("seat", SmallInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("command_id", String(64), nullable=False),
    Column("data", Text, nullable=False),
    Column("link", HASH, nullable=False),
    Column("digest", String(16)),
    PrimaryKeyConstraint("game_id", "seq"),
    CheckConstraint("seq >= 1", name="seq"),
)

results = Table(
    "results",
    metadata,
    Column("game", ID, ForeignKey("games.id"), primary_key=True),
    Column("ruleset", String(16), nullable=False),
    Column("board", String(64), index=True),
    Column("won", Boolean, nullable=False),
    Column("score", Integer, nullable=False),
    Column("undos", Integer, nullable=False),
    Column("moves", Integer, nullable=False),
    Column("seconds", BigInteger, nullable=False),
    Column("finished_at", BigInteger, nullable=False),
    Column("link", HASH, nullable=False),
    # Which of the player's games of this code it was; null where that can be told no more (an erased player).
    Column("try_number", Integer),
    # Whether it has had a row on its board: from then on everybody may see the game (DESIGN 8, "Access").
    Column("listed", Boolean, nullable=False),
    sqlite_with_rowid=False,  # a row is found in one step rather than two: boards look up a page of them
)

standings = Table(
    "standings",
    metadata,
    # Whose row it is: the player, or, once the player has been erased, the game itself.
    Column("entrant", ID, nullable=False),
    Column("board", String(64), nullable=False),
    Column("lens", String(8), nullable=False),
    Column("key", BigInteger, nullable=False),
    Column("finished_at", BigInteger, nullable=False),
    Column("game", ID, ForeignKey("results.game"), nullable=False),
    PrimaryKeyConstraint("entrant", "board", "lens"),
)
# With the game, so that a page of a board is one stretch of the index and nothing else.
Index(
    "ix_standings_ranked",
    standings.c.board,
    standings.c.lens,
    standings.c.key.desc(),
    standings.c.entrant,
    standings.c.game,
)

# A slot a writer process, so that finishes in several do not wait for one row; a count is the sum over the slots.
rank_buckets = Table(
    "rank_buckets",
    metadata,
    Column("board", String(64), nullable=False),
    Column("lens", String(8), nullable=False),
    Column("level", SmallInteger, nullable=False),
    Column("bucket", BigInteger, nullable=False),
    Column("slot", SmallInteger, nullable=False),
    Column("n", Integer, nullable=False),
    PrimaryKeyConstraint("board", "lens", "level", "bucket", "slot"),
)

dailies = Table(
    "dailies",
    metadata,
    Column("date", String(10), nullable=False),
    Column("ruleset", String(16), nullable=False),
    Column("code", String(40), nullable=False),
    Column("commitment", HASH, nullable=False),
    Column("committed_at", BigInteger, nullable=False),
    Column("certified", Boolean, nullable=False),
    # The winning line as JSON, sealed with the code; null where none was found.
    Column("line", Text),
    Column("closes_at", BigInteger, nullable=False, index=True),
    Column("swept_at", BigInteger),
    PrimaryKeyConstraint("date", "ruleset"),
)

manifests = Table(
    "manifests",
    metadata,
    Column("date", String(10), nullable=False),
    Column("ruleset", String(16), nullable=False),
    # The exact text that was published; never rewritten.
    Column("text", Text, nullable=False),
    Column("published_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("date", "ruleset"),
)

counters = Table(
    "counters",
    metadata,
    Column("kind", String(16), nullable=False),
    Column("address", String(64), nullable=False),
    Column("window_start", BigInteger, nullable=False, index=True),
    Column("n", Integer, nullable=False),
    PrimaryKeyConstraint("kind", "address", "window_start"),
)

leases = Table(
    "leases",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("holder", String(64), nullable=False),
    Column("expires_at", BigInteger, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("id", ROW_NUMBER, primary_key=True, autoincrement=True),
    Column("at", BigInteger, nullable=False, index=True),
    Column("actor", String(64), nullable=False),
    Column("action", String(64), nullable=False),
    Column("subject", String(64)),
    Column("detail", Text, nullable=False),
)
