"""Paging of large runs: indexes for sorting and filtering attempts, and a column for failed checks."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_AT_A_TIME = 5000


def upgrade() -> None:
    """Add the column, fill it from the bodies, and create the indexes."""
    op.add_column("attempts", sa.Column("failed_checks", sa.Text))
    _fill(op.get_bind())
    op.drop_index("ix_attempts_run_no_place_no", "attempts")
    op.create_index("ix_attempts_by_place", "attempts", ["run_no", "place", "no", "verdict", "stage", "failed_checks"])
    op.create_index("ix_attempts_by_score", "attempts", ["run_no", "score", "place", "no", "verdict"])
    op.create_index("ix_attempts_by_seconds", "attempts", ["run_no", "seconds", "place", "no", "verdict"])


def _fill(connection: sa.Connection) -> None:
    attempts = sa.table("attempts", sa.column("no"), sa.column("body"), sa.column("failed_checks"))
    checked = (
        sa.select(attempts.c.no, attempts.c.body).where(attempts.c.body.like('%"checks"%')).order_by(attempts.c.no)
    )
    put = sa.update(attempts).where(attempts.c.no == sa.bindparam("which")).values(failed_checks=sa.bindparam("names"))
    last = -1
    while rows := connection.execute(checked.where(attempts.c.no > last).limit(_AT_A_TIME)).all():
        last = rows[-1].no
        found = [{"which": row.no, "names": names} for row in rows if (names := _failed(row.body))]
        if found:
            connection.execute(put, found)


def _failed(body: str) -> str | None:
    try:
        checks = json.loads(body).get("checks", [])
        names = sorted({" ".join(check["name"].split()) for check in checks if check["passed"] is False})
    except (ValueError, KeyError, TypeError, AttributeError):  # damaged: reported when it is read
        return None
    return "\n" + "\n".join(names) + "\n" if names else None
