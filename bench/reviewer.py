"""How well the embedded reviewer agrees with people, beside other judges, and on sets of our own; and how fast it is.

Run from anywhere: `python bench/reviewer.py`. The data stand beside the project, in `../shared/data`; the sets of our
own in `bench/sets`. `--fit` fits the learned head anew and writes it into the package; `--cross-validate` prints its
agreement on questions that it has not seen.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from proctor.benchmark import Case
from proctor.reading.answer import judge, judge_any
from proctor.reading.expected import read_answer
from proctor.reading.question import understand
from proctor.reviewers.embedded import EmbeddedReviewer
from proctor.score import Review
from proctor.transcript import Reply, Turn

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "nq301_dev.jsonl"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that `bench` is found wherever it is run from

from bench import head  # noqa: E402

SETS = Path(__file__).resolve().parent / "sets"
OWN = ("yes_no", "values", "names", "sentences")
LATER = (*(f"{name}_2" for name in OWN), "yes_no_3")
"""Written after the rules by others, harder; every other question was then read to mend them."""
PASSING = 0.7
FOLDS = 10
RESAMPLES = 4000
SEED = 301
IN_VIEW = 53
"""The rules were written with the first so many questions in view; of the rest, with totals and eight answers."""

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_SIGNS = re.compile(r"[^\w\s]")


class Answers(NamedTuple):
    """The data, one row per judged answer."""

    rows: list[dict[str, Any]]
    human: Flags
    question: Integers
    """The number of each row's question, in order of appearance."""


class Agreement(NamedTuple):
    """Accuracy and kappa with 95 % intervals over questions."""

    n: int
    accuracy: float
    kappa: float
    accuracy_interval: tuple[float, float]
    kappa_interval: tuple[float, float]


def read() -> Answers:
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    numbers = {question: number for number, question in enumerate(dict.fromkeys(row["question"] for row in rows))}
    human = np.array([row["human"] == "Yes" for row in rows])
    return Answers(rows, human, np.array([numbers[row["question"]] for row in rows]))


# Judges


def tokens(text: str) -> list[str]:
    return _ARTICLES.sub(" ", _SIGNS.sub("", text.lower())).split()


def f1(reference: str, candidate: str) -> float:
    one, other = tokens(reference), tokens(candidate)
    shared = sum((Counter(one) & Counter(other)).values())
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def contains(reference: str, candidate: str) -> float:
    return float(f" {' '.join(tokens(reference))} " in f" {' '.join(tokens(candidate))} ")


def equals(reference: str, candidate: str) -> float:
    return float(tokens(reference) == tokens(candidate))


def best(answers: Answers, measure: Callable[[str, str], float]) -> Floats:
    return np.array([max(measure(ref, row["candidate"]) for ref in row["references"]) for row in answers.rows])


def embedded(answers: Answers) -> Floats:
    rows = answers.rows
    return np.array([judge_any(row["question"], tuple(row["references"]), row["candidate"]).value for row in rows])


# Agreement


def counts(answers: Answers, verdict: Flags, kept: Flags) -> Floats:
    """Per question: both yes, judge only, human only, both no."""
    table = np.zeros((answers.question.max() + 1, 4))
    cell = np.where(verdict, np.where(answers.human, 0, 1), np.where(answers.human, 2, 3))
    np.add.at(table, (answers.question[kept], cell[kept]), 1)
    return np.asarray(table[table.sum(axis=1) > 0])


def accuracy(table: Floats) -> Floats:
    return np.asarray((table[..., 0] + table[..., 3]) / table.sum(axis=-1))


def kappa(table: Floats) -> Floats:
    total = table.sum(axis=-1)
    ours, theirs = (table[..., 0] + table[..., 1]) / total, (table[..., 0] + table[..., 2]) / total
    chance = ours * theirs + (1 - ours) * (1 - theirs)
    return np.asarray((accuracy(table) - chance) / (1 - chance))


def resampled(per_question: Floats) -> Floats:
    """The summed table of each bootstrap sample of questions; equal seeds draw equal questions."""
    rng = np.random.default_rng(SEED)
    size = len(per_question)
    drawn = rng.multinomial(size, np.full(size, 1 / size), size=RESAMPLES)
    return np.asarray(drawn @ per_question)


def interval(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)


def agreement(answers: Answers, verdict: Flags, kept: Flags | None = None) -> Agreement:
    kept = np.ones(len(verdict), dtype=bool) if kept is None else kept
    table = counts(answers, verdict, kept)
    samples = resampled(table)
    whole = table.sum(axis=0)
    return Agreement(
        n=int(whole.sum()),
        accuracy=float(accuracy(whole)),
        kappa=float(kappa(whole)),
        accuracy_interval=interval(accuracy(samples)),
        kappa_interval=interval(kappa(samples)),
    )


def cross_validated(answers: Answers, score: Floats) -> Flags:
    """Each fold of questions is judged at the threshold that has the best kappa on the other folds."""
    rng = np.random.default_rng(SEED)
    fold = rng.permutation(int(answers.question.max()) + 1)[answers.question] % FOLDS
    verdict = np.zeros(len(score), dtype=bool)
    for number in range(FOLDS):
        held, rest = fold == number, fold != number
        verdict[held] = score[held] >= best_threshold(answers, score, rest)
    return verdict


