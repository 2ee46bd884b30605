"""Load conversations from a retriever and validate them before judging."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from proctor.benchmark import Expectation, ExpectedCall
from proctor.errors import InputError
from proctor.metrics.schemas import Batch, Dataset
from proctor.reviewers.arguments import brief
from proctor.reviewers.calls import expected_call, used_call
from proctor.settings import did_you_mean, nearest
from proctor.transcript import Reply

_DONE_KEYS = ("tools_used", "final_answer_uses_tools")
_WANTED_KEYS = ("expected_tools", "tool_sequence_matters", "extra_tools_allowed", "alternatives", "must_use_result")
_PROBLEMS_SHOWN = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Interaction:
    """One question and reply, with expectations."""

    qa_id: str
    question: str
    expected: str
    """The expected answer."""
    reply: Reply
    expectations: tuple[Expectation, ...]
    """Expectations of the tool calls, one per accepted alternative; empty if tools are not judged."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedConversation:
    """A validated Dataset."""

    session_id: str
    assistant_id: str
    trial: int
    interactions: tuple[Interaction, ...]


async def load(retriever: Any, options: Mapping[str, Any]) -> list[Dataset]:
    """Load the retriever's datasets; raise InputError if that fails."""
    source = _make_retriever(retriever, options)
    try:
        found = source.load_dataset()
        if inspect.isawaitable(found):
            found = await found
        return _datasets(found, name=type(source).__name__)
    except ValidationError as error:
        raise InputError(f"{type(source).__name__}.load_dataset() failed: {_words(error)}") from error


