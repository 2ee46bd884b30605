"""Human labels of attempts."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table; rows are deleted with the run."""
    op.create_table(
        "human_labels",
        sa.Column("run_no", sa.Integer, nullable=False),
        sa.Column("trial", sa.Integer, nullable=False),
        sa.Column("condition", sa.Text, nullable=False),
        sa.Column("exam", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("passed", sa.Boolean, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("seconds", sa.Double),
        sa.PrimaryKeyConstraint("run_no", "trial", "condition", "exam", "who", name="pk_human_labels"),
        sa.ForeignKeyConstraint(["run_no"], ["runs.no"], name="fk_human_labels_run_no", ondelete="CASCADE"),
    )
