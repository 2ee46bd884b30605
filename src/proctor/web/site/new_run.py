"""Parse the "new run" form: values → requested run, with an error message per field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlencode

from proctor.errors import ProctorError
from proctor.settings import check_setting, check_weight, settings_of
from proctor.web.site.forms import read_criteria, read_decimal, read_whole
from proctor.web.site.start import NewRuns
from proctor.workflows.gates import read_gates
from proctor.workflows.settings import WEIGHED_PARTS

SETTINGS = settings_of("form")
"""Those of the table that the form has: a number is typed, a word is chosen."""
_WEIGHT = "weight."
FIELDS = (
    "benchmark", "version", "type", "agent", "beside", "reviewer", "second", "panel", "criteria", "canaries",
    "examiner", "checks", "gates", "stop_early", "name", "labels", "condition", *SETTINGS,
    *(f"{_WEIGHT}{part}" for part in WEIGHED_PARTS),
)  # fmt: skip
"""All fields of the form."""


class Choices(Protocol):
    """Interface of a form from which judges are read."""

    def text(self, name: str) -> str:
        """Return a field's value."""

    def texts(self, name: str) -> Sequence[str]:
        """Return all values of a field."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewRunForm:
    """The "new run" form as filled in."""

    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Return a field's value."""
        return (self.fields.get(name) or ("",))[-1]

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all values of a field."""
        return self.fields.get(name, ())

    def query(self) -> str:
        """Return the form as a URL query."""
        return urlencode([(name, value) for name, values in self.fields.items() for value in values])

    @property
    def type(self) -> str:
        """Type of the exams, by default standard."""
        return self.text("type") or "standard"


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedNewRun:
    """The parsed form."""

    wanted: NewRuns
    troubles: Mapping[str, str]
    """Field → error message."""


def read_form(pairs: Iterable[tuple[str, str]]) -> NewRunForm:
    """Read the form from key-value pairs; empty and unknown fields are ignored."""
    fields: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        if name in FIELDS and value.strip():
            fields[name] = (*fields.get(name, ()), value.strip())
    return NewRunForm(fields=fields)


def understand(asked: NewRunForm, usual: Callable[[], Sequence[str]]) -> ParsedNewRun:
    """Parse the form; `usual` are the judges used if none is named.

    Fields that do not apply to the chosen type, and are hidden, are ignored.
    """
    troubles: dict[str, str] = {}
    settings: dict[str, Any] = {"type": asked.type, **dict(_settings(asked, troubles))}
    if asked.text("canaries"):
        settings["canaries"] = asked.text("canaries")
    wanted = NewRuns(
        benchmark=asked.text("benchmark"),
        version=asked.text("version") or None,
        agents=tuple(dict.fromkeys((asked.text("agent"), *asked.texts("beside")))),
        reviewers=judges_of(asked, usual),
        criteria=dict(read_criteria(asked.text("criteria"), troubles)),
        examiner=(asked.text("examiner") or None) if asked.type == "abm-dynamic" else None,
        conditions=asked.texts("condition"),
        checks=asked.text("checks") or None,
        gates=tuple(line.strip() for line in asked.text("gates").splitlines() if line.strip()),
        stop_early={"yes": True, "no": False}.get(asked.text("stop_early")),
        name=asked.text("name") or None,
        labels=dict(read_labels(asked.text("labels"), troubles)),
        settings=settings,
    )
    _note("gates", lambda: read_gates(wanted.gates), troubles)
    return ParsedNewRun(wanted=wanted, troubles=troubles)


def _note(field: str, check: Callable[[], object], troubles: dict[str, str]) -> None:
    """What a check finds wrong with a field is noted, so that all of a form is told at once."""
    try:
        check()
    except ProctorError as error:
        troubles[field] = error.on_page


def judges_of(form: Choices, usual: Callable[[], Sequence[str]]) -> tuple[str, ...]:
    """Return the judges: the reviewer, with the second one for unsure cases, and the others of a panel."""
    first, second, panel = form.text("reviewer"), form.text("second"), form.texts("panel")
    if second:
        first = f"{first or 'embedded'},{second}"
    named = (first,) if first else usual() if panel else ()
    return tuple(dict.fromkeys((*(name for name in named if name != "none" or not panel), *panel)))


def _settings(asked: NewRunForm, troubles: dict[str, str]) -> Iterator[tuple[str, Any]]:
    for name, each in SETTINGS.items():
        if asked.type not in each.types or not asked.text(name):
            continue
        if each.kind is str:
            yield name, asked.text(name)
        elif (number := read_number(name, asked.text(name), each.kind, troubles)) is not None:
            _note(name, partial(check_setting, name, number), troubles)
            yield name, number
    if weights := dict(_weights(asked, troubles)):
        yield "weights", weights


def _weights(asked: NewRunForm, troubles: dict[str, str]) -> Iterator[tuple[str, float]]:
    for part in WEIGHED_PARTS:
        name = f"{_WEIGHT}{part}"
        if asked.text(name) and (weight := read_number(name, asked.text(name), float, troubles)) is not None:
            _note(name, partial(check_weight, part, weight), troubles)
            yield part, weight


def read_number(name: str, text: str, kind: type, troubles: dict[str, str]) -> float | None:
    """Parse a number; add a message to `troubles` if it is invalid."""
    try:
        return read_whole(text) if kind is int else read_decimal(text)
    except ValueError as error:
        troubles[name] = str(error)
        return None


def read_labels(text: str, troubles: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Labels as they are typed, one per line; what is wrong with them is noted."""
    met: set[str] = set()
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if not line.strip():
            continue
        if not equals or not name.strip():
            troubles["labels"] = f"{line[:60]!r} is not a label; write name=value, one per line"
        elif name.strip() in met:
            troubles["labels"] = f"the label {name.strip()[:60]!r} appears twice; give it one value"
        met.add(name.strip())
        yield name.strip(), value.strip()


def written_labels(labels: Mapping[str, str]) -> str:
    """Format labels as they would be typed."""
    return "\n".join(f"{name}={value}" for name, value in labels.items())
