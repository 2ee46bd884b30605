"""Leases: a run's row gets the writer's number, its process, and its last heartbeat."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns; no process writes a store while it is migrated."""
    op.add_column("runs", sa.Column("writer", sa.Integer, nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("holder", sa.Text))
    op.add_column("runs", sa.Column("beat", sa.Double))
