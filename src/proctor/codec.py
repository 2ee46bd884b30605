"""Nouns ↔ JSON, digests, and whatever an agent returned → Reply."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from proctor.benchmark import Benchmark, Case
from proctor.errors import AgentFault
from proctor.transcript import Reply
from proctor.usage import Usage

T = TypeVar("T")
_MOST = 10**12  # tokens, money or seconds that one reply may report; sums over a run then still fit into 64 bits
_DEEPEST = 100  # levels of a tool's arguments or result; far from where Python's recursion ends


def _plain(value: object) -> object:
    """Anything a tool may return that JSON has no word for, as text."""
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    return str(value)


_encoder = msgspec.json.Encoder(enc_hook=_plain)
_sorted_encoder = msgspec.json.Encoder(enc_hook=_plain, order="sorted")


_ESCAPES = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""A backslash that is meant, a surrogate pair, or half of one."""
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


def encode(value: object) -> str:
    """A noun as JSON text."""
    try:
        return _encoder.encode(value).decode()
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError, RecursionError):
        return _forgiving(value)


def _forgiving(value: object) -> str:
    """Half a surrogate pair, keys that are no strings, numbers JSON has no word for: kept as readably as can be."""
    plain = msgspec.to_builtins(value, enc_hook=_plain, str_keys=True)
    return _encoder.encode(_make_encodable(plain)).decode()


def _make_encodable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)
    if isinstance(value, dict):
        return {_make_encodable(str(key)): _make_encodable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_make_encodable(inner) for inner in value]
    return value


def decode(text: str | bytes, kind: type[T]) -> T:
    """The noun that `encode` wrote."""
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    decoded: T = decoder.decode(text)
    return decoded


def read_json(data: Any, kind: Any = Any) -> Any:
    """JSON that somebody else wrote; raises msgspec.DecodeError.

    Half a surrogate pair, as programs leave it that cut a text in two, is read as U+FFFD.
    """
    try:
        return parse_json(data, kind)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        mended = whole_characters(data.encode() if isinstance(data, str) else bytes(data))
        if mended is None:
            raise
        return parse_json(mended, kind)


def parse_json(data: Any, kind: Any = Any) -> Any:
    """The same without mending; what is nested too deeply raises msgspec.DecodeError as well."""
    try:
        return decode(data, kind)
    except RecursionError:
        raise msgspec.DecodeError("lists and objects are nested too deeply in each other") from None


def whole_characters(data: bytes) -> bytes | None:
    """JSON of the same length with U+FFFD for every half of a surrogate pair; None: it has none."""
    mended = _ESCAPES.sub(lambda found: b"\\ufffd" if found["half"] else found[0], data)
    return mended if mended != data else None


_LATER = re.compile(rb'"fold_names":false,|"must_use_result":null,|"role":null,(?="sources":\[)')
"""Fields that came later: where they are as they always were, digests stay as they were."""


def digest(value: object) -> str:
    """A stable digest of a noun's content, 16 hex digits."""
    return hashlib.sha256(_LATER.sub(b"", _sorted_encoder.encode(value))).hexdigest()[:16]


def case_id(question: str, context: str | None) -> str:
    """The id of a case that was given none: 12 hex digits over question and context."""
    return hashlib.sha256(f"{question}\0{context or ''}".encode()).hexdigest()[:12]


def numbered_id(question: str, context: str | None, seen: Counter[str]) -> str:
    """The same where a question may be asked again: then `-2`, `-3` … follow."""
    plain = case_id(question, context)
    seen[plain] += 1
    return plain if seen[plain] == 1 else f"{plain}-{seen[plain]}"


_CONTENT = [field for field in Case.__slots__ if field not in ("criteria", "trials", "metadata", "review", "line")]


def benchmark_of(cases: Iterable[Case], *, name: str, **others: Any) -> Benchmark:
    """A benchmark with the digest of its cases; where they stand in a file is not content."""
    kept = tuple(cases)
    content = [[getattr(case, field) for field in _CONTENT] + _criteria(case) for case in kept]
    return Benchmark(name=name, digest=digest(content), cases=kept, **others)


def _criteria(case: Case) -> list[Mapping[str, Any]]:
    """A case's criteria as content: `{asks}` says no more than its text alone."""
    told = {
        name: said["asks"] if not isinstance(said, str) and said.keys() == {"asks"} else said
        for name, said in case.criteria.items()
    }
    return [told] if told else []


