"""Who writes a run stands in its row: a number that every write carries, the process, and its last sign of life."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns; nobody writes a store while it is migrated."""
    op.add_column("runs", sa.Column("writer", sa.Integer, nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("holder", sa.Text))
    op.add_column("runs", sa.Column("beat", sa.Double))
