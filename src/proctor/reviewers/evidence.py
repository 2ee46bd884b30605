"""Build what a model reviewer is shown of a case and a reply: every piece fenced, long ones cut in the middle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.benchmark import Case
from proctor.codec import encode
from proctor.models.fence import fence
from proctor.transcript import Reply, ToolCall, Turn

LIMIT = 100_000
"""Maximum number of characters shown of the reply, of its tool calls and of its citations; more is cut from the middle.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewEvidence:
    """Prompt that shows the model a case and a reply."""

    text: str
    """The prompt."""
    left_out: str = ""
    """What was left out of the prompt, as a sentence."""


def gather(
    case: Case, question: str, reply: Reply, *, earlier: Sequence[Turn] = (), limit: int = LIMIT
) -> ReviewEvidence:
    """Build the prompt from the question, what was expected, and the reply with its tool calls and citations.

    `earlier` turns of the conversation share a separate limit.
    """
    given = [("expected answer", case.answer), ("expected reasoning", case.reasoning), ("context", case.context)]
    attachments = [("tool calls", *_tool_calls(reply.tool_calls, limit)), ("citations", *cut(_citations(reply), limit))]
    text, missing = cut(reply.text, limit)
    shown = [
        *_conversation(earlier, limit),
        *(["The question and the reply to be judged:"] if earlier else []),
        fence(question, "question"),
        *(fence(piece, name) for name, piece in given if piece),
        fence(text, "reply"),
        *(fence(piece, name) for name, piece, _ in attachments if piece),
    ]
    left_out = _left_out(("reply", text, missing), *attachments)
    note = [f"{left_out} The place is marked […]; judge what is there."] if left_out else []
    return ReviewEvidence(text="\n\n".join([*shown, *note, "Judge the reply."]), left_out=left_out)


def _conversation(turns: Sequence[Turn], limit: int) -> Iterator[str]:
    """Format the earlier turns, each question with its reply."""
    for turn in turns:
        replied = turn.reply.text if turn.reply is not None else ""
        yield f"Turn {turn.number}:"
        for name, text in (("earlier question", turn.question), ("earlier reply", replied)):
            yield fence(cut(text, max(1, limit // (2 * len(turns))))[0], name)


def cut(text: str, limit: int) -> tuple[str, int]:
    """Cut a text in the middle to about `limit` characters, and return it with the number of characters left out."""
    missing = len(text) - limit
    if missing <= 0:
        return text, 0
    head = limit - limit // 2
    return f"{text[:head]}\n[…]\n{text[head + missing :]}", missing


def _left_out(*pieces: tuple[str, str, int]) -> str:
    omissions = [f"{missing:,} characters of the {name}" for name, _, missing in pieces if missing]
    return f"Left out for length: {' and '.join(omissions)}." if omissions else ""


def _tool_calls(calls: tuple[ToolCall, ...], limit: int) -> tuple[str, int]:
    """Format one line per call. All calls get an equal share of the limit, so that no long result crowds out others."""
    lines = [cut(_tool_call(call), max(1, limit // len(calls))) for call in calls]
    shown = (f"{number}. {line}" for number, (line, _) in enumerate(lines, start=1))
    return "\n".join(shown), sum(missing for _, missing in lines)


def _tool_call(call: ToolCall) -> str:
    called = f"{call.name} {encode(call.arguments)}"
    if call.error is not None:
        return f"{called} failed: {call.error}"
    if not call.result_known:
        return f"{called} (its result was not reported)"
    return f"{called} gave: {call.result if isinstance(call.result, str) else encode(call.result)}"


def _citations(reply: Reply) -> str:
    return "\n".join(
        f"{number}. {citation.source}" + (f": “{citation.quote}”" if citation.quote else "")
        for number, citation in enumerate(reply.citations, start=1)
    )
