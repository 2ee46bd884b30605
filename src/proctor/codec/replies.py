"""Return value of an agent → Reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from proctor.codec import decode, encode, to_plain
from proctor.codec.invalid import describe_invalid, its_keys
from proctor.errors import AgentFault
from proctor.transcript import Reply
from proctor.usage import Usage

MOST = 10**12
"""Maximum of tokens, money or seconds in one reply; sums over a run still fit into 64 bits."""
_DEEPEST = 100  # maximum nesting of tool arguments and results, far below Python's recursion limit


def to_reply(value: object) -> Reply:
    """Convert an agent's return value to a Reply; raise AgentFault if it is none.

    For a text, or a dict without `tool_calls`, it is unknown which tools were called; without `steps`, which steps were
    taken.
    """
    if isinstance(value, str):
        return Reply(text=value, tools_known=False)
    if isinstance(value, Reply):
        return _check_reply(value)
    if isinstance(value, Mapping):
        return _reply_from_mapping(value)
    given = "None" if value is None else f"a value of type {type(value).__name__}"
    raise AgentFault(
        f"the agent returned {given}; expected a str, a dict with 'text', or a proctor.Reply", kind="wrong_type"
    )


def _check_reply(reply: Reply) -> Reply:
    """Round-trip the reply through JSON, so that nothing an agent returns can break the store."""
    if type(reply.text) is str and _is_plain(reply):
        return reply
    plain: object = None
    try:
        plain = msgspec.to_builtins(reply, enc_hook=to_plain, str_keys=True)
        typed = msgspec.convert(plain, Reply)
        _refuse_odd_numbers(typed)
        _refuse_deep_values(typed)
        return decode(encode(typed), Reply)
    except AgentFault:
        raise
    except msgspec.ValidationError as error:
        raise AgentFault(
            f"the agent returned a Reply that is not valid: {describe_invalid(error, plain)}", kind="wrong_type"
        ) from error
    except Exception as error:  # user objects may raise anything in __str__
        raise AgentFault(
            f"the agent returned a reply that cannot be written as JSON ({type(error).__name__}); "
            "expected tool calls with plain arguments and results",
            kind="wrong_type",
        ) from error


def _is_plain(reply: Reply) -> bool:
    """Whether the reply is only a text with valid numbers, like most replies, and needs no conversion."""
    lists = reply.tool_calls == () and reply.citations == () and reply.steps == ()
    times = _is_sound(reply.seconds) and _is_sound(reply.first_token)
    flags = all(type(flag) is bool for flag in (reply.cut_off, reply.tools_known, reply.steps_known))
    return lists and times and flags and reply.stderr == "" and (reply.usage is None or is_plain_usage(reply.usage))


def is_plain_usage(usage: Usage) -> bool:
    """Whether every number in it has the right type and range."""
    if type(usage) is not Usage or usage.known_cost is None:
        return False
    counts = (usage.input_tokens, usage.output_tokens, usage.calls, usage.cached)
    counts_valid = all(type(count) is int and 0 <= count <= MOST for count in counts)
    return counts_valid and _is_sound(usage.cost) and _is_sound(usage.known_cost)


def _is_sound(amount: object) -> bool:
    return amount is None or (type(amount) is float and 0 <= amount <= MOST)


def _refuse_odd_numbers(reply: Reply) -> None:
    for name, value in _numbers(reply):
        if value is not None and not 0 <= value <= MOST:
            raise AgentFault(
                f"the agent reported {name}={value!r}; expected a number of at least 0 and at most 10^12",
                kind="wrong_type",
            )


def _numbers(reply: Reply) -> Iterator[tuple[str, float | None]]:
    """Yield name and value of each number in a reply that is summed up."""
    yield "seconds", reply.seconds
    yield "first_token", reply.first_token
    yield from numbers_of(reply.usage, "usage")
    for place, step in enumerate(reply.steps):
        yield from numbers_of(step.usage, f"steps[{place}].usage")
    for place, call in enumerate(reply.tool_calls):
        yield f"tool_calls[{place}].seconds", call.seconds


def numbers_of(usage: Usage | None, name: str) -> Iterator[tuple[str, float | None]]:
    """Yield name and value of each number in a usage."""
    if usage is not None:
        for field in Usage.__slots__:
            yield f"{name}.{field}", getattr(usage, field)


def _refuse_deep_values(reply: Reply) -> None:
    for call in reply.tool_calls:
        if _deeper([call.arguments, call.result], _DEEPEST):
            raise AgentFault(
                f"the agent reported a call of {call.name!r} whose arguments or result are nested "
                f"more than {_DEEPEST} levels deep",
                kind="wrong_type",
            )


def _deeper(value: object, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels < 0 or any(_deeper(each, levels - 1) for each in inner)


def _reply_from_mapping(value: Mapping[Any, Any]) -> Reply:
    if "text" not in value:
        raise AgentFault(
            f"the agent returned a dict without 'text'; {its_keys(value)}; "
            "expected 'text', or 'messages' that end with the agent's answer",
            kind="wrong_type",
        )
    try:
        reply = msgspec.convert(
            {"tools_known": "tool_calls" in value, "steps_known": "steps" in value, **value}, Reply, str_keys=True
        )
    except msgspec.ValidationError as error:
        raise AgentFault(
            f"the agent returned a dict that is not a reply: {describe_invalid(error, value)}", kind="wrong_type"
        ) from error
    return _check_reply(reply)


_STOPPED = ("finish_reason", "stop_reason", "done_reason", "stopReason", "finishReason")
_AT_THE_LIMIT = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "token_limit"}
)
"""Finish reasons of various providers for a reply cut off at the output limit."""


def is_cut_off(finish_reason: object) -> bool:
    """Whether a response's metadata, or a finish reason, says that the output limit was reached."""
    if isinstance(finish_reason, Mapping):
        details = finish_reason.get("incomplete_details")
        reasons = [finish_reason.get(name) for name in _STOPPED]
        reasons.append(details.get("reason") if isinstance(details, Mapping) else getattr(details, "reason", None))
        return any(is_cut_off(reason) for reason in reasons if reason is not None)
    reason = getattr(finish_reason, "value", finish_reason)  # an enum member
    return isinstance(reason, str) and reason.rpartition(".")[2].lower() in _AT_THE_LIMIT
