"""The public games of a code are found without reading all public games.

Revision 0004, after 0003.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    public = sa.text("watching = 'public'")
    op.create_index(
        "ix_games_public_code",
        "games",
        ["code", "created_at", "id"],
        sqlite_where=public,
        postgresql_where=public,
    )


def downgrade() -> None:
    op.drop_index("ix_games_public_code", "games")
