"""The log, the games, the players; and triggers that keep the log append-only.

Revision 0001, after nothing.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ID = sa.String(36).with_variant(postgresql.UUID(as_uuid=False), "postgresql")
HASH = sa.String(64)
ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "players",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.String(20)),
        sa.Column("tag", sa.String(4), nullable=False),
        sa.Column("recovery_hash", HASH, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("recovery_hash", name="uq_players_recovery_hash"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", ID, nullable=False),
        sa.Column("player_id", ID, nullable=False),
        sa.Column("hash", HASH, nullable=False),
        sa.Column("label", sa.String(64)),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_tokens_player_id", ondelete="CASCADE"),
        sa.UniqueConstraint("hash", name="uq_tokens_hash"),
    )
    op.create_index("ix_tokens_player_id", "tokens", ["player_id"])
    op.create_table(
        "pairings",
        sa.Column("code_hash", HASH, nullable=False),
        sa.Column("player_id", ID, nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("code_hash", name="pk_pairings"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_pairings_player_id", ondelete="CASCADE"),
    )
    op.create_index("ix_pairings_player_id", "pairings", ["player_id"])
    op.create_index("ix_pairings_expires_at", "pairings", ["expires_at"])
    op.create_table(
        "games",
        sa.Column("id", ID, nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("ruleset", sa.String(16), nullable=False),
        sa.Column("owner", HASH, nullable=False),
        sa.Column("salt", sa.String(32)),
        sa.Column("player", ID),
        sa.Column("purpose", sa.String(8), nullable=False),
        sa.Column("ranked", sa.Boolean(), nullable=False),
        sa.Column("date", sa.String(10)),
        sa.Column("race", ID),
        sa.Column("until", sa.BigInteger()),
        sa.Column("watching", sa.String(8), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("command_id", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_games_player"),
        sa.UniqueConstraint("player", "command_id", name="uq_games_player_command_id"),
        sa.CheckConstraint("purpose IN ('open', 'daily', 'race')", name=op.f("ck_games_purpose")),
        sa.CheckConstraint("watching IN ('private', 'link', 'public')", name=op.f("ck_games_watching")),
        sa.CheckConstraint(
            "status IN ('playing', 'dead_end', 'won', 'resigned', 'expired')", name=op.f("ck_games_status")
        ),
    )
    op.create_index("ix_games_player_created_at_id", "games", ["player", "created_at", "id"])
    public = sa.text("watching = 'public'")
    op.create_index("ix_games_public", "games", ["created_at", "id"], sqlite_where=public, postgresql_where=public)
    op.create_table(
        "events",
        sa.Column("game_id", ID, nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(16), nullable=False),
        sa.Column("v", sa.SmallInteger(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("command_id", sa.String(64), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("link", HASH, nullable=False),
        sa.Column("digest", sa.String(16)),
        sa.PrimaryKeyConstraint("game_id", "seq", name="pk_events"),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_events_seq")),
    )
    op.create_table(
        "counters",
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("window_start", sa.BigInteger(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "address", "window_start", name="pk_counters"),
    )
    op.create_index("ix_counters_window_start", "counters", ["window_start"])
    op.create_table(
        "leases",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("holder", sa.String(64), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_leases"),
    )
    op.create_table(
        "audit",
        sa.Column("id", ROW_NUMBER, autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(64), nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("subject", sa.String(64)),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_at", "audit", ["at"])
    for statement in POSTGRES_TRIGGERS if op.get_context().dialect.name == "postgresql" else SQLITE_TRIGGERS:
        op.execute(sa.text(statement))


def downgrade() -> None:
    raise NotImplementedError("the first migration is never taken back: that would delete every game")


SQLITE_TRIGGERS = (
    """
    CREATE TRIGGER events_no_update BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END
    """,
    """
    CREATE TRIGGER events_no_delete BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END
    """,
)

# ENABLE ALWAYS: else a session that says it replicates (session_replication_role) gets past them.
POSTGRES_TRIGGERS = (
    """
    CREATE FUNCTION events_refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'restrict_violation'; END $$
    """,
    """
    CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION events_refuse()
    """,
    "ALTER TABLE events ENABLE ALWAYS TRIGGER events_append_only",
)
