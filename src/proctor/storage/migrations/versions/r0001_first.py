"""First schema. Never change it: existing stores were created by it."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_big = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "benchmarks",
        sa.Column("no", sa.Integer, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("no", name="pk_benchmarks"),
        sa.UniqueConstraint("content", name="uq_benchmarks_content"),
    )
    op.create_index("ix_benchmarks_digest", "benchmarks", ["digest"])
    op.create_table(
        "runs",
        sa.Column("no", sa.Integer, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("labels", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("planned", sa.Integer, nullable=False),
        sa.Column("rescored_from", sa.Text),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("started", sa.Double),
        sa.Column("ended", sa.Double),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("wish", sa.Text),
        sa.Column("benchmark_no", sa.Integer, nullable=False),
        sa.Column("turns_no", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("no", name="pk_runs"),
        sa.UniqueConstraint("id", name="uq_runs_id"),
        sa.ForeignKeyConstraint(["benchmark_no"], ["benchmarks.no"], name="fk_runs_benchmark_no"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_runs_created", "runs", ["created"])
    op.create_table("turns", *_numbered(), sa.PrimaryKeyConstraint(*_NUMBERED, name="pk_turns"))
    op.create_table(
        "drafts",
        *_numbered(),
        sa.PrimaryKeyConstraint(*_NUMBERED, name="pk_drafts"),
        sa.ForeignKeyConstraint(["run_no"], ["runs.no"], name="fk_drafts_run_no", ondelete="CASCADE"),
    )
    op.create_table(
        "attempts",
        sa.Column("no", _big, nullable=False),
        sa.Column("run_no", sa.Integer, nullable=False),
        sa.Column("trial", sa.Integer, nullable=False),
        sa.Column("condition", sa.Text, nullable=False),
        sa.Column("exam", sa.Text, nullable=False),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("passed", sa.Boolean),
        sa.Column("score", sa.Double),
        sa.Column("stage", sa.Text),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Double),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("calls", sa.BigInteger, nullable=False),
        sa.Column("cost", sa.Double),
        sa.Column("started", sa.Double, nullable=False),
        sa.Column("ended", sa.Double, nullable=False),
        sa.Column("ended_why", sa.Text),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("no", name="pk_attempts"),
        sa.UniqueConstraint("run_no", "trial", "condition", "exam", name="uq_attempts_run_no_trial_condition_exam"),
        sa.ForeignKeyConstraint(["run_no"], ["runs.no"], name="fk_attempts_run_no", ondelete="CASCADE"),
    )
    op.create_index("ix_attempts_run_no_place_no", "attempts", ["run_no", "place", "no"])
    op.create_index("ix_attempts_run_no_verdict_place_no", "attempts", ["run_no", "verdict", "place", "no"])


_NUMBERED = ("run_no", "trial", "condition", "exam", "number")


def _numbered() -> list[sa.Column[object]]:
    return [
        sa.Column("run_no", sa.Integer, nullable=False),
        sa.Column("trial", sa.Integer, nullable=False),
        sa.Column("condition", sa.Text, nullable=False),
        sa.Column("exam", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    ]
