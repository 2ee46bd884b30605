"""Snapshots: counts of a large run are cached in the store."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table; it is filled as runs end or are read."""
    op.create_table(
        "snapshots",
        sa.Column("run_no", sa.Integer, nullable=False),
        sa.Column("stamp", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("run_no", name="pk_snapshots"),
        sa.ForeignKeyConstraint(["run_no"], ["runs.no"], name="fk_snapshots_run_no", ondelete="CASCADE"),
    )
