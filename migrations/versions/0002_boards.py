"""What games are played for: results, the standings on boards, and the buckets that ranks are summed from.

Revision 0002, after 0001. Games that had ended before it keep standing on no board.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ID = sa.String(36).with_variant(postgresql.UUID(as_uuid=False), "postgresql")
HASH = sa.String(64)


def upgrade() -> None:
    op.create_index("ix_games_player_code", "games", ["player", "code", "created_at", "id"])
    op.create_table(
        "results",
        sa.Column("game", ID, nullable=False),
        sa.Column("ruleset", sa.String(16), nullable=False),
        sa.Column("board", sa.String(64)),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("undos", sa.Integer(), nullable=False),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=False),
        sa.Column("link", HASH, nullable=False),
        sa.Column("try_number", sa.Integer()),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("game", name="pk_results"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_results_game"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_results_board", "results", ["board"])
    op.create_table(
        "standings",
        sa.Column("entrant", ID, nullable=False),
        sa.Column("board", sa.String(64), nullable=False),
        sa.Column("lens", sa.String(8), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=False),
        sa.Column("game", ID, nullable=False),
        sa.PrimaryKeyConstraint("entrant", "board", "lens", name="pk_standings"),
        sa.ForeignKeyConstraint(["game"], ["results.game"], name="fk_standings_game"),
    )
    op.create_index("ix_standings_ranked", "standings", ["board", "lens", sa.text("key DESC"), "entrant", "game"])
    op.create_table(
        "rank_buckets",
        sa.Column("board", sa.String(64), nullable=False),
        sa.Column("lens", sa.String(8), nullable=False),
        sa.Column("level", sa.SmallInteger(), nullable=False),
        sa.Column("bucket", sa.BigInteger(), nullable=False),
        sa.Column("slot", sa.SmallInteger(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("board", "lens", "level", "bucket", "slot", name="pk_rank_buckets"),
    )


def downgrade() -> None:
    op.drop_table("rank_buckets")
    op.drop_table("standings")
    op.drop_table("results")
    op.drop_index("ix_games_player_code", "games")
