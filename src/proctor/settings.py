"""Central table of valid settings, weights, names, labels and paths, whichever interface they come from.

CLI, `proctor.toml`, Python, REST API, forms and suites all validate here, so that they accept the same values.
"""

from __future__ import annotations

import errno
import math
import os
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Literal, get_args

from proctor.errors import Given, InputError, OutputFull, UsageError
from proctor.redaction.shapes import mask_secrets
from proctor.run import ExamType, PlayOrder

LONGEST_NAME = 200
"""Maximum number of characters of a name: of a run, case, category, label or part."""
LONGEST_CRITERION = 20_000
LONGEST_VALUE = 1000
"""Maximum number of characters of a label's value."""
MOST_CRITERIA = 20
MOST_LABELS = 100
MOST_WEIGHTS = 100
_SHOWN = 80
_SHOWN_PATH = 1000
_LONGEST_PATH = 4096
_LONGEST_DIGITS = 400
"""Number of digits beyond which an integer is not printed."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_UNLIKE_START = 0.7
"""Minimum similarity for suggesting a name with a different first letter: `order` is no suggestion for `force`."""
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """Valid range of a number."""

    least: float | None = None
    """Inclusive lower bound; None if `above` is set."""
    above: float | None = None
    """Exclusive lower bound."""
    most: float
    """Inclusive upper bound."""
    whole: bool = False
    """Whether it must be an integer."""
    unit: str = ""
    """Unit, for messages."""

    def holds(self, value: object) -> bool:
        """Whether the value is a number within the bounds; booleans, infinity and NaN are not."""
        if isinstance(value, bool) or not isinstance(value, int if self.whole else (int, float)):
            return False
        low = self.least is None or value >= self.least
        return low and (self.above is None or value > self.above) and value <= self.most

    @property
    def requirement(self) -> str:
        """Description of the valid values, for messages."""
        kind = "a whole number" if self.whole else "a number"
        start = f"above {_written(self.above)}, up to" if self.above is not None else f"from {_written(self.least)} to"
        return f"{kind} {start} {_written(self.most)}{self.unit and f' {self.unit}'}"

    @property
    def as_json(self) -> dict[str, Any]:
        """Bounds as keywords of pydantic and JSON Schema."""
        low = {"gt": self.above} if self.above is not None else {"ge": self.least or 0}
        return {**low, "le": self.most}


NOBODY = "none"
"""Name of the reviewer setting for no reviewer."""
BY_RULES = ("embedded", "exact")
"""Reviewers that judge by rules alone: they make no calls, cost nothing, and cannot score custom criteria."""
DAY = 86_400
SHARE = Bounds(least=0, most=1)
WEIGHT = Bounds(least=0, most=1_000_000)
_OWN_WEIGHT = Bounds(above=0, most=1_000_000)
"""Weight of a criterion; 0 is invalid, as such a criterion need not be asked."""
AMOUNT = Bounds(least=0, most=1_000_000_000)
_COUNT = Bounds(least=1, most=10_000, whole=True)
_RETRIES = Bounds(least=0, most=100, whole=True)
_PROCESSES = Bounds(least=1, most=1000, whole=True)

Door = Literal["command", "config", "python", "api", "form"]
"""Interface for a setting: an option of `proctor run`, `[run]`, `evaluate()`, the REST API, the web form."""
EVERYWHERE: tuple[Door, ...] = get_args(Door)
_TERMINAL: tuple[Door, ...] = ("command", "config")
_BATTLES: tuple[ExamType, ...] = ("abm-static", "abm-dynamic")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSetting:
    """One setting of a run, a number or a word, with its texts for all interfaces."""

    help: str
    """Description, as a sentence without a full stop."""
    default: str
    """Default in words; empty for no limit."""
    bounds: Bounds | None = None
    """Range of a number; None for a word."""
    words: tuple[str, ...] = ()
    """Valid words, if limited."""
    metavar: str = ""
    """Placeholder of its value in `--help`, if not obvious."""
    types: tuple[ExamType, ...] = get_args(ExamType)
    """Exam types that have this setting."""
    comparable: bool = True
    """Whether two runs that differ in it can be compared."""
    doors: tuple[Door, ...] = EVERYWHERE
    label: str = ""
    """Label in the web form."""
    hint: str = ""
    """Hint next to it in the web form."""

    @property
    def kind(self) -> type[int] | type[float] | type[str]:
        """Type of its values."""
        return str if self.bounds is None else int if self.bounds.whole else float


RUN_SETTINGS: Mapping[str, RunSetting] = {
    "type": RunSetting(
        help="standard: every case by itself; abm-static: the rows in one conversation, word for word; "
        "abm-dynamic: each row starts a conversation in which an examiner keeps asking",
        default="standard", words=get_args(ExamType), comparable=False, doors=("command", "config", "python", "api"),
    ),
    "max_turns": RunSetting(
        help="Maximum turns in a conversation, 1 to 50; a longer script is cut into several", default="50",
        bounds=Bounds(least=1, most=50, whole=True), types=_BATTLES, comparable=False,
        label="Maximum turns", hint="1 to 50",
    ),
    "seeds": RunSetting(
        help="Use only the first N seed questions in abm-dynamic", default="all",
        bounds=Bounds(least=1, most=1_000_000, whole=True), types=("abm-dynamic",), comparable=False,
        label="Seed questions", hint="only the first N",
    ),
    "conversation_tokens": RunSetting(
        help="Maximum tokens in one conversation; then it ends", default="",
        bounds=Bounds(least=1, most=10**12, whole=True),
        types=_BATTLES, comparable=False, label="Conversation tokens", hint="the most of one; then it ends",
    ),
    "conversation_seconds": RunSetting(
        help="Maximum time the agent may take in one conversation; then it ends", default="",
        bounds=Bounds(above=0, most=30 * DAY, unit="seconds"), metavar="SECONDS",
        types=_BATTLES, comparable=False, label="Conversation seconds", hint="the most of one; then it ends",
    ),
    "canaries": RunSetting(
        help="Test the judge on replies with a known verdict: standard (30 built in) or a custom file",
        default="none", metavar="FILE|standard|none",
        doors=("command", "config", "python", "api"),
    ),
    "trials": RunSetting(
        help="How many times each case is run", default="1", bounds=_COUNT,
        label="Trials per case", hint="pass@k and pass^k are shown for every k up to this",
    ),
    "k": RunSetting(
        help="The k shown for pass@k and pass^k and used by gates; at most the trials", default="the number of trials",
        bounds=_COUNT, doors=_TERMINAL,
    ),
    "concurrency": RunSetting(
        help="Maximum attempts running at the same time", default="10", bounds=_COUNT, label="Attempts at once",
    ),
    "timeout": RunSetting(
        help="Time limit for one call to an agent or model, in seconds", default="60",
        bounds=Bounds(above=0, most=DAY, unit="seconds"), metavar="SECONDS", label="Seconds per call",
    ),
    "retries": RunSetting(
        help="Retries after an environment failure; the agent's own failures are not retried", default="2",
        bounds=_RETRIES, label="Retries", hint="after environment failures",
    ),
    "retry_agent_failures": RunSetting(
        help="Retries after the agent's own failure", default="0", bounds=_RETRIES,
        comparable=False, doors=("python",),
    ),
    "passing_score": RunSetting(
        help="The score from which a case passes", default="0.7; for a suite what it says", bounds=SHARE,
        comparable=False, label="Passing score", hint="from 0 to 1",
    ),
    "budget": RunSetting(
        help="Maximum total cost of agent, reviewer and examiner; the run pauses when it is reached and can be "
        "resumed with more", default="", bounds=AMOUNT, metavar="AMOUNT",
        label="Budget", hint="maximum total cost",
    ),
    "max_tokens": RunSetting(
        help="Maximum total tokens; the run pauses when they are reached", default="",
        bounds=Bounds(least=0, most=10**15, whole=True), label="Maximum tokens",
    ),
    "workers": RunSetting(
        help="Run in this number of worker processes on this machine",
        default="from [run] in proctor.toml, else this process alone", bounds=_PROCESSES, doors=_TERMINAL,
    ),
    "ray": RunSetting(
        help="Run on a Ray cluster: start one here, find one, or connect to ADDRESS; --workers is the number of actors",
        default="from [run] in proctor.toml", metavar="local|auto|ADDRESS", doors=_TERMINAL,
    ),
    "order": RunSetting(
        help="The order in which cases are asked: as in the file, or shuffled (fixed seed, categories evenly spread)",
        default="file; random with --stop-early", words=get_args(PlayOrder),
        doors=("command", "config", "python", "api"),
    ),
}  # fmt: skip
"""All settings of a run; to add one, add its row here and its field to `Settings`."""
BOUNDS: Mapping[str, Bounds] = {
    **{name: each.bounds for name, each in RUN_SETTINGS.items() if each.bounds is not None},
    "processes": _PROCESSES,
}
"""Setting → range of its number."""


def settings_of(door: Door) -> dict[str, RunSetting]:
    """Return the settings available in an interface."""
    return {name: each for name, each in RUN_SETTINGS.items() if door in each.doors}


def nearest(name: object, known: Iterable[str], *, alike: float = 0.6) -> str:
    """Return the most similar known name, or "" if none is similar enough; more so if its first letter differs."""
    wanted = str(name)
    found = next(iter(get_close_matches(wanted, list(known), n=1, cutoff=alike)), "")
    begins_alike = found[:1].lower() == wanted[:1].lower()
    return found if begins_alike or get_close_matches(wanted, [found], cutoff=max(alike, _UNLIKE_START)) else ""


def did_you_mean(name: object, known: Iterable[str], *, otherwise: str | None = None) -> str:
    """Suggest the nearest known name, or else return `otherwise` or a list of all."""
    names = list(known)
    if near := nearest(name, names):
        return f"did you mean {near!r}?"
    return known_are(names) if otherwise is None else otherwise


def known_are(names: Iterable[str]) -> str:
    """List the known names, or say that there are none."""
    listing = ", ".join(names)
    return f"expected one of {listing}" if listing else "there are none here"


_OPTIONS = {"conditions": "--condition", "kind": "--agent-kind", "labels": "--label"}
"""Setting → its command-line option, if named differently."""


def given(name: str, value: object) -> Given:
    """Describe a setting and its value for error messages, with its name in each interface."""
    row = RUN_SETTINGS.get(name)
    words = name.replace("_", " ")
    label = row.label if row is not None and row.label else words[:1].upper() + words[1:]
    typed = ",".join(f"{part}={each}" for part, each in value.items()) if isinstance(value, Mapping) else ""
    return Given(name=name, value=shown(value), option=option_of(name), label=label, typed=typed[:_SHOWN])


def option_of(name: str) -> str:
    """Return the command-line option of a setting."""
    return _OPTIONS.get(name, f"--{name.replace('_', '-')}")


def check_setting(name: str, value: object) -> None:
    """Refuse a number or a word that a setting may not have."""
    if (bounds := BOUNDS.get(name)) is not None and not bounds.holds(value):
        raise UsageError(given(name, value), f" is not usable; expected {bounds.requirement}")
    words = RUN_SETTINGS[name].words if name in RUN_SETTINGS else ()
    if words and value not in words:
        raise UsageError(given(name, value), f" is not known; expected {', '.join(words[:-1])} or {words[-1]}")


def check_weights(weights: object) -> None:
    """Raise if weights are all 0 or out of range."""
    if not isinstance(weights, Mapping):
        raise UsageError(given("weights", weights), " are not usable; expected a dict such as {'correctness': 1}")
    if len(weights) > MOST_WEIGHTS:
        raise UsageError(f"there are {len(weights):,} weights; expected at most {MOST_WEIGHTS}")
    for name, weight in weights.items():
        check_name("a part to weigh", name)
        check_weight(name, weight)
    if weights and sum(weights.values()) <= 0:
        raise UsageError(given("weights", dict(weights)), " are all 0; give at least one part a positive weight")


def check_weight(name: str, weight: Any) -> None:
    """Refuse a weight that no number can weigh."""
    if not WEIGHT.holds(weight) or 0 < weight < 1 / WEIGHT.most:
        wanted = f"a number of at least 0: 0 itself, or {_written(1 / WEIGHT.most)} to {_written(WEIGHT.most)}"
        raise UsageError(f"the weight {name}={shown(weight)} is not usable; expected {wanted}")


def check_name(what: str, name: object, *, most: int = LONGEST_NAME) -> None:
    """Raise InputError if a name cannot be shown on one line, stored in any database and sent to other systems."""
    if not isinstance(name, str):
        raise InputError(f"{what} is {shown(name)}; expected text")
    if not name.strip():
        raise InputError(f"{what} is empty; expected a name, or nothing at all")
    if len(name) > most:
        raise InputError(f"{what} has {len(name):,} characters ({shown(name)}); expected at most {most:,}")
    if (wrong := unfit(name, one_line=True)) is not None:
        raise InputError(f"{what} holds {wrong} ({shown(name)}); remove it")


def why_no_criterion(name: object) -> str | None:
    """Return why a name is invalid for a criterion, or None: it has to be usable as a key of the model's answer."""
    if isinstance(name, str) and name.isidentifier() and not name.startswith("_") and not name.endswith("_explanation"):
        return None
    return f"a criterion cannot be called {shown(name)}; expected a word of letters, digits and _, such as tone"