def best_threshold(answers: Answers, score: Floats, kept: Flags) -> float:
    thresholds = np.unique(score[kept & (score > 0)])
    kappas = [kappa(counts(answers, score >= threshold, kept).sum(axis=0)) for threshold in thresholds]
    return float(thresholds[int(np.argmax(kappas))])


def difference(answers: Answers, one: Flags, other: Flags, kept: Flags) -> tuple[float, float, float]:
    tables = [counts(answers, verdict, kept) for verdict in (one, other)]
    value = float(kappa(tables[0].sum(axis=0)) - kappa(tables[1].sum(axis=0)))
    return value, *interval(kappa(resampled(tables[0])) - kappa(resampled(tables[1])))


# Speed


def seconds(answers: Answers, *, cold: bool) -> float:
    """CPU seconds of one pass over all rows, the best of five."""
    taken = []
    for _ in range(5):
        if cold:
            read_answer.cache_clear()
            understand.cache_clear()
        started = time.process_time()
        embedded(answers)
        taken.append(time.process_time() - started)
    return min(taken)


# Output


def line(name: str, found: Agreement) -> str:
    low, high = found.kappa_interval
    worst, top = found.accuracy_interval
    return (
        f"{name:<44}{found.n:>5}  {found.accuracy:.3f}  {worst:.3f} – {top:.3f}  "
        f"{found.kappa:.3f}  {low:.3f} – {high:.3f}"
    )


def recorded(answers: Answers, column: str) -> tuple[Flags, Flags]:
    said = [row[column] for row in answers.rows]
    return np.array([word == "Yes" for word in said]), np.array([word in ("Yes", "No") for word in said])