_MISFIT = re.compile(r"(?P<said>.*?)(?: - at `(?P<place>[^`]*)`)?", re.DOTALL)
_WANTED = re.compile(r"Expected `(?P<kinds>[^`]*)`(?P<bound> [<>]=? \S+| of length .*)?(?:, got `(?P<got>[^`]*)`)?")
_LACKING = re.compile(r"Object missing required field `(?P<name>[^`]*)`")
_UNKNOWN_KEY = re.compile(r"Object contains unknown field `(?P<name>[^`]*)`")
_STRANGE = re.compile(r"Invalid enum value (?P<value>.*)")
_KINDS = {
    "int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false", "array": "a list",
    "object": "an object with keys", "null": "nothing (null)",
}  # fmt: skip
_QUOTED = 60
_WORDS = {"True": "true", "False": "false", "None": "null"}
_UNTOLD = object()


def misfit(error: msgspec.ValidationError, value: object = _UNTOLD) -> str:
    """What in a value does not have the shape that it should, in plain words, with the value that stands there.

    Without the value, which may be somebody's secret, what sort of value it is.
    """
    found = _MISFIT.fullmatch(str(error))
    assert found is not None, "the expression takes any text"
    said, place = found["said"], (found["place"] or "$").removeprefix("$").removeprefix(".")
    if lacking := _LACKING.fullmatch(said):
        return f"{place or 'it'} has no {lacking['name']!r}, which it needs"
    if unknown := _UNKNOWN_KEY.fullmatch(said):
        return f"{place or 'it'} has the unknown key {unknown['name']!r}; leave it out"
    if strange := _STRANGE.fullmatch(said):
        return f"{place or 'it'} is {strange['value']}, which is not known here"
    wanted = _WANTED.fullmatch(said)
    expected = said[:1].lower() + said[1:] if wanted is None else f"expected {_in_words(wanted)}"
    got = wanted["got"] if wanted is not None and wanted["got"] else ""
    place, there, is_there = _value_at(value, place, got)
    given = _WORDS.get(repr(there), repr(there)) if is_there else _KINDS.get(got, got)
    given = given if len(given) <= _QUOTED else f"{given[: _QUOTED - 1]}…"
    return f"{place or 'it'} is {given}; {expected}" if given else f"{place or 'it'} does not fit; {expected}"


def _in_words(wanted: re.Match[str]) -> str:
    kinds = [_KINDS.get(kind, kind) for kind in wanted["kinds"].split(" | ")]
    bound = (wanted["bound"] or "").removesuffix(".0").replace(">=", "of at least").replace("<=", "of at most")
    return " or ".join([f"{kinds[0]}{bound.replace('>', 'above').replace('<', 'below')}", *kinds[1:]])


def _value_at(value: object, place: str, got: str) -> tuple[str, object, bool]:
    """Where `tool_calls[0].step` or `arguments[...]` (under some key) is, what stands there, and if that is known."""
    found = [("", value)]
    for step in re.findall(r"[^.\[\]]+|\[\d+\]|\[\.\.\.\]", place):
        found = [inner for outer in found for inner in _stand_at(*outer, step)]
    if "[...]" in place:
        found = [(at, inner) for at, inner in found if _kind_of(inner) == got]
    if not found:
        return place.replace("[...]", ""), None, False
    at, value = found[0]
    return at, value, value is not _UNTOLD and (bool(place) or not isinstance(value, (Mapping, list, tuple)))


def _stand_at(place: str, value: Any, step: str) -> Iterator[tuple[str, object]]:
    """What a step leads to from a value, each with its place; under any key there may be several."""
    before = f"{place}." if place else ""
    try:
        if step == "[...]":
            yield from ((f"{before}{key}", inner) for key, inner in value.items())
        elif step[0] == "[":
            yield f"{place}{step}", value[int(step[1:-1])]
        else:
            yield f"{before}{step}", value[step]
    except (AttributeError, LookupError, TypeError):
        return


def _kind_of(value: object) -> str:
    """What msgspec calls the type of a value."""
    names = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}
    return names.get(type(value), "object" if isinstance(value, Mapping) else "array")