def takes(retriever: Any) -> set[str]:
    """Return the names of the keyword arguments of the retriever's constructor."""
    if not isinstance(retriever, type) or not hasattr(retriever, "load_dataset"):
        return set()
    parameters = inspect.signature(retriever).parameters.values()
    return {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


def _make_retriever(retriever: Any, options: Mapping[str, Any]) -> Any:
    if not callable(getattr(retriever, "load_dataset", None)):
        raise InputError(
            f"retriever={retriever!r} cannot be used: expected a subclass of Retriever with load_dataset()"
        )
    if not isinstance(retriever, type):
        if options:
            raise InputError(f"retriever_options={dict(options)!r} need a class; the retriever is already made")
        return retriever
    try:
        return retriever(**options)
    except TypeError as error:
        raise InputError(
            f"{retriever.__name__} cannot be made with retriever_options={dict(options)!r}: {error}"
        ) from error


def _datasets(found: object, *, name: str) -> list[Dataset]:
    if isinstance(found, (str, bytes, Mapping, Dataset)) or not isinstance(found, Iterable):
        raise InputError(f"{name}.load_dataset() returned {type(found).__name__}; expected a list of Dataset")
    datasets = []
    for place, item in enumerate(found, 1):
        if not isinstance(item, (Dataset, Mapping)):
            raise InputError(f"dataset {place} of {name} is of type {type(item).__name__}; expected a Dataset")
        datasets.append(item if isinstance(item, Dataset) else Dataset.model_validate(dict(item)))
    if not datasets:
        raise InputError(f"{name}.load_dataset() returned no Dataset; expected at least one conversation")
    return datasets


def _words(error: ValidationError) -> str:
    """Format pydantic's errors, with the ids of the item where known."""
    messages = []
    for fault in error.errors(include_url=False):
        place = ".".join(map(str, fault["loc"]))
        given = fault.get("input")
        ids = [f"{key}={given[key]!r}" for key in ("session_id", "qa_id") if isinstance(given, dict) and key in given]
        messages.append(
            f"{error.title}{' ' + ', '.join(ids) if ids else ''}: {place + ': ' if place else ''}{fault['msg']}"
        )
    return "; ".join(messages)


def prepare(
    datasets: list[Dataset], *, tool_threshold: float = 1.0, fold_names: bool = False
) -> list[CheckedConversation]:
    """Validate the conversations; raise an InputError that lists all errors with their dataset and interaction."""
    held_to = Expectation(tool_threshold=tool_threshold, fold_names=fold_names)
    problems: list[str] = []
    seen: dict[tuple[str, int], int] = {}
    conversations = []
    for place, dataset in enumerate(datasets, 1):
        where = f"dataset {place}, conversation {dataset.session_id!r}"
        key = (dataset.session_id, dataset.trial)
        first = seen.setdefault(key, place)
        if first != place:
            problems.append(
                f"{where}: session_id={key[0]!r} with trial={key[1]} is already dataset {first}; "
                "number repetitions of one conversation by trial=1, 2, …"
            )
        conversations.append(_conversation(dataset, where, problems, held_to))
    if problems:
        raise InputError(_all_said(problems))
    return conversations


def _all_said(problems: list[str]) -> str:
    if len(problems) == 1:
        return problems[0]
    more = len(problems) - _PROBLEMS_SHOWN
    shown = problems[:_PROBLEMS_SHOWN] + ([f"… and {more} more"] if more > 0 else [])
    return f"{len(problems)} problems in the data:\n" + "\n".join(f"- {problem}" for problem in shown)


def _conversation(dataset: Dataset, where: str, problems: list[str], held_to: Expectation) -> CheckedConversation:
    if not dataset.conversation:
        problems.append(f"{where}: its conversation is empty; expected at least one Batch")
    seen: dict[str, int] = {}
    interactions = []
    for place, batch in enumerate(dataset.conversation, 1):
        here = f"{where}, interaction {place} (qa_id={batch.qa_id!r})"
        first = seen.setdefault(batch.qa_id, place)
        if first != place:
            problems.append(f"{here}: this qa_id is already that of interaction {first}; give each its own")
        try:
            interactions.append(_interaction(batch, held_to))
        except InputError as error:
            problems.append(f"{here}: {error}")
    return CheckedConversation(
        session_id=dataset.session_id,
        assistant_id=dataset.assistant_id,
        trial=dataset.trial,
        interactions=tuple(interactions),
    )


def _interaction(batch: Batch, held_to: Expectation) -> Interaction:
    if not (batch.ground_truth_assistant or "").strip():
        raise InputError(
            f"ground_truth_assistant={batch.ground_truth_assistant!r}; expected the right answer, to judge by"
        )
    done, wanted = batch.agentic or {}, batch.ground_truth_agentic or {}
    _check_misspelt("agentic", done, _DONE_KEYS)
    for key in wanted:
        if key not in _WANTED_KEYS:
            hint = did_you_mean(key, _WANTED_KEYS)
            raise InputError(f"ground_truth_agentic has the unknown key {key!r}; {hint}")
    used = _calls("tools_used", done.get("tools_used"), used_call)
    return Interaction(
        qa_id=batch.qa_id,
        question=batch.query,
        expected=batch.ground_truth_assistant or "",
        reply=Reply(text=batch.assistant, tool_calls=tuple(used)),
        expectations=_expectations(
            wanted, replace(held_to, result_used=_flag("agentic", done, "final_answer_uses_tools", None))
        ),
    )


def _check_misspelt(name: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuse keys that look like misspelt known ones; other extra keys are allowed."""
    for key in given:
        if key not in known and (near := nearest(key, known, alike=0.75)):
            raise InputError(f"{name} has the unknown key {key!r}; did you mean {near!r}?")


def _flag(name: str, given: Mapping[str, Any], key: str, default: bool | None) -> bool | None:
    value = given.get(key, default)
    if value is not None and not isinstance(value, bool):
        raise InputError(f"{name}[{key!r}]={value!r}; expected True or False")
    return value


def _expectations(wanted: Mapping[str, Any], held_to: Expectation) -> tuple[Expectation, ...]:
    ordered = _flag("ground_truth_agentic", wanted, "tool_sequence_matters", True)
    extra = _flag("ground_truth_agentic", wanted, "extra_tools_allowed", False)
    must = _flag("ground_truth_agentic", wanted, "must_use_result", None)
    ways = [wanted["expected_tools"]] if wanted.get("expected_tools") is not None else []
    others = wanted.get("alternatives") or []
    if not isinstance(others, (list, tuple)):
        raise InputError(f"alternatives={brief(others)}; expected a list of lists of expected tools")
    return tuple(
        replace(
            held_to,
            tool_calls=tuple(_with_default(call, must) for call in _calls("expected_tools", way, expected_call)),
            ordered=ordered is not False,
            extra_allowed=extra is True,
        )
        for way in (*ways, *others)
    )


def _with_default(call: ExpectedCall, must: bool | None) -> ExpectedCall:
    """Apply the default for `must_use_result`, unless the call has its own value."""
    return replace(call, must_use_result=must) if call.must_use_result is None else call


def _calls(name: str, given: object, read: Any) -> list[Any]:
    if given is None:
        return []
    if not isinstance(given, (list, tuple)):
        raise InputError(f"{name}={brief(given)}; expected a list of tool calls")
    calls: list[ExpectedCall] = []
    for place, call in enumerate(given, 1):
        try:
            calls.append(read(call))
        except InputError as error:
            raise InputError(f"{name}, call {place}: {error}") from error
    return calls
