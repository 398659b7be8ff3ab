"""Sealed dailies and their manifests; one attempt a player, day and ruleset.

Revision 0003, after 0002.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

HASH = sa.String(64)


def upgrade() -> None:
    op.create_table(
        "dailies",
        sa.Column("date", sa.String(10), nullable=False),
        sa.Column("ruleset", sa.String(16), nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("commitment", HASH, nullable=False),
        sa.Column("committed_at", sa.BigInteger(), nullable=False),
        sa.Column("certified", sa.Boolean(), nullable=False),
        sa.Column("line", sa.Text()),
        sa.Column("closes_at", sa.BigInteger(), nullable=False),
        sa.Column("swept_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("date", "ruleset", name="pk_dailies"),
    )
    op.create_index("ix_dailies_closes_at", "dailies", ["closes_at"])
    op.create_table(
        "manifests",
        sa.Column("date", sa.String(10), nullable=False),
        sa.Column("ruleset", sa.String(16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("published_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("date", "ruleset", name="pk_manifests"),
    )
    daily = sa.text("purpose = 'daily'")
    op.create_index(
        "uq_games_attempt",
        "games",
        ["date", "ruleset", "player"],
        unique=True,
        sqlite_where=daily,
        postgresql_where=daily,
    )


def downgrade() -> None:
    op.drop_index("uq_games_attempt", "games")
    op.drop_table("manifests")
    op.drop_table("dailies")
