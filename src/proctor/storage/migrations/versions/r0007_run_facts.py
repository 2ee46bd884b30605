"""Facts of a run beyond its attempts, such as why it stopped."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_SPENT = 'UPDATE runs SET facts = \'{"stop":{"kind":"budget"}}\' WHERE reason LIKE \'the budget is %\''


def upgrade() -> None:
    """Add the column; of earlier runs, only those stopped by the budget are identified, for `resume`."""
    op.add_column("runs", sa.Column("facts", sa.Text, nullable=False, server_default="{}"))
    op.execute(_SPENT)
