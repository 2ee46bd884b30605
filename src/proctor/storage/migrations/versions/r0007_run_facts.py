"""What is known of a run beside its attempts, such as why it stopped."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_SPENT = 'UPDATE runs SET facts = \'{"stop":{"kind":"budget"}}\' WHERE reason LIKE \'the budget is %\''


def upgrade() -> None:
    """One column; of earlier runs only those that ran out of budget are told apart: `resume` needs to know them."""
    op.add_column("runs", sa.Column("facts", sa.Text, nullable=False, server_default="{}"))
    op.execute(_SPENT)
