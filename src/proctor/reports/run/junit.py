"""Render JUnit XML for CI systems, with one test case per attempt, or per conversation in a battle.

A failed attempt, including the agent's own failure, is a `failure`; a failure of the environment is an `error`; an
attempt without a verdict or not run yet is `skipped` with the reason. Gates form a suite of their own: one that is not
met is a `failure`, an inconclusive one is `skipped`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from proctor.benchmark import Case, Exam
from proctor.findings.gates import GateVerdict
from proctor.findings.run import Findings
from proctor.reports import gates as said_gates
from proctor.reports import outcomes
from proctor.reports.battle.words import attempt_name, failed_turns
from proctor.reports.checks import brief, worst_first
from proctor.reports.headline import headline
from proctor.reports.numbers import iso, score
from proctor.reports.outcomes import FAILED, of_result
from proctor.reports.turns import why_no_verdict
from proctor.reports.words import clean, cut, one_line
from proctor.run import Attempt, Key, Run

_REPLY_LIMIT = 20_000


def write_junit(
    findings: Findings,
    exams: Mapping[str, Exam],
    attempts: Iterable[Attempt],
    stream: TextIO,
    *,
    gates: Sequence[GateVerdict] = (),
) -> None:
    """Write one suite for the attempts, which are streamed, and one for the gates if there are any."""
    stream.writelines(junit_pieces(exams, attempts, found=lambda: findings, gates=gates))


def junit_pieces(
    exams: Mapping[str, Exam],
    attempts: Iterable[Attempt],
    *,
    found: Callable[[], Findings],
    gates: Sequence[GateVerdict] = (),
) -> Iterator[str]:
    """Yield the XML piece by piece."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    findings = found()
    run = findings.run
    counts, gate_counts = _counts(findings), _gate_counts(gates)
    both = {name: str(int(counts[name]) + int(number)) for name, number in gate_counts.items() if name != "time"}
    moment = iso(run.started or run.created).removesuffix("Z")
    yield f"<testsuites{_attributes(name=f'{run.agent} on {run.benchmark}', **{**counts, **both})}>\n"
    if gates:
        yield f"<testsuite{_attributes(name='gates', timestamp=moment, **gate_counts)}>\n"
        yield from (_gate(verdict) for verdict in gates)
        yield "</testsuite>\n"
    yield f"<testsuite{_attributes(name=run.benchmark, timestamp=moment, **counts)}>\n"
    yield "<properties>\n"
    for name, value in _properties(findings):
        yield f"<property{_attributes(name=name, value=value)}/>\n"
    yield "</properties>\n"
    for attempt in _with_unplayed(findings, attempts):
        yield _testcase(run, exams.get(attempt.key.exam), attempt)
    yield "</testsuite>\n</testsuites>\n"


def _counts(findings: Findings) -> dict[str, str]:
    counts = findings.counts
    return {
        "tests": str(counts.planned),
        "failures": str(sum(counted - passed for counted, passed in (case.under_all for case in findings.cases))),
        "errors": str(counts.failed_by_environment),
        "skipped": str(counts.unscored + counts.pending),
        "time": f"{findings.run.seconds:.3f}",
    }


def _gate_counts(gates: Sequence[GateVerdict]) -> dict[str, str]:
    verdicts = [gate.verdict for gate in gates]
    return {
        "tests": str(len(gates)),
        "failures": str(verdicts.count("not met")),
        "errors": "0",
        "skipped": str(verdicts.count("inconclusive")),
        "time": "0.000",
    }


def _gate(gate: GateVerdict) -> str:
    statement = said_gates.sentence(gate)
    verdict = {
        "met": _element("system-out", statement),
        "not met": _element("failure", message=statement, type="gate_not_met"),
        "inconclusive": _element("skipped", message=f"inconclusive: {statement}"),
    }[gate.verdict]
    return f"<testcase{_attributes(classname='gates', name=gate.gate.text, time='0.000')}>{verdict}</testcase>\n"


def _properties(findings: Findings) -> Iterator[tuple[str, str]]:
    run = findings.run
    yield from (("run", run.id), ("status", run.status), ("reviewer", run.settings.reviewer or "checks alone"))
    for line in headline(findings):
        yield line.label, line.said.full
    for note in findings.notes:
        yield "note", note