def read_criterion(name: object, value: object) -> tuple[str, float | None]:
    """Parse a custom criterion, a text or `{asks, weight}`, and return its text and its weight if it has one."""
    if (wrong := why_no_criterion(name)) is not None:
        raise InputError(wrong)
    asks, weight = (value.get("asks"), value.get("weight")) if isinstance(value, Mapping) else (value, None)
    if isinstance(value, Mapping) and (unknown := sorted(value.keys() - {"asks", "weight"}, key=str)):
        raise InputError(f"the criterion {name!r} has an unknown key {unknown[0]!r}; expected 'asks' or 'weight'")
    if not isinstance(asks, str) or not asks.strip() or len(asks) > LONGEST_CRITERION:
        raise InputError(
            f"the criterion {name!r} says {shown(asks)}; expected a text of 1 to {LONGEST_CRITERION:,} characters"
        )
    if weight is not None and not _OWN_WEIGHT.holds(weight):
        raise InputError(
            f"the criterion {name!r} has weight={shown(weight)}; expected {_OWN_WEIGHT.requirement}, or none at all"
        )
    return asks.strip(), None if weight is None else float(weight)


def check_labels(labels: object) -> None:
    """Raise if there are too many labels, if they cannot be shown and stored, or if they hold a secret."""
    if not isinstance(labels, Mapping):
        raise InputError(given("labels", labels), " are not usable; expected a dict such as {'commit': '1a2b3c4'}")
    if len(labels) > MOST_LABELS:
        raise InputError(f"there are {len(labels):,} labels; expected at most {MOST_LABELS}")
    for name, value in labels.items():
        check_name("a label's name", name)
        if not isinstance(value, str):
            raise InputError(f"the label {name} is {shown(value)}; expected a text, such as {str(value)!r}")
        if value != "":
            check_name(f"the label {name}", value, most=LONGEST_VALUE)
        if mask_secrets(f"{name}={value}")[1]:
            raise InputError(f"the label {name} holds a secret, and it is stored with the run: leave it out")