def its_keys(value: Iterable[Any]) -> str:
    """The keys of an object, for a message that misses one."""
    keys = sorted(map(str, value))
    return f"its keys are {keys!r}" if keys else "it has no keys"


def to_reply(value: object) -> Reply:
    """What an agent returned, as a Reply; raises AgentFault where it is none.

    A text, or a dict without `tool_calls`, does not tell which tools were called; one without `steps` no steps.
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
    """The reply as it will be read from the store, so that nothing an agent returns can fail there."""
    if type(reply.text) is str and _is_plain(reply):
        return reply
    plain: object = None
    try:
        plain = msgspec.to_builtins(reply, enc_hook=_plain, str_keys=True)
        typed = msgspec.convert(plain, Reply)
        _refuse_odd_numbers(typed)
        _refuse_deep_values(typed)
        return decode(encode(typed), Reply)
    except AgentFault:
        raise
    except msgspec.ValidationError as error:
        raise AgentFault(
            f"the agent returned a Reply that is not valid: {misfit(error, plain)}", kind="wrong_type"
        ) from error
    except Exception as error:  # from the objects in it, whose __str__ is anybody's code
        raise AgentFault(
            f"the agent returned a reply that cannot be written as JSON ({type(error).__name__}); "
            "expected tool calls with plain arguments and results",
            kind="wrong_type",
        ) from error


def _is_plain(reply: Reply) -> bool:
    """Whether it is nothing but a text with sound numbers, as most replies are: then there is nothing to convert."""
    lists = reply.tool_calls == () and reply.citations == () and reply.steps == ()
    times = _is_sound(reply.seconds) and _is_sound(reply.first_token)
    flags = all(type(flag) is bool for flag in (reply.cut_off, reply.tools_known, reply.steps_known))
    return lists and times and flags and reply.stderr == "" and (reply.usage is None or _is_plain_usage(reply.usage))


def _is_plain_usage(usage: Usage) -> bool:
    if type(usage) is not Usage or usage.known_cost is None:
        return False
    counts = (usage.input_tokens, usage.output_tokens, usage.calls, usage.cached)
    whole = all(type(count) is int and 0 <= count <= _MOST for count in counts)
    return whole and _is_sound(usage.cost) and _is_sound(usage.known_cost)


def _is_sound(amount: object) -> bool:
    return amount is None or (type(amount) is float and 0 <= amount <= _MOST)


def _refuse_odd_numbers(reply: Reply) -> None:
    for name, value in _numbers(reply):
        if value is not None and not 0 <= value <= _MOST:
            raise AgentFault(
                f"the agent reported {name}={value!r}; expected a number of at least 0 and at most 10^12",
                kind="wrong_type",
            )


def _numbers(reply: Reply) -> Iterator[tuple[str, float | None]]:
    """Everything in a reply that is added up, by name."""
    yield "seconds", reply.seconds
    yield "first_token", reply.first_token
    yield from _numbers_of(reply.usage, "usage")
    for place, step in enumerate(reply.steps):
        yield from _numbers_of(step.usage, f"steps[{place}].usage")
    for place, call in enumerate(reply.tool_calls):
        yield f"tool_calls[{place}].seconds", call.seconds


def _numbers_of(usage: Usage | None, name: str) -> Iterator[tuple[str, float | None]]:
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
            f"the agent returned a dict that is not a reply: {misfit(error, value)}", kind="wrong_type"
        ) from error
    return _check_reply(reply)


_STOPPED = ("finish_reason", "stop_reason", "done_reason", "stopReason", "finishReason")
_AT_THE_LIMIT = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "token_limit"}
)
"""Why a model stopped in the middle of its reply, in the providers' words."""


def is_cut_off(told: object) -> bool:
    """Whether what a provider tells of an answer, or the reason alone, says that it reached the output limit."""
    if isinstance(told, Mapping):
        details = told.get("incomplete_details")
        reasons = [told.get(name) for name in _STOPPED]
        reasons.append(details.get("reason") if isinstance(details, Mapping) else getattr(details, "reason", None))
        return any(is_cut_off(reason) for reason in reasons if reason is not None)
    reason = getattr(told, "value", told)  # an enumeration's
    return isinstance(reason, str) and reason.rpartition(".")[2].lower() in _AT_THE_LIMIT
