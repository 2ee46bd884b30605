"""Render a conversation for the terminal: questions, replies behind a bar, verdicts in the margin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.benchmark import Exam
from proctor.codec import encode
from proctor.findings.battle.replies import judged_seed_alone
from proctor.findings.orchestration.timeline import Lane, timeline
from proctor.reports import numbers, outcomes
from proctor.reports.battle import words
from proctor.reports.lies import sentences
from proctor.reports.outcomes import raised_at
from proctor.reports.people import label_line
from proctor.reports.prose import as_json, metadata_of
from proctor.reports.terminal import STYLES, Page, outcome_text
from proctor.reports.turns import JudgedTurn, beyond_parts, count_unasked, judged_turns
from proctor.reports.words import clean, full_line, one_line, shorten
from proctor.run import Attempt, Failure, HumanLabel
from proctor.score import Contradiction
from proctor.transcript import Reply, Step, ToolCall

Shorten = Callable[[str, int], str]
"""Shorten a text to one line of at most so many characters."""
_LONGEST_ACTION = 240
_DEEPEST = 6


def actions(reply: Reply, say: Shorten = shorten) -> Iterator[RenderableType]:
    """Render the steps with their tool calls, other tool calls, and citations."""
    steps = {step.id: step for step in reply.steps}
    calls = {call.id: call for call in reply.tool_calls if call.id is not None}
    for lane in timeline(reply.steps).lanes:
        yield from _step(lane, steps.get(lane.id), calls, say)
    step_calls = {step.call for step in reply.steps if step.call is not None}
    for call in reply.tool_calls:
        if call.id is None or call.id not in step_calls:
            yield from _call(call, say)
    if reply.citations:
        sources = dict.fromkeys(citation.source for citation in reply.citations)
        yield Text(f"cites {say('; '.join(sources), _LONGEST_ACTION)}", "dim")


def _step(lane: Lane, step: Step | None, calls: Mapping[str, ToolCall], say: Shorten) -> Iterator[RenderableType]:
    """Render a step, indented by its depth, with its detail or call: `delegate · researcher: find sources · 1.4 s`."""
    depth = min(lane.depth, _DEEPEST)
    name = f"{lane.agent}: {lane.name}" if lane.agent and lane.agent != lane.name else lane.name
    time = "" if lane.length is None else f" · {numbers.duration(lane.length)}"
    line = f"{'✗ ' if lane.failed else ''}{lane.kind} · {say(name, _LONGEST_ACTION)}{time}"
    yield _set_in(line, depth, STYLES["fail"] if lane.failed else "dim")
    call = calls.get(step.call) if step is not None and step.call is not None else None
    if step is not None and step.detail and (call is None or step.detail != call.error):
        yield _set_in(say(step.detail, _LONGEST_ACTION), depth + 1)
    if call is not None:
        yield from _call(call, say, depth=depth + 1)


def _set_in(text: str, depth: int, style: str = "dim") -> RenderableType:
    return Padding(Text(text, style), (0, 0, 0, 2 * depth))


def _call(call: ToolCall, say: Shorten, *, depth: int = 0) -> Iterator[RenderableType]:
    """Render a tool call with its result below: `called search(query="remote work")`."""
    given = ", ".join(f"{name}={encode(value)}" for name, value in call.arguments.items())
    call_text = say(f"called {call.name}({given})", _LONGEST_ACTION)
    if call.error is not None:
        yield _set_in(f"{call_text}: {say(call.error, _LONGEST_ACTION)}", depth, STYLES["fail"])
        return
    yield _set_in(call_text, depth)
    yield _set_in(f"→ {_result(call, say)}", depth)


def _result(call: ToolCall, say: Shorten) -> str:
    if not call.result_known:
        return "result not reported"
    result = call.result
    if result in ("", [], ()):
        return "no results"
    text = result if isinstance(result, str) else as_json(result)
    count = f"{numbers.plural(len(result), 'result')}: " if isinstance(result, (list, tuple)) else ""
    return f"{count}{say(text, _LONGEST_ACTION)}"


_NUMBER = 4
_MARGIN = 13
_LINES = 8
_OPENING = 480
_QUOTE = 80
_LINE = 240


def dialogue(
    exam: Exam | None,
    attempt: Attempt,
    *,
    labels: Sequence[HumanLabel] = (),
    folded: bool = True,
    whole: bool = False,
) -> RenderableType:
    """Render the conversation turn by turn, for any console width and encoding.

    If `folded`, long replies are truncated and say so; otherwise steps, tool calls with results, citations, passed
    checks and the reviewer's explanations are included. `labels` are verdicts by people; with `whole`, no line is
    shortened.
    """
    say: Shorten = _full_text if whole else shorten
    return Page(lambda width: _conversation(exam, attempt, labels, say, folded=folded))


def _full_text(text: str, limit: int) -> str:
    del limit
    return full_line(text)


def _conversation(
    exam: Exam | None, attempt: Attempt, labels: Sequence[HumanLabel], say: Shorten, *, folded: bool
) -> Iterator[RenderableType]:
    yield from _opening(exam, attempt, say)
    yield from (Text(f"as people judge, {label_line(label)}", style="dim") for label in labels)
    yield Text()
    for each in judged_turns(attempt, exam):
        yield _turn(each, exam, say, folded=folded)
    yield from _closing(exam, attempt)


def _opening(exam: Exam | None, attempt: Attempt, say: Shorten) -> Iterator[RenderableType]:
    outcome, key = outcomes.of_attempt(attempt), attempt.key
    title = Text(one_line(key.exam, 60), style="bold").append(f"  trial {key.trial}", style="not bold")
    if key.condition:
        title.append(f"  under {one_line(key.condition, 40)}", style="not bold")
    title.append("  ").append_text(outcome_text(outcome, outcome.word))
    if attempt.value is not None and not judged_seed_alone(attempt):
        title.append(f"  score {numbers.score(attempt.value)}", style="not bold")
    yield title
    if key.condition and attempt.struck is not None:
        met = f"met {numbers.plural(attempt.struck, 'time')}" if attempt.struck else "never met"
        yield Text(f"injected fault {one_line(key.condition, 40)}: {met}", style="dim")
    contexts = dict.fromkeys(case.context for case in exam.cases if case.context) if exam is not None else {}
    yield from (Text(f"context: {say(context, 480)}", style="dim") for context in contexts)
    if exam is not None and exam.open and exam.cases[0].answer:
        yield Text(f"expected: {say(exam.cases[0].answer, 240)}", style="dim")
    if exam is not None and exam.cases[0].metadata:
        known = ", ".join(f"{name}: {value}" for name, value in metadata_of(exam.cases[0]))
        yield Text(say(known, 480), style="dim")
    if attempt.lie is not None and attempt.lie.reaction is not None:
        yield Text(" ".join(sentences(attempt.lie)), style="dim")


def _turn(each: JudgedTurn, exam: Exam | None, say: Shorten, *, folded: bool) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(justify="right", no_wrap=True, width=_NUMBER)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(no_wrap=True, overflow="ellipsis", width=_MARGIN)
    muted = "dim" if each.turn.fault else ""
    asked = Text(clean(each.turn.question).strip() or "(empty)", style=muted or "bold")
    table.add_row(Text(str(each.turn.number), style="dim"), asked, Text(one_line(each.turn.strategy or ""), "dim"))
    if each.turn.fault:
        kind, reason = words.fault(each.turn.fault)
        table.add_row("", Text(f"the examiner's fault, not counted: {kind}{f' ({reason})' if reason else ''}", "dim"))
    table.add_row("", _Barred(_reply(each, muted, say, folded=folded)), _score_mark(each))
    if not folded:
        done = actions(each.turn.reply, say) if each.turn.reply is not None else ()
        for line in (*done, *_reasons(each, exam, say)):
            table.add_row("", line)
    for line in _remarks(each, say, folded=folded):
        table.add_row("", line)
    table.add_row("")
    return table


class _Barred:
    """A text with a bar at the start of every line, including wrapped ones."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self._text.wrap(console, max(1, options.max_width - 2)):
            line.rstrip()
            yield Text.assemble(("│ ", "dim"), line)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(3, options.max_width)


