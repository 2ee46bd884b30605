"""Rows may hold signs for phrases from now on, which older code could not read; those that are there stay."""

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Nothing but the number."""
