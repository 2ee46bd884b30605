"""Interpret errors of OpenAI's API and compatible servers; `failures` decides whose fault they are."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import msgspec

from proctor.codec import read_json
from proctor.errors import AgentFault, CallError, Misconfigured
from proctor.failures import blame, of_status, parse_retry_after, says_too_long, status_in
from proctor.net.addresses import shown
from proctor.net.errors import excerpt, status_phrase
from proctor.net.exchange import Response
from proctor.redaction import without_secrets

_SHOWN = 300
_TOO_LONG = frozenset({400, 413, 422, 500})
"""Status codes with which servers reject a prompt that is too long."""
_NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_WRONG_SETTING = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter", "model_not_found"})
_CONVERSATION = frozenset({"messages", "input", "instructions", "input_tokens"})
_CHECK = {401: "check the key in {key}", 403: "check what the key in {key} may do", 404: "check model and base_url"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ApiError:
    """An error as reported by a server."""

    message: str = ""
    names: frozenset[str] = frozenset()
    """Error type and code."""
    param: str = ""
    """The request field to blame, without a path inside it."""


class ContextWindowExceeded(AgentFault):
    """The prompt exceeds the model's context window."""


def no_completion(what: str) -> AgentFault:
    """Return the fault for a JSON response of an unexpected structure."""
    message = f"the reply is not a completion: {what}; does the server speak OpenAI's protocol at this base_url?"
    return AgentFault(message, kind="wrong_type")


def fault_in(error: Any) -> CallError:
    """Return the fault for an error inside a successful response or a stream."""
    problem = problem_of(error)
    status = status_in(error) or 400
    fault = _fault(problem, status, "the model's server broke off", sent=(), key="the environment", retry_after=None)
    fault.status = status
    return fault


def fault_of_status(response: Response, *, sent: Container[str], key: str, judging: bool = False) -> CallError | None:
    """Return the fault for an unsuccessful response, or None on success.

    `sent` are the fields of the request, `key` is the variable that held the key; `judging`: the model is a judge, for
    which `models.structured` adds the advice.
    """
    if 200 <= response.status < 300:
        return None
    answered = f"{shown(response.url)} answered {status_phrase(response.status)}"
    fault = _fault(
        _problem_in(response),
        response.status,
        answered,
        sent=sent,
        key=key,
        retry_after=asked_wait(response),
        judging=judging,
    )
    fault.status = response.status
    return fault


def asked_wait(response: Response) -> float | None:
    """Return the seconds the server asks to wait, from either of the two headers in use."""
    precise = parse_retry_after(response.headers.get("Retry-After-Ms"))
    return precise / 1000 if precise is not None else parse_retry_after(response.headers.get("Retry-After"))


def _fault(
    problem: ApiError,
    status: int,
    answered: str,
    *,
    sent: Container[str],
    key: str,
    retry_after: float | None,
    judging: bool = False,
) -> CallError:
    message = f"{answered}: {problem.message}" if problem.message else answered
    if _is_too_long(problem, status):
        return ContextWindowExceeded(f"the conversation exceeded the model's context window ({message})", kind="http")
    if problem.names & _NO_CREDIT or status == 402:
        return Misconfigured(f"{message}; the account that {key} belongs to has no credit left", kind="http")
    if status in (400, 422) and _is_about_settings(problem, sent):
        return Misconfigured(
            f"{message}; change or remove that option of the {'model' if judging else 'agent'}", kind="http"
        )
    advice = f"; {_CHECK[status].format(key=key)}" if status in _CHECK and not judging else ""
    return blame(of_status(status, retry_after=retry_after), message + advice, judging=judging)


def _is_too_long(problem: ApiError, status: int) -> bool:
    return any(map(says_too_long, problem.names)) or (status in _TOO_LONG and says_too_long(problem.message))


def _is_about_settings(problem: ApiError, sent: Container[str]) -> bool:
    """Whether the request's settings are refused, rather than this particular question."""
    if problem.names & _WRONG_SETTING:
        return True
    return problem.param not in _CONVERSATION and problem.param in sent


def _problem_in(response: Response) -> ApiError:
    try:
        body = read_json(response.body)
    except (ValueError, RecursionError):
        return ApiError(message=excerpt(response))
    if isinstance(body, list) and body:
        body = body[0]  # Google's servers send a list
    if not isinstance(body, dict):
        return ApiError(message=excerpt(response))
    return problem_of(body.get("error") or body.get("detail") or body)


def problem_of(error: Any) -> ApiError:
    """Parse an error in OpenAI's format or similar; a few servers send only a text."""
    if not isinstance(error, dict):
        return ApiError(message=_clean(error if isinstance(error, str) else msgspec.json.encode(error).decode()))
    code = error.get("code")
    return ApiError(
        message=_clean(str(error.get("message") or "")),
        names=frozenset(name for name in (code, error.get("type")) if isinstance(name, str)),
        param=re.split(r"[.\[]", str(error.get("param") or ""))[0],
    )


def _clean(text: str) -> str:
    """Collapse to one line, remove secrets and truncate."""
    line = " ".join(without_secrets(text).split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
