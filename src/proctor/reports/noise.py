"""Phrase a judge's own noise, and render it as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proctor.findings.run.noise import NoiseFinding, NoiseOption
from proctor.reports import numbers
from proctor.reports.numbers import points
from proctor.reports.values import estimate
from proctor.statistics.noise import NoiseComponents

_WHOSE = {"cases": "the cases", "trials": "the agent's trials", "judgements": "the judge"}


def noise_sentences(noise: NoiseFinding) -> Iterator[str]:
    """State how often the judge contradicts itself, where the uncertainty lies, and how to reduce it cheaply."""
    if noise.flips is None or noise.flips.value is None:
        yield (
            f"{noise.judge} was asked again, but of no reply it gave {noise.repeats} verdicts: nothing can be said of "
            "its noise."
        )
        return
    rate_text = numbers.say(noise.flips)
    yield (
        f"Asked {noise.repeats} times about {numbers.plural(noise.replies, 'reply').replace('replys', 'replies')}, "
        f"{noise.judge} gives two verdicts that differ with a chance of {rate_text.value} ({rate_text.interval})"
        f"{_left_out(noise)}."
    )
    if noise.verdicts is None:
        yield f"With {numbers.plural(noise.flips.n, 'case')} this cannot be separated from the cases: judge at least 3."
        return
    yield _shares(noise.verdicts, noise.size.cases, noise.size.trials)
    if advice := _advice(noise):
        yield advice


def _left_out(noise: NoiseFinding) -> str:
    return f"; {numbers.whole(noise.left_out)} more were not judged each time" if noise.left_out else ""


def _shares(parts: NoiseComponents, cases: int, trials: int) -> str:
    """Describe the sources of the variance of the pass rate, with their shares."""
    known = {"cases": (parts.cases.value or 0.0) / cases}
    if parts.trials is not None:
        known["trials"] = (parts.trials.value or 0.0) / (cases * trials)
    known["judgements"] = (parts.judgements.value or 0.0) / (cases * trials)
    total = sum(known.values())
    if not total:
        return "Nothing varies: every judgement of every reply is the same."
    shares_text = ", ".join(
        f"{_name_of(name, parts)} {numbers.percent(share / total)}" for name, share in known.items()
    )
    lost = " and ".join(_WHOSE[name] for name in parts.negative)
    none = f"; the part of {lost} came out below 0, too small to be seen, and counts as 0" if lost else ""
    return f"What makes the pass rate uncertain: {shares_text}{none}."


def _name_of(name: str, parts: NoiseComponents) -> str:
    if name == "cases" and parts.trials is None:
        return "cases and trials together"
    return _WHOSE[name]


def _advice(noise: NoiseFinding) -> str:
    options = {option.add: option for option in noise.options}
    if noise.cheapest is None or noise.half_width is None:
        return ""
    first = options[noise.cheapest]
    advice = (
        f"Cheapest to make it surer: {_say_doubled(noise.cheapest, first, noise)}; now it is {_width(noise.half_width)}"
    )
    here = noise.cheapest_here
    if here is not None and here != noise.cheapest:
        advice += f". With these cases: {_say_doubled(here, options[here], noise)}"
    if "trials" not in options:
        advice += ". What more trials would do is not known, as each case was tried once"
    return f"{advice}."


def _say_doubled(what: str, option: NoiseOption, noise: NoiseFinding) -> str:
    takes = (
        f"at a further cost of {numbers.cost(option.extra)}"
        if noise.unit == "cost"
        else f"for {numbers.plural(round(option.extra), 'more call')}"
    )
    return f"twice as many {what} make it {_width(option.half_width)} {takes}"


def _width(half: float) -> str:
    return f"± {points(half)}"


def as_dict(noise: NoiseFinding) -> dict[str, Any]:
    """Return the noise of a judge as JSON. Keys may be added, but not removed."""
    return {
        "judge": noise.judge,
        "repeats": noise.repeats,
        "replies": noise.replies,
        "left_out": noise.left_out,
        "flip_rate": None if noise.flips is None else estimate(noise.flips),
        "variance": _components(noise.verdicts),
        "variance_of_marks": _components(noise.marks),
        "half_width": noise.half_width,
        "twice": {option.add: {"half_width": option.half_width, "extra": option.extra} for option in noise.options},
        "unit": noise.unit,
        "cheapest": noise.cheapest,
        "cheapest_with_these_cases": noise.cheapest_here,
    }


def _components(parts: NoiseComponents | None) -> dict[str, Any] | None:
    if parts is None:
        return None
    return {
        "cases": estimate(parts.cases),
        "trials": None if parts.trials is None else estimate(parts.trials),
        "judgements": estimate(parts.judgements),
        "negative": list(parts.negative),
    }
