"""Database tables. A change here needs a new revision in migrations/versions and an increment of NEWEST.

In keys, `trial` precedes `exam`: runs are played trial by trial, so new rows are adjacent in the index, which halves
the cost of a write in a large run.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

NEWEST = 8
"""Schema version that this code reads and writes: the number of the last revision."""

VERSION_TABLE = "proctor_schema"

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)

_big = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER is SQLite's own row number

version = Table(
    VERSION_TABLE,
    metadata,
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),  # as named by Alembic
)

benchmarks = Table(
    "benchmarks",
    metadata,
    Column("no", Integer, primary_key=True),
    Column("digest", Text, nullable=False, index=True),
    Column("content", Text, nullable=False, unique=True),  # digest of the whole body; `digest` covers only the cases
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("created", Double, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("no", Integer, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("benchmark", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("settings", Text, nullable=False),
    Column("labels", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("planned", Integer, nullable=False),
    Column("rescored_from", Text),
    Column("created", Double, nullable=False, index=True),
    Column("started", Double),
    Column("ended", Double),
    Column("seconds", Double, nullable=False),
    Column("wish", Text, key="stop_request"),
    Column("benchmark_no", Integer, ForeignKey("benchmarks.no"), nullable=False),
    Column("turns_no", Integer, nullable=False),  # run whose turns it reads: its own, or one that may be deleted
    Column("writer", Integer, nullable=False, server_default="0"),  # number of its current writer; see lease.py
    Column("holder", Text),  # the process that writes it
    Column("beat", Double),  # the last heartbeat of that process
    Column("facts", Text, nullable=False, server_default="{}"),  # other facts; see rows.RunFacts
    sqlite_autoincrement=True,  # numbers are never reused, since turns may outlive their run
)

turns = Table(
    "turns",
    metadata,
    Column("run_no", Integer, nullable=False),
    Column("trial", Integer, nullable=False),
    Column("condition", Text, nullable=False),
    Column("exam", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("run_no", "trial", "condition", "exam", "number"),
)

drafts = Table(
    "drafts",
    metadata,
    Column("run_no", Integer, ForeignKey("runs.no", ondelete="CASCADE"), nullable=False),
    Column("trial", Integer, nullable=False),
    Column("condition", Text, nullable=False),
    Column("exam", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("run_no", "trial", "condition", "exam", "number"),
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("run_no", Integer, ForeignKey("runs.no", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("stamp", Text, nullable=False),  # how it was counted
    Column("body", LargeBinary, nullable=False),
)

human_labels = Table(
    "human_labels",
    metadata,
    Column("run_no", Integer, ForeignKey("runs.no", ondelete="CASCADE"), nullable=False),
    Column("trial", Integer, nullable=False),
    Column("condition", Text, nullable=False),
    Column("exam", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("passed", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    Column("made", Double, nullable=False),
    Column("seconds", Double),
    PrimaryKeyConstraint("run_no", "trial", "condition", "exam", "who"),
)

judgements = Table(
    "judgements",
    metadata,
    Column("run_no", Integer, ForeignKey("runs.no", ondelete="CASCADE"), nullable=False),
    Column("judge", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("trial", Integer, nullable=False),
    Column("condition", Text, nullable=False),
    Column("exam", Text, nullable=False),
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("run_no", "judge", "repeat", "trial", "condition", "exam"),
)

attempts = Table(
    "attempts",
    metadata,
    Column("no", _big, primary_key=True),
    Column("run_no", Integer, ForeignKey("runs.no", ondelete="CASCADE"), nullable=False),
    Column("trial", Integer, nullable=False),
    Column("condition", Text, nullable=False),
    Column("exam", Text, nullable=False),
    Column("place", BigInteger, nullable=False),
    Column("verdict", Text, nullable=False),  # pass, fail, unscored, agent, environment, open: see rows.verdict_of
    Column("passed", Boolean),
    Column("score", Double),
    Column("stage", Text),  # stage of the failure
    Column("turns", Integer, nullable=False),
    Column("seconds", Double),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("calls", BigInteger, nullable=False),
    Column("cost", Double),
    Column("started", Double, nullable=False),
    Column("ended", Double, nullable=False),
    Column("ended_why", Text),  # `ended` of the transcript
    Column("body", Text, nullable=False),  # see rows.StoredOutcome
    Column("failed_checks", Text),  # one per line, see rows.failed_checks; null: none failed
    UniqueConstraint("run_no", "trial", "condition", "exam"),
    # covering indexes: a deep page of a large run only skips index entries, and reads just the rows it shows
    Index("ix_attempts_by_place", "run_no", "place", "no", "verdict", "stage", "failed_checks"),
    Index("ix_attempts_by_score", "run_no", "score", "place", "no", "verdict"),
    Index("ix_attempts_by_seconds", "run_no", "seconds", "place", "no", "verdict"),
    Index(None, "run_no", "verdict", "place", "no"),
)
