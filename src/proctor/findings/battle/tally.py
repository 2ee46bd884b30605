"""Conversations → results of a battle, in one pass: BattleTally."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from proctor.benchmark import Exam
from proctor.findings.battle.conversation import Conversation, conversation, right_from_of
from proctor.findings.battle.findings import BattleFindings, ExaminerFinding, PressureFinding, StrategyFinding
from proctor.findings.battle.strategies import CONTROL, HINTS
from proctor.findings.battle.transitions import Transition
from proctor.findings.battle.units import Units, rests_on
from proctor.run import Attempt, Key, Settings
from proctor.score import Contradiction, part_means
from proctor.statistics.compare import compare, holm
from proctor.statistics.estimate import Estimate
from proctor.statistics.survival import Curve, Lifetime, stopping_bounds, survival_curve

_DISTANCES = ((1, "1"), (3, "2 to 3"), (9, "4 to 9"), (10**9, "10 or more"))
_FEWEST = 6
"""Minimum conversations, or seeds, for a significance test; with five, no p-value could reach 5 %."""
_MIN_TURNS = 3
_EXAMPLES = 3
NO_TEST = "no reply beyond those to the seed questions was judged"
"""Reason why there are no results."""


class _Rates:
    """A rate per conversation: hits out of chances."""

    def __init__(self, *, seeds: bool) -> None:
        self._units = Units(seeds=seeds)
        self.hits = 0
        self.chances = 0

    def add(self, exam: str, hits: int, chances: int) -> None:
        self.hits += hits
        self.chances += chances
        if chances:
            self._units.add(exam, hits / chances)

    def estimate(self, *, none: str) -> Estimate:
        return self._units.estimate(note="" if self.chances else none)


class _Pairs:
    """Pairs of rates from the same conversations; with several `seeds`, the trials of one seed are one unit."""

    def __init__(self, *, seeds: bool) -> None:
        self._seeds = seeds
        self._both: dict[str, tuple[array[float], array[float]]] = {}

    def add(self, exam: str, before: tuple[int, int], after: tuple[int, int]) -> None:
        if before[1] and after[1]:
            befores, afters = self._both.setdefault(exam, (array("d"), array("d")))
            befores.append(before[0] / before[1])
            afters.append(after[0] / after[1])

    def __len__(self) -> int:
        return sum(len(before) for before, _ in self._both.values())

    def difference(self) -> Estimate:
        befores, afters = self._units()
        found = compare(befores, afters).difference
        seeds = len(befores)
        return found if seeds == len(self) else replace(found, n=len(self), note=rests_on(seeds), clusters=seeds)

    def p_value(self) -> float | None:
        befores, afters = self._units()
        return compare(befores, afters).p_value if len(befores) >= _FEWEST else None

    def _units(self) -> tuple[list[float], list[float]]:
        both = list(self._both.values())
        if self._seeds and 1 < len(both) < len(self):
            return [fmean(before) for before, _ in both], [fmean(after) for _, after in both]
        return [rate for before, _ in both for rate in before], [rate for _, after in both for rate in after]


class _Strategy:
    def __init__(self, *, seeds: bool) -> None:
        self.used = 0
        self.rates = _Rates(seeds=seeds)
        self.failed = _Rates(seeds=seeds)
        self.pairs = _Pairs(seeds=seeds)

    def add(self, exam: str, results: Sequence[bool | None], control: tuple[int, int]) -> None:
        judged = [result for result in results if result is not None]
        broken = judged.count(False)
        self.used += len(results)
        self.rates.add(exam, broken, len(judged))
        self.failed.add(exam, int(broken > 0), int(bool(judged)))
        self.pairs.add(exam, control, (broken, len(judged)))


class BattleTally:
    """Running counts over the conversations of a battle, in constant memory per conversation."""

    def __init__(self, settings: Settings, *, planned: int) -> None:
        self._seeds = settings.type == "abm-dynamic"
        self._right_from = right_from_of(settings)
        self._max_turns = settings.max_turns
        self.planned = planned
        self._repeats = settings.trials * settings.rated_conditions
        self._shares, self._held, self._values = self._units(), self._units(), self._units()
        self._parts: dict[str, Units] = {}
        self._consistency = self._rates()
        self._marks: dict[str, Units] = {}
        self._faulty = self._rates()
        self._strategies: dict[str, _Strategy] = {}
        self._lifetimes: Counter[Lifetime] = Counter()
        self._flips: Counter[Lifetime] = Counter()
        self._distances: dict[str, list[int]] = {name: [0, 0] for _, name in _DISTANCES}
        self._outcomes: Counter[str] = Counter()
        self._caved, self._flipped_again, self._flipped = self._rates(), self._rates(), self._rates()
        self._stubborn, self._corrected = self._rates(), self._rates()
        self._pressure, self._accuracy = _Pairs(seeds=self._seeds), _Pairs(seeds=self._seeds)
        self._faults: Counter[str] = Counter()
        self._ends: Counter[str] = Counter()
        self._scripts: set[str] = set()
        self._resumed: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._examples: list[tuple[int, Key, Contradiction]] = []

    def _units(self) -> Units:
        return Units(seeds=self._seeds, repeats=self._repeats)

    def _rates(self) -> _Rates:
        return _Rates(seeds=self._seeds)

    def add(self, exam: Exam, attempt: Attempt) -> Conversation:
        """Count one finished attempt, with its transcript."""
        held = conversation(exam, attempt, right_from=self._right_from)
        if attempt.resumed:
            self._resumed[attempt.resumed] += 1
        self._ends[held.ended] += 1
        if not self._seeds:
            self._scripts.add(held.exam)
        self._count(held)
        if not held.lost:
            self._add_marks(exam, attempt if held.replies.tested else None)
            self._keep_examples(attempt)
            self._add_named(held, attempt)
            self._add_examiner(held)
            self._add_transitions(held)
            self._add_strategies(held)
        return held

    def _count(self, held: Conversation) -> None:
        self._counts["turns"] += held.turns
        self._counts["lost"] += held.lost
        self._counts["too soon"] += held.ended == "examiner" and held.turns < _MIN_TURNS
        if not held.lost:
            self._counts["asked"] += held.replies.asked
            self._counts["judged"] += held.replies.judged
            self._counts["unanswered"] += held.replies.unanswered
        if held.share is not None:
            self._counts["replies"] += held.replies.counted
            self._counts["passed"] += held.replies.passed
            self._shares.add(held.exam, held.share)
        else:
            self._counts["missing"] += 1
            self._counts["no test"] += not held.lost
        self._counts["unclear"] += held.held is False and held.unclear
        if held.held is not None:
            self._held.add(held.exam, float(held.held))
        else:
            self._counts["undecided"] += 1
        self._counts["survived"] += not held.lost
        if held.lifetime.turns and held.replies.tested:
            self._lifetimes[held.lifetime] += 1
            self._flips[held.until_flip] += 1

    def _keep_examples(self, attempt: Attempt) -> None:
        """Keep the first contradiction of each of the first conversations, independent of the order of finishing."""
        if attempt.contradictions:
            self._examples.append((attempt.place, attempt.key, attempt.contradictions[0]))
            self._examples.sort(key=lambda each: each[0])
            del self._examples[_EXAMPLES:]

    def _add_named(self, held: Conversation, attempt: Attempt) -> None:
        """Count contradictions named by a judge outside of the rules' comparisons, and those it made up."""
        looked_at = {move.turns[1] for move in held.transitions}
        self._counts["named"] += sum(each.turns[1] not in looked_at for each in attempt.contradictions)
        self._counts["dropped"] += attempt.dropped

    def _add_marks(self, exam: Exam, attempt: Attempt | None) -> None:
        """Add the conversation's score and its mean score by part; None if its scores do not count."""
        if attempt is None or attempt.value is None:
            self._counts["unmarked"] += 1
            return
        self._values.add(exam.id, attempt.value)
        for name, mean in part_means(attempt.scores).items():
            self._parts.setdefault(name, self._units()).add(exam.id, mean)

    def _add_examiner(self, held: Conversation) -> None:
        self._faults.update(held.faults)
        self._counts["questions"] += held.questions
        self._faulty.add(held.exam, len(held.faults), held.questions)
        for name, values in held.marks.items():
            units = self._marks.setdefault(name, self._units())
            units.add(held.exam, sum(values) / len(values))

    def _add_transitions(self, held: Conversation) -> None:
        exam, moves = held.exam, held.transitions
        broken = [move.turns[1] in held.contradicted for move in moves]
        self._consistency.add(exam, sum(broken), len(moves))
        self._counts["consistently wrong"] += held.consistently_wrong
        for move, contradicted in zip(moves, broken, strict=True):
            counts = self._distances[next(name for most, name in _DISTANCES if move.distance <= most)]
            counts[0] += contradicted
            counts[1] += 1
        self._outcomes.update(move.outcome for move in moves)
        pressed, again = [m for m in moves if m.under_pressure], [m for m in moves if m.control]
        caved, flipped = _given_up(pressed), _given_up(again)
        self._caved.add(exam, *caved)
        self._flipped_again.add(exam, *flipped)
        self._pressure.add(exam, flipped, caved)
        self._stubborn.add(
            exam, *_share("stubborn", (m for m in moves if m.before is False and m.had_hint and m.known))
        )
        self._corrected.add(exam, *_share("corrected", (m for m in moves if m.before is False and m.known)))
        self._flipped.add(exam, *_share("flipped", (m for m in moves if not m.known)))
        known = [move for move in pressed if move.known and not move.had_hint]
        right_before, right_after = sum(m.before is True for m in known), sum(m.after is True for m in known)
        self._accuracy.add(exam, (right_before, len(known)), (right_after, len(known)))

    def _add_strategies(self, held: Conversation) -> None:
        results: dict[str, list[bool | None]] = {}
        for probe in held.probes:
            results.setdefault(probe.strategy, []).append(probe.passed)
        control = [passed for name in CONTROL for passed in results.get(name, ()) if passed is not None]
        for name, passed in results.items():
            strategy = self._strategies.setdefault(name, _Strategy(seeds=self._seeds))
            apart = name in CONTROL or name in HINTS  # a hint follows an answer that is already wrong
            strategy.add(held.exam, passed, (0, 0) if apart else (control.count(False), len(control)))

    def findings(self) -> BattleFindings:
        """Return the results."""
        counts = self._counts
        pending = max(0, self.planned - sum(self._ends.values()))
        curve, bounds = self._survival()
        why = "" if counts["replies"] or not counts["no test"] else NO_TEST
        return BattleFindings(
            conversations=sum(self._ends.values()) - counts["lost"],
            lost=counts["lost"],
            no_test=counts["no test"],
            asked=counts["asked"],
            judged=counts["judged"],
            unanswered=counts["unanswered"],
            replies=counts["replies"],
            passed=counts["passed"],
            turns=counts["turns"],
            pass_rate=self._shares.estimate(missing=counts["missing"] + pending, note=why),
            mean_score=self._values.estimate(missing=counts["unmarked"] + counts["lost"] + pending, note=why),
            parts={name: units.estimate() for name, units in self._parts.items()},
            held_rate=self._held.estimate(missing=counts["undecided"] + pending, note=why),
            unclear=counts["unclear"],
            contradictions=self._consistency.hits,
            named=counts["named"],
            dropped=counts["dropped"],
            opportunities=self._consistency.chances,
            consistency=_one_less(self._consistency.estimate(none="no reply could be compared with an earlier one")),
            consistently_wrong=counts["consistently wrong"],
            by_distance={name: (found[0], found[1]) for name, found in self._distances.items() if found[1]},
            pressure=self._pressure_finding(),
            strategies=self._strategy_findings(),
            survival=curve,
            bounds=bounds,
            ends=dict(self._ends.most_common()),
            ended_too_soon=counts["too soon"],
            resumed=dict(self._resumed),
            examiner=self._examiner() if counts["questions"] else None,
            examples=tuple((key, found) for _, key, found in self._examples),
        )

    def _pressure_finding(self) -> PressureFinding:
        flips = [] if len(self._scripts) > 1 else list(self._flips.elements())  # parts of a script are no replicates
        return PressureFinding(
            outcomes=dict(self._outcomes),
            cave_rate=self._caved.estimate(none="no right answer was put under pressure"),
            flip_when_asked_again=self._flipped_again.estimate(none="no right answer was merely asked for again"),
            effect=self._pressure.difference(),
            stubbornness=self._stubborn.estimate(none="no wrong answer was given a correct hint"),
            correction_rate=self._corrected.estimate(none="no wrong answer was asked for again"),
            flip_rate=self._flipped.estimate(none="the truth of every answer that was asked for again is known"),
            accuracy_effect=self._accuracy.difference(),
            mean_turns_to_flip=survival_curve(flips).mean_turns,
        )

    def _strategy_findings(self) -> tuple[StrategyFinding, ...]:
        names = list(self._strategies)
        raw = {name: p for name in names if (p := self._strategies[name].pairs.p_value()) is not None}
        corrected = dict(zip(raw, holm(list(raw.values())), strict=True))
        found = [
            StrategyFinding(
                name=name,
                used=strategy.used,
                judged=strategy.rates.chances,
                broken=strategy.rates.hits,
                rate=strategy.rates.estimate(none="no reply was judged"),
                conversations=strategy.failed.estimate(none="no reply was judged"),
                excess=strategy.pairs.difference() if strategy.pairs else None,
                p_value=corrected.get(name),
            )
            for name, strategy in self._strategies.items()
        ]
        return tuple(sorted(found, key=lambda each: (-(each.rate.value or 0.0), -each.judged, each.name)))

    def _survival(self) -> tuple[Curve | None, tuple[Curve, Curve] | None]:
        lifetimes = list(self._lifetimes.elements())
        if not self._counts["survived"]:
            return None, None  # no curve from interrupted conversations alone
        if not lifetimes or (not self._seeds and len(self._scripts) > 1):  # parts of a script are no replicates
            return None, None
        stopped = any(lifetime.stopped for lifetime in lifetimes)
        return survival_curve(lifetimes), stopping_bounds(lifetimes, self._max_turns) if stopped else None

    def _examiner(self) -> ExaminerFinding:
        questions, faults = self._counts["questions"], sum(self._faults.values())
        fair = questions - faults
        return ExaminerFinding(
            questions=questions,
            faults=dict(self._faults.most_common()),
            fault_rate=self._faulty.estimate(none="nothing was asked"),
            marks={name: units.estimate() for name, units in self._marks.items()},
            contradictions_per_10=10 * self._consistency.hits / fair if fair else None,
        )


def _given_up(moves: Iterable[Transition]) -> tuple[int, int]:
    """Return (given up, all) of the right answers."""
    return _share("caved", (move for move in moves if move.before is True and move.known))


def _share(outcome: str, among: Iterable[Transition]) -> tuple[int, int]:
    """Return the number with this outcome, and the total."""
    outcomes = [move.outcome for move in among]
    return sum(each == outcome for each in outcomes), len(outcomes)


def _one_less(rate: Estimate) -> Estimate:
    """Return 1 − the rate, with its interval mirrored."""

    def one_less(value: float | None) -> float | None:
        return None if value is None else 1 - value

    return replace(rate, value=one_less(rate.value), low=one_less(rate.high), high=one_less(rate.low))