def _with_unplayed(findings: Findings, attempts: Iterable[Attempt]) -> Iterator[Attempt]:
    """Yield the attempts and, if some are pending, those planned but never started."""
    if not findings.counts.pending:
        yield from attempts
        return
    settings = findings.run.settings
    rows = {case.id: row for row, case in enumerate(findings.cases)}
    conditions = {name: place for place, name in enumerate(settings.conditions)}
    begun = bytearray(len(rows) * len(conditions) * settings.most_trials)  # keys would be a hundred times as large
    for attempt in attempts:
        key = attempt.key
        begun[(rows[key.exam] * len(conditions) + conditions[key.condition]) * settings.most_trials + key.trial - 1] = 1
        yield attempt
    for key, seen in zip(_plan(findings), begun, strict=True):
        if not seen and key.trial <= settings.trials_of(key.exam):
            yield Attempt(key=key)


def _plan(findings: Findings) -> Iterator[Key]:
    """Yield the keys of all cases, as if each had the maximum number of trials."""
    run = findings.run
    for case in findings.cases:
        for condition in run.settings.conditions:
            for trial in range(1, run.settings.most_trials + 1):
                yield Key(run=run.id, exam=case.id, condition=condition, trial=trial)


def _testcase(run: Run, exam: Exam | None, attempt: Attempt) -> str:
    case = exam.cases[0] if exam is not None else None
    group = case.categories[0] if case is not None and case.categories else run.settings.type
    attributes = _attributes(
        classname=f"{run.benchmark}.{group}",
        name=_name(run, attempt.key, case.question if case is not None else ""),
        time=f"{attempt.seconds or 0.0:.3f}",
    )
    filed = _category_properties(case.categories) if case is not None else ""
    return f"<testcase{attributes}>{filed}{_verdict(attempt, case)}{_transcript_output(attempt)}</testcase>\n"


def _category_properties(categories: Sequence[str]) -> str:
    """Return properties for all categories, if there are several; the class is named after the first."""
    if len(categories) < 2:
        return ""
    each = (f"<property{_attributes(name='category', value=category)}/>" for category in categories)
    return f"<properties>{''.join(each)}</properties>"


def _name(run: Run, key: Key, question: str) -> str:
    name = f"{key.exam} {one_line(question, 120)}".strip()
    if key.condition:
        name += f" [{key.condition}]"
    return f"{name} [trial {key.trial}]" if run.settings.trials_of(key.exam) > 1 else name


def _verdict(attempt: Attempt, case: Case | None) -> str:
    outcome = outcomes.of_attempt(attempt)
    failure = attempt.failure
    if failure is not None:
        tag = "failure" if outcome is outcomes.AGENT_FAILED else "error"
        return _element(tag, failure.detail, message=f"{failure.stage}: {failure.reason}", type=outcome.name)
    if outcome is outcomes.NOT_PASSED:
        several = len(attempt.transcript.turns) > 1
        why = "\n".join(failed_turns(attempt) if several else _reasons(attempt))
        return _element(
            "failure", why, message=attempt_name(attempt) if several else _failure_summary(attempt), type=outcome.name
        )
    if outcome is outcomes.UNSCORED:
        return _element("skipped", message=f"unscored: {'; '.join(why_no_verdict(attempt, case))}")
    return _element("skipped", message=outcome.word) if outcome is outcomes.PENDING else ""


def _failure_summary(attempt: Attempt) -> str:
    """Summarise a failed attempt: `keywords ✗ “28 days” is missing, limits ✗ …, score 0.42`."""
    reasons = [
        f"{check.name} {FAILED.sign} {brief(check.evidence)}" for check in attempt.checks if check.passed is False
    ]
    reasons += [] if attempt.value is None else [f"score {score(attempt.value)}"]
    return ", ".join(reasons) or "not passed"


def _reasons(attempt: Attempt) -> Iterator[str]:
    for check in worst_first(attempt.checks):
        if not check.passed:
            yield f"{check.name} {of_result(check).word}: {check.evidence}"
    for mark in attempt.scores:
        if mark.of == "agent":
            yield from (f"{part.name} {score(part.value)}: {part.explanation}" for part in mark.parts)


def _transcript_output(attempt: Attempt) -> str:
    if attempt.passed:
        return ""
    turns = attempt.transcript.turns
    spoken = "\n\n".join(f"> {turn.question}\n{turn.reply.text if turn.reply else ''}" for turn in turns)
    return _element("system-out", cut(spoken, _REPLY_LIMIT)) if spoken else ""


def _element(tag: str, text: str = "", **attributes: str) -> str:
    return f"<{tag}{_attributes(**attributes)}>{escape(clean(text))}</{tag}>"


def _attributes(**values: str) -> str:
    return "".join(f" {name}={quoteattr(clean(value))}" for name, value in values.items())
