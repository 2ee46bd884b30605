"""What the journal writes, compiled once per kind of database: a batch is then plain tuples, without per-row work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sqlalchemy import Delete, Dialect, Insert, Table, bindparam, delete

from proctor.storage.rows import ATTEMPT_COLUMNS
from proctor.storage.tables import attempts, drafts, turns

_PLACE = ("run_no", "trial", "condition", "exam")
_NUMBERED = (*_PLACE, "number", "body")


@dataclass(frozen=True, kw_only=True, slots=True)
class SqlStatements:
    """SQL text whose parameters are tuples in the order named."""

    put_turn: str
    """run_no, trial, condition, exam, number, body"""
    put_draft: str
    """The same."""
    put_attempt: str
    """ATTEMPT_COLUMNS"""
    drop_drafts: str
    """run_no, trial, condition, exam"""
    drop_turns_after: str
    """run_no, trial, condition, exam, number"""


_compiled_for: dict[tuple[str, str], SqlStatements] = {}


def statements_for(dialect: Dialect) -> SqlStatements:
    """The statements in this database's words."""
    kind = (dialect.name, dialect.paramstyle)
    if kind not in _compiled_for:
        _compiled_for[kind] = _written(dialect)
    return _compiled_for[kind]


def _written(dialect: Dialect) -> SqlStatements:
    these = delete(drafts).where(*(drafts.c[name] == bindparam(name) for name in _PLACE))
    later = delete(turns).where(
        *(turns.c[name] == bindparam(name) for name in _PLACE), turns.c.number > bindparam("number")
    )
    return SqlStatements(
        put_turn=_upsert(turns, dialect, key=_NUMBERED[:5], columns=_NUMBERED),
        put_draft=_upsert(drafts, dialect, key=_NUMBERED[:5], columns=_NUMBERED),
        put_attempt=_upsert(attempts, dialect, key=_PLACE, columns=ATTEMPT_COLUMNS),
        drop_drafts=_compile_statement(these, dialect, _PLACE),
        drop_turns_after=_compile_statement(later, dialect, _NUMBERED[:5]),
    )


def _upsert(table: Table, dialect: Dialect, *, key: Sequence[str], columns: Sequence[str]) -> str:
    """Insert, or replace all but the key: writing twice changes nothing."""
    insert = _insert(table, dialect)
    replaced = {name: insert.excluded[name] for name in columns if name not in key}
    return _compile_statement(insert.on_conflict_do_update(index_elements=key, set_=replaced), dialect, columns)


def _insert(table: Table, dialect: Dialect) -> Any:
    """Of the database's own dialect, the only one that is imported."""
    return import_module(f"sqlalchemy.dialects.{dialect.name}").insert(table)


def _compile_statement(statement: Insert | Delete, dialect: Dialect, columns: Sequence[str]) -> str:
    compiled = statement.compile(dialect=dialect, column_keys=columns)
    if tuple(getattr(compiled, "positiontup", ())) != tuple(columns):
        raise AssertionError(f"the parameters of {compiled} are not {columns}")
    return str(compiled)
