"""Inspect AI scores: choose the deciding scorer of a log and convert the scores of a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.formats.imports.contract import ImportLog
from proctor.formats.imports.fields import mapping, objects
from proctor.score import Part, Review

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def scores_of(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return scorer → its score; old logs have a single, unnamed score."""
    return mapping(sample.get("scores")) or ({"score": sample["score"]} if mapping(sample.get("score")) else {})


def parts_named(name: str, value: Any) -> dict[str, Any]:
    """Name a scorer's values: `scorer` for a single value, `scorer.key` for each of several."""
    return {f"{name}.{key}": each for key, each in value.items()} if isinstance(value, dict) else {name: value}


class Deciders:
    """The scorers of a log and the choice of the one that decides."""

    def __init__(self, header: Mapping[str, Any], scores: Mapping[str, Any]) -> None:
        """`scores` are those of the first scored sample, which show the scorers with several values."""
        self._several = {
            name: [*parts_named(name, score["value"])]
            for name, score in scores.items()
            if isinstance(score, dict) and isinstance(score.get("value"), dict)
        }
        results = mapping(header.get("results"))
        found = [(str(each.get("scorer") or each.get("name")), str(each.get("name"))) for each in
                 objects(results.get("scores"))]  # fmt: skip
        listed = [_bare(str(each.get("name"))) for each in objects(mapping(header.get("eval")).get("scorers"))]
        pairs = found or [(name, name) for name in listed]
        self.names = [*dict.fromkeys(part for pair in pairs for part in self._parts(*pair))]
        headline = mapping(results.get("headline"))
        score_name = str(headline.get("score"))
        self.headline = [
            part for part in self._parts(str(headline.get("scorer") or score_name), score_name) if part in self.names
        ]

    def _parts(self, scorer: str, name: str) -> list[str]:
        """Return the score names an entry of the results refers to; one of several values is named by its key alone."""
        parts = self._several.get(_bare(scorer))
        if parts is None:
            return [name]
        return parts if name == scorer else [f"{_bare(scorer)}.{name}"]

    def choose(self, wanted: str | None, path: Path, *, whole: bool) -> str:
        """Choose the requested score, else the log's headline, else the only one; empty if there are none."""
        if wanted is not None:
            return self._find_scorer(wanted, path)
        if len(self.headline) == 1:
            return self.headline[0]
        if len(self.names) > 1:
            cut = "" if whole else " (it is cut off, and its headline is lost)"
            raise InputError(
                f"{path} has the scorers {', '.join(map(repr, self.names))}, and does not say whose mark decides{cut}",
                terminal="; name one with --scorer NAME",
                page="; import it on the server, where one can be named",
            )
        return self.names[0] if self.names else ""

    def _find_scorer(self, wanted: str, path: Path) -> str:
        """Find a score by its full name, or by scorer or key alone if that is unambiguous."""
        found = [name for name in self.names if wanted == name] or [
            name for name in self.names if name.startswith(f"{wanted}.") or name.endswith(f".{wanted}")
        ]
        if len(found) == 1 or not self.names:
            return found[0] if found else wanted
        listed = ", ".join(map(repr, found or self.names))
        raise InputError(
            f"{path}: --scorer {wanted!r} may be any of {listed}; give the whole name"
            if found
            else f"{path}: there is no scorer {wanted!r}; the log has {listed}"
        )


def _bare(scorer: str) -> str:
    """Return a scorer's name without its package."""
    return scorer.rpartition("/")[2]


def is_off_scale(samples: Iterable[Mapping[str, Any]], decider: str) -> bool:
    """Whether any of the scores is a number outside 0 to 1; on another scale, 1 may be the worst score."""
    for sample in samples:
        for name, score in scores_of(sample).items():
            value = parts_named(str(name), mapping(score).get("value")).get(decider)
            if isinstance(value, bool) or (isinstance(value, str) and value in _GRADES):
                return False
            number = _number(value)
            if number is not None and not 0 <= number <= 1:
                return True
    return False


def _number(value: Any) -> float | None:
    """Convert a value to a float, or return None if it is not a number or is NaN."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return None if isnan(number) else number


def review_of(sample: Mapping[str, Any], decider: str, log: ImportLog, *, off_scale: bool = False) -> Review:
    """Return the scores of a sample; without scores if the deciding one is missing or the sample was invalidated."""
    scores = scores_of(sample)
    if off_scale and scores:
        return Review(unscored=f"the scorer {decider!r} marks on another scale than 0 to 1")
    if (invalid := sample.get("invalidation")) not in (None, False):
        reason = mapping(invalid).get("reason")
        return Review(unscored="the sample was declared invalid there" + (f": {reason}" if reason else ""))
    parts: list[Part] = []
    for name, score in scores.items():
        if isinstance(score, dict):
            parts += _parts_of(str(name), score, log)
    if any(part.name == decider for part in parts):
        return Review(parts=tuple(parts))
    if parts:
        log.leave_out("marks of other scorers, where the one that decides gave none", len(parts))
    why = f"the scorer {decider!r} gave no mark between 0 and 1" if scores else "it was not scored there"
    return Review(unscored=why)


def _parts_of(name: str, score: Mapping[str, Any], log: ImportLog) -> Iterator[Part]:
    why, answer = str(score.get("explanation") or ""), str(score.get("answer") or "")
    if answer and answer not in why:
        why = f"{why}\nanswer: {answer}".strip()
    if changes := score.get("history"):
        log.leave_out("earlier values of scores that were changed", len(changes) if isinstance(changes, list) else 1)
    for part, each in parts_named(name, score.get("value")).items():
        mark = _mark(each)
        if mark is not None:
            yield Part(name=part, value=mark, explanation=why)
        elif each is not None:
            log.leave_out(f"values of the scorer {part!r} that are not a score between 0 and 1")


def _mark(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        if value in _GRADES:
            return _GRADES[value]
        try:
            value = float(value)
        except ValueError:
            return {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}.get(value.casefold())
    return float(value) if isinstance(value, (int, float)) and 0 <= value <= 1 else None
