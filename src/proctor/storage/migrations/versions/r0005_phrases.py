"""Abbreviations in row text, which older code cannot read; existing rows are not changed."""

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Do nothing: only the version number changes."""