def _reply(each: JudgedTurn, style: str, say: Shorten, *, folded: bool) -> Text:
    if each.turn.reply is None:
        broke = each.failure
        return Text("no reply", "dim") if broke is None else Text(_broke(broke, say), STYLES[each.outcome.style])
    text = clean(each.turn.reply.text).strip()
    if not text:
        return Text("the reply is empty", style="dim")
    kept = _opening_of(text) if folded else text
    reply_text = Text(kept, style=style)
    lost = len(text) - len(kept)
    return reply_text.append(f"\n{numbers.plural(lost, 'more character')}", style="dim") if lost else reply_text


def _broke(failure: Failure, say: Shorten) -> str:
    """Describe a failure, naming its stage if it was not the agent."""
    reason, place = say(failure.reason, 400), raised_at(failure)
    message = reason if failure.stage == "agent" else f"{failure.stage}: {reason}"
    return f"{message}\n{place}" if place else message


def _opening_of(text: str) -> str:
    return "\n".join(text[:_OPENING].split("\n")[:_LINES])


def _score_mark(each: JudgedTurn) -> Text:
    """Format the verdict and score of a turn: `✓ 0.95`."""
    return outcome_text(each.outcome, "" if each.value is None else numbers.score(each.value))


def _reasons(each: JudgedTurn, exam: Exam | None, say: Shorten) -> Iterator[Text]:
    """Yield the expected answer, unless shown above already, and the reviewer's explanation of each part."""
    if exam is not None and not exam.open and each.case is not None and each.case.answer:
        yield Text(f"expected: {say(each.case.answer, _LINE)}", "dim")
    several = len({score.by for score in each.scores}) > 1
    for score in each.scores:
        if several:
            yield Text(f"{one_line(score.by, 60)}: {numbers.score(score.value)}", "dim")
        for part in score.parts:
            why = f": {say(explanation, _LINE)}" if (explanation := each.explain(part)) else ""
            yield Text(f"{one_line(part.name, 40)} {numbers.score(part.value)}{why}", "dim")
        if explanation := beyond_parts(score):
            yield Text(say(explanation, 2 * _LINE), "dim")