def check_path(what: str, path: str | os.PathLike[str]) -> None:
    """Raise if no system could open the path: it is empty, holds a NUL, or is too long."""
    text = os.fspath(path)
    if not text.strip():
        raise InputError(f"{what} is empty; give a path, or leave it out")
    if "\0" in text:
        raise InputError(f"{what} holds a NUL character ({shown(text)}), which no path can; remove it")
    if len(text) > _LONGEST_PATH:
        raise InputError(f"{what} has {len(text):,} characters; expected a path of at most {_LONGEST_PATH:,}")


def shown_path(path: str | os.PathLike[str]) -> str:
    """Format a path for a message, in full if possible."""
    return shown(os.fspath(path), _SHOWN_PATH)


def unwritable(path: str | os.PathLike[str], error: OSError) -> UsageError:
    """Return the error for a file that cannot be written, distinguishing an invalid place from a full disk."""
    message = f"cannot write {shown_path(path)}: {error.strerror or error}"
    if error.errno in _FULL:
        return OutputFull(f"{message}; make room, or choose another place")
    return InputError(f"{message}; choose another place")


def unfit(text: str, *, one_line: bool = False) -> str | None:
    """Describe the first character that cannot be stored everywhere, or shown on one line; None if all can."""
    if text.isprintable():  # true for nearly all texts
        return None
    if (nul := text.find("\0")) >= 0:
        return f"a NUL character as character {nul + 1}"
    if half := _HALF.search(text):
        return f"half a character (U+{ord(half[0]):04X}) as character {half.start() + 1}"
    if one_line and len(lines := f"{text}.".splitlines()) > 1:
        return f"a line break as character {len(lines[0]) + 1}"
    return None


@lru_cache(maxsize=2048)
def why_no_pattern(pattern: str) -> str | None:
    """Return why a text is not a valid regular expression, or None if it is."""
    import regex

    try:
        compile_pattern(pattern, folded=False)
    except (regex.error, OverflowError, RecursionError, MemoryError, ValueError) as error:
        return str(error) or type(error).__name__
    return None


@lru_cache(maxsize=2048)
def compile_pattern(pattern: str, *, folded: bool) -> Any:
    """Compile a user's pattern with the `regex` module, which supports timeouts; `folded` ignores case."""
    import regex

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # FutureWarning about syntax whose meaning may change
        return regex.compile(pattern, regex.IGNORECASE if folded else 0)


def shown(value: object, most: int = _SHOWN) -> str:
    """Format any value for a message: short, on one line."""
    if isinstance(value, int) and value.bit_length() > 4 * _LONGEST_DIGITS:
        return "a number of more than 400 digits"
    try:
        text = repr(value[:most] if isinstance(value, str) else value)
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _written(number: float | None) -> str:
    if number is None:
        return "any"
    return f"{number:,.0f}" if number == math.floor(number) else f"{number:f}".rstrip("0")
