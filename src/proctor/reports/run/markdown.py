"""Render a summary in Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from proctor.findings.gates import GateVerdict
from proctor.findings.run import Findings
from proctor.reports import gates as said_gates
from proctor.reports import numbers, outcomes
from proctor.reports.battle.words import markdown_facts as battle_facts
from proctor.reports.battle.words import strategy_rows
from proctor.reports.checks import brief, check_rows, what_passes
from proctor.reports.conditions import condition_rows, faults_sentence
from proctor.reports.headline import headline
from proctor.reports.lies import lie_rows
from proctor.reports.markup import draw_interval, plain
from proctor.reports.orchestration import markdown_facts as orchestration_facts
from proctor.reports.orchestration import markdown_shares
from proctor.reports.outcomes import FAILED
from proctor.reports.panel import judge_table

_WORST = 10
_REASONS = 10


def render(findings: Findings, *, k: int | None = None, gates: Sequence[GateVerdict] = ()) -> str:
    """Render the verdict, the estimates with intervals, categories, checks, worst cases and problems."""
    sections = [
        _verdict(findings), _gates(gates), _estimates(findings, k), *_battle(findings), *_orchestration(findings),
        _conditions(findings), _lies(findings), _categories(findings), judge_table(findings.judges), *_checks(findings),
        _worst(findings), _troubles(findings), _notes(findings),
    ]  # fmt: skip
    return "\n\n".join("\n".join(lines) for lines in map(list, sections) if lines) + "\n"


def _verdict(findings: Findings) -> Iterator[str]:
    run, where, counts = findings.run, outcomes.of_run(findings), outcomes.count_by_outcome(findings.cases)
    yield f"### {plain(run.agent)} on {plain(run.benchmark)}: {where.sign} {where.word}"
    yield ""
    kinds = [kind for kind in outcomes.OF_CASES if counts.get(kind.name)]
    line = " · ".join(f"{kind.sign} {numbers.whole(counts[kind.name])} {kind.word}" for kind in kinds)
    yield f"{line or 'Nothing was counted'} · {numbers.duration(run.seconds)} · run `{run.id}`"
    for line in filter(None, (faults_sentence(run), what_passes(findings))):
        yield ""
        yield plain(line)
    if run.reason:
        yield ""
        yield f"Stopped: {plain(run.reason)}"
    if line := numbers.first_token(findings):
        yield ""
        yield f"Time: {numbers.latency(findings)}; to the first token {line}"
    if run.workers is not None:
        yield ""
        yield f"Workers: {numbers.workers(run.workers)}; time: {numbers.workers_time(run.workers)}"


def _gates(verdicts: Sequence[GateVerdict]) -> Iterator[str]:
    for verdict in verdicts:
        outcome = said_gates.OUTCOMES[verdict.verdict]
        statement = f"{plain(verdict.gate.text)}**: {plain(said_gates.sentence(verdict), 400)}"
        yield f"- {outcome.sign} {outcome.word}, **{statement}"


def _estimates(findings: Findings, k: int | None) -> Iterator[str]:
    yield "| | | 95 % interval | | rests on |"
    yield "|:--|--:|:--|:--|:--|"
    for line in headline(findings, k=k):
        picture = draw_interval(line.estimate)
        bounds = f"{line.said.missing}: {line.said.bounds}" if line.said.bounds else ""
        basis = "; ".join(piece for piece in (line.said.basis, bounds) if piece)
        yield f"| {line.label} | **{line.said.value}** | {line.said.interval} | {picture} | {basis} |"


def _battle(findings: Findings) -> Iterator[Iterator[str]]:
    if findings.battle is not None:
        yield battle_facts(findings.battle)
        yield strategy_rows(findings.battle)


def _orchestration(findings: Findings) -> Iterator[Iterator[str]]:
    if findings.orchestration is not None:
        yield markdown_shares(findings.orchestration, conditions=len(findings.run.settings.conditions))
        yield orchestration_facts(findings.orchestration)


def _conditions(findings: Findings) -> Iterator[str]:
    if findings.conditions:
        yield from condition_rows(findings)


def _lies(findings: Findings) -> Iterator[str]:
    if findings.lies:
        yield from lie_rows(findings.lies)


def _categories(findings: Findings) -> Iterator[str]:
    if not findings.categories:
        return
    marked = findings.mean_score.value is not None
    yield f"| category | pass rate | 95 % interval | passed |{' score |' * marked}"
    yield f"|:--|--:|:--|--:|{'--:|' * marked}"
    for name, category in findings.categories.items():
        rate, mark = numbers.say(category.pass_rate), numbers.say(category.mean_score, "score")
        passed = numbers.passed_of(category)
        yield f"| {plain(name)} | {rate.value} | {rate.interval} | {passed} |{f' {mark.value} |' * marked}"


def _checks(findings: Findings) -> Iterator[Iterator[str]]:
    if findings.checks:
        yield check_rows(findings.checks)


def _worst(findings: Findings) -> Iterator[str]:
    bad = [case for case in outcomes.worst_first(findings.rows or findings.cases) if case.verdict in ("fail", "flaky")]
    if not bad:
        return
    heading, checked = "worst rows" if findings.rows else "worst cases", any(case.failed_checks for case in bad)
    yield f"| | {heading} | |{' failed checks |' * checked} passed | score |"
    yield f"|:--|:--|:--|{':--|' * checked}--:|--:|"
    for case in bad[:_WORST]:
        mark = numbers.NOTHING if case.score is None else numbers.score(case.score)
        cells = [outcomes.of_case(case).sign, plain(case.id, 40), plain(case.question)]
        cells += [_failed_checks(case.failed_checks)] if checked else []
        yield f"| {' | '.join([*cells, f'{case.passed}/{case.counted}', mark])} |"
    if len(bad) > _WORST:
        more = f"{numbers.whole(len(bad) - _WORST)} more: `proctor show {findings.run.id} --all`"
        yield f"| | | and {more} |{' |' * checked} | |"


def _failed_checks(checks: Mapping[str, str]) -> str:
    """List the failed checks with their evidence, one per line."""
    return "<br>".join(
        f"{plain(name, 40)} {FAILED.sign} {plain(brief(evidence))}".rstrip() for name, evidence in checks.items()
    )


def _troubles(findings: Findings) -> Iterator[str]:
    for trouble in findings.troubles[:_REASONS]:
        under = f"{plain(faults, 60)}, " if (faults := outcomes.under_faults(trouble)) else ""
        example = outcomes.which(trouble.example, under=len(trouble.conditions) != 1 or not under)
        where = f"{under}e.g. {plain(example, 100)}"
        kind = outcomes.TROUBLES[trouble.owner]
        count = numbers.whole(trouble.count)
        reason = plain(trouble.reason, 240)
        yield f"- {kind.sign} {kind.word}, {count} × ({outcomes.in_stage(trouble)}): {reason} ({where})"
    if len(findings.troubles) > _REASONS:
        left = len(findings.troubles) - _REASONS
        yield f"- and {left} more reasons: `proctor show {findings.run.id} --all`"


def _notes(findings: Findings) -> Iterator[str]:
    if canaries := numbers.canaries(findings.run):
        yield f"Canaries: {canaries}"
        yield ""
    if findings.notes:
        yield "\n>\n".join(f"> {plain(note, 400)}" for note in findings.notes)