def _remarks(each: JudgedTurn, say: Shorten, *, folded: bool) -> Iterator[Text]:
    """Yield failures, contradictions, checks (passed ones unless folded), missing scores, and why it does not count."""
    if each.failure is not None and each.turn.reply is not None:
        yield outcome_text(each.outcome, _broke(each.failure, say))
    if each.turn.reply is not None and each.turn.reply.cut_off:
        yield Text("! the reply was cut off at the model's output limit", style=STYLES["unscored"])
    for pair in each.contradicts:
        yield Text(f"✗ contradicts turn {pair.turns[0]}: {_quote_contradiction(pair, say)}", style=STYLES["fail"])
    for check in each.checks:
        if check.passed is False:
            remark = f"✗ {one_line(check.name, 40)}: {say(check.evidence, 160)}"
            yield Text(remark, style=STYLES["fail"])
    for check in each.checks:
        if check.passed is None:
            remark = f"– {one_line(check.name, 40)}: not checkable: {say(check.evidence, 160)}"
            yield Text(remark, style="dim")
    for check in each.checks:
        if check.passed and not folded:
            evidence = f": {say(check.evidence, 160)}" if check.evidence else ""
            yield Text(f"✓ {one_line(check.name, 40)}{evidence}", style=STYLES["pass"])
    several = len({score.by for score in each.scores} | {missing.by for missing in each.unscored}) > 1
    for missing in each.unscored:
        by = f" by {one_line(missing.by, 60)}" if several and not missing.divided else ""
        word = "no verdict" if missing.divided else "unscored"
        yield Text(f"? {word}{by}: {say(missing.reason, 160)}", style=STYLES["unscored"])
    if remark := each.why_not_counted:
        yield Text(f"· not counted: {remark}", style="dim")


def _quote_contradiction(pair: Contradiction, say: Shorten) -> str:
    before, after = (say(quote, _QUOTE) for quote in pair.quotes)
    return f"“{before}” / “{after}”"


def _closing(exam: Exam | None, attempt: Attempt) -> Iterator[RenderableType]:
    left = count_unasked(attempt, exam)
    conversation = exam is None or exam.open or len(exam.cases) > 1
    ended = words.ending_sentence(attempt) if conversation else ""
    remarks = [ended, words.no_test_sentence(attempt), words.resumption_sentence(attempt)]
    if left:
        remarks.append(f"{numbers.plural(left, 'scripted question')} not asked.")
    text = " ".join(piece for piece in remarks if piece)
    if text:
        yield Text(text, style="dim")