def print_own_sets() -> None:
    """Accuracy on the sets of our own, by halves of their questions, with both kinds of error."""
    print(f"\n{'sets of our own':<34}{'n':>5}  {'acc.':<5}  wrong passed  right failed")
    for name in (*OWN, *LATER):
        rows = [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        numbers = {question: place for place, question in enumerate(dict.fromkeys(row["question"] for row in rows))}
        halves = ("read for the rules", "kept aside") if name in LATER else ("first half, read", "second half, read")
        for half, told in enumerate(halves):
            kept = [row for row in rows if numbers[row["question"]] % 2 == half and row["label"] != "unclear"]
            print(f"{name + ', ' + told:<34}{own_line(kept)}")


def print_ordinary(name: str) -> None:
    """Replies as agents give them every day, by kind of answer and by half."""
    rows = [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    print(f"\n{name:<34}{'n':>5}  {'acc.':<5}  wrong passed  right failed")
    for half in ("read", "kept aside"):
        kept = [row for row in rows if row["half"] == half and row["label"] != "unclear"]
        if not kept:
            continue
        for kind in dict.fromkeys(row["set"] for row in rows):
            print(f"{f'{kind}, {half}':<34}{own_line([row for row in kept if row['set'] == kind])}")
        print(f"{f'all, {half}':<34}{own_line(kept)}")


def print_reasoning() -> None:
    """The marks for reasoning and context by what a person says of them."""
    print(f"\n{'reasoning and context':<44}{'n':>5}  mean   1.00   0.00")
    for name in ("reasoning_context", "reasoning_context_2"):
        marks: dict[tuple[str, str], list[float]] = {}
        for row in map(json.loads, (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()):
            for part in asyncio.run(reviewed(row)).parts:
                if part.name in ("reasoning", "context"):
                    marks.setdefault((part.name, row[f"{part.name}_label"]), []).append(part.value)
        for (of, label), values in sorted(marks.items()):
            ones, zeros = sum(value > 0.995 for value in values), sum(value < 0.005 for value in values)
            mean = sum(values) / len(values)
            print(f"{f'{name}, {of} {label}':<44}{len(values):>5}  {mean:.2f}  {ones:>5}  {zeros:>5}")


async def reviewed(row: dict[str, Any]) -> Review:
    case = Case(
        id="a",
        question=row["question"],
        answer=row["expected"],
        reasoning=row["reasoning"] or None,
        context=row["context"] or None,
    )
    return await EmbeddedReviewer().review(
        case, [Turn(number=1, question=row["question"], reply=Reply(text=row["reply"]))]
    )


def print_languages() -> None:
    """The same in other languages; the rules were built on every other question."""
    rows = [json.loads(line) for line in (SETS / "languages.jsonl").read_text(encoding="utf-8").splitlines()]
    numbers = {question: place for place, question in enumerate(dict.fromkeys(row["question"] for row in rows))}
    print(f"\n{'other languages':<24}{'n':>5}  {'acc.':<5}  wrong passed  right failed")
    for half, told in enumerate(("built on", "kept aside")):
        kept = [row for row in rows if numbers[row["question"]] % 2 == half]
        for name in dict.fromkeys(row["language"] for row in rows):
            print(f"{name + ', ' + told:<24}{own_line([row for row in kept if row['language'] == name])}")
        print(f"{'all, ' + told:<24}{own_line(kept)}")


def own_line(rows: list[dict[str, Any]]) -> str:
    passed = [judge(row["question"], row["expected"], row["reply"]).value >= PASSING for row in rows]
    wanted = [row["label"] == "right" for row in rows]
    wrong = sum(ours and not theirs for ours, theirs in zip(passed, wanted, strict=True))
    missed = sum(theirs and not ours for ours, theirs in zip(passed, wanted, strict=True))
    return f"{len(rows):>5}  {1 - (wrong + missed) / len(rows):.3f}  {wrong:>12}  {missed:>12}"


def print_cross_validated(rows: head.Rows) -> None:
    """Kappa at the passing score on questions not seen, by source and system; and how marks and shares agree."""
    marks = head.cross_validated(rows)
    real = ~rows.made
    groups = np.array([row["group"] for row in rows.rows])
    print("\nlearned head, cross-validated by question: kappa at the passing score")
    for source in head.WEIGHTS:
        print(f"  {source:<28}{plain_kappa(rows.right, marks >= PASSING, real & (rows.source == source)):.3f}")
        for group in sorted(set(groups[rows.source == source]) - {""}):
            print(f"    {group:<26}{plain_kappa(rows.right, marks >= PASSING, real & (groups == group)):.3f}")
    hard = rows.made & ~rows.right & (rows.source != "own")
    print(f"  hard negatives below the passing score: {(marks[hard] < PASSING).mean():.3f}")
    print("\nmark           n   right")
    for low in np.arange(0, 1, 0.1):
        here = real & (marks >= low) & (marks < low + 0.1 + (low > 0.85))
        share = rows.right[here].mean() if here.any() else float("nan")
        print(f"{low:.1f} – {low + 0.1:.1f}{here.sum():>7}   {share:.2f}")


def plain_kappa(right: Flags, passed: Flags, kept: Flags) -> float:
    table = [(right & passed & kept).sum(), (~right & passed & kept).sum()]
    table += [(right & ~passed & kept).sum(), (~right & ~passed & kept).sum()]
    return float(kappa(np.array(table, dtype=float)))


def main() -> None:
    wanted = set(sys.argv[1:])
    if not DATA.exists():
        print(
            f"no data: {DATA.name} is not in ../shared/data beside the project; only the sets of our own are measured"
        )
    elif wanted & {"--fit", "--cross-validate"}:
        rows = head.gather()
        print_cross_validated(rows)
        if "--fit" in wanted:
            head.write(rows)
            print(f"written: {head.TARGET.name}, {head.TARGET.stat().st_size:,} bytes")
        return
    else:
        print_nq301()
    print_own_sets()
    print_ordinary("ordinary")
    print_ordinary("ordinary_2")
    print_ordinary("chat")
    print_ordinary("fresh")
    print_reasoning()
    print_languages()


def print_nq301() -> None:
    """Agreement with people on NQ301, beside other judges."""
    answers = read()
    score, overlap = embedded(answers), best(answers, f1)
    ours, by_f1 = score >= PASSING, cross_validated(answers, overlap)
    seen = answers.question < IN_VIEW
    print(f"NQ301, {len(answers.rows)} answers to {answers.question.max() + 1} questions; agreement with people.")
    print(f"95 % intervals: {RESAMPLES} bootstrap samples of questions, seed {SEED}.")
    print(f"Thresholds, where tuned: {FOLDS}-fold cross-validation by question.\n")
    print(f"{'':<44}{'n':>5}  {'acc.':<5}  {'interval':<13}  {'kappa':<5}  interval")
    print(line("exact match", agreement(answers, best(answers, equals) > 0)))
    print(line("reference contained in the answer", agreement(answers, best(answers, contains) > 0)))
    print(line("token F1, cross-validated threshold", agreement(answers, by_f1)))
    print(line(f"embedded reviewer, passing score {PASSING}", agreement(answers, ours)))
    print(line("  threshold cross-validated instead", agreement(answers, cross_validated(answers, score))))
    print(line(f"  questions 1 to {IN_VIEW}, read for the rules", agreement(answers, ours, seen)))
    print(line(f"  questions {IN_VIEW + 1} and later, hardly read", agreement(answers, ours, ~seen)))
    for name, column in (("BEM", "bem"), ("InstructGPT", "instructgpt"), ("GPT-4", "gpt4")):
        print(line(f"{name}, as recorded", agreement(answers, *recorded(answers, column))))
    every = np.ones(len(ours), dtype=bool)
    for name, (other, kept) in {"token F1": (by_f1, every), "BEM": recorded(answers, "bem")}.items():
        value, low, high = difference(answers, ours, other, kept)
        print(f"\nkappa, embedded reviewer minus {name}: {value:+.3f} ({low:+.3f} to {high:+.3f})", end="")
    rows = len(answers.rows)
    cold, warm = rows / seconds(answers, cold=True), rows / seconds(answers, cold=False)
    print(f"\n\njudgements per CPU second: {cold:,.0f} starting afresh, {warm:,.0f} with references read before")


if __name__ == "__main__":
    main()
