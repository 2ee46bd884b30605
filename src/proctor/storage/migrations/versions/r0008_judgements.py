"""Additional judgements of attempts."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the table; rows are deleted with the run."""
    op.create_table(
        "judgements",
        sa.Column("run_no", sa.Integer, nullable=False),
        sa.Column("judge", sa.Text, nullable=False),
        sa.Column("repeat", sa.Integer, nullable=False),
        sa.Column("trial", sa.Integer, nullable=False),
        sa.Column("condition", sa.Text, nullable=False),
        sa.Column("exam", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("run_no", "judge", "repeat", "trial", "condition", "exam", name="pk_judgements"),
        sa.ForeignKeyConstraint(["run_no"], ["runs.no"], name="fk_judgements_run_no", ondelete="CASCADE"),
    )
