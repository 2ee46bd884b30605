"""A provider's exception → whose fault it is, told by status and name, without importing any provider."""

from __future__ import annotations

from proctor import failures
from proctor.errors import CallError, EnvironmentFault, Misconfigured, ProctorError
from proctor.failures import said
from proctor.usage import Usage

_WRONG = {401: "refused the key", 403: "refused access", 404: "knows no such model or address"}
_PASSING = {408, 425, 429}
_STATUS_OF_KIND = {
    "ModelInvalidRequestError": 400,
    "ModelAuthenticationError": 401,
    "ModelPermissionDeniedError": 403,
    "ModelNotFoundError": 404,
    "ModelRateLimitError": 429,
    "ModelAPIError": 500,
}
_ADDRESS_KINDS = {"UnsupportedProtocol", "InvalidURL", "LocalProtocolError"}
_NETWORK_KINDS = {
    "APIConnectionError",
    "ClientConnectionError",
    "ClientPayloadError",
    "ConnectionError",
    "ModelConnectionError",
    "ModelTimeoutError",
    "SSLError",
    "TimeoutError",
    "TransportError",
    "gaierror",
}


class UnusableAnswer(ProctorError):
    """The model gave no answer to this question that can be used, not even when asked to repair it.

    `usage` is what it cost.
    """

    def __init__(self, reason: str, usage: Usage) -> None:
        super().__init__(reason)
        self.reason = reason
        self.usage = usage


class ModelUnavailable(EnvironmentFault):
    """The model did not answer; `spent` is what earlier calls of the same question cost."""

    def __init__(self, message: str, *, retry_after: float | None, spent: Usage) -> None:
        super().__init__(message, retry_after=retry_after)
        self.spent = spent


def fault_of(error: Exception, *, spent: Usage) -> ProctorError | None:
    """What the provider's exception means to a run; None: neither the network nor the settings explain it.

    A server's own error (5xx) is the environment's here: it says nothing about the agent that is judged.
    """
    if isinstance(error, CallError):
        return spending(error, spent)
    if is_too_long(error):
        return UnusableAnswer(f"the prompt is too long for the model: {said(error, 300)}", spent)
    kinds = {kind.__name__ for link in failures.chain(error) for kind in type(link).__mro__}
    status = status_of(error)
    if status in _WRONG or kinds & _ADDRESS_KINDS:
        doing = _WRONG.get(status or 0, "cannot be called at this address")
        told = f"the model {doing}: {said(error, 300)}; check its name, its address and its key"
        return spending(Misconfigured(told), spent)
    if kinds & _NETWORK_KINDS if status is None else status in _PASSING or status >= 500:
        return ModelUnavailable(
            f"the model did not answer: {said(error, 300)}", retry_after=retry_after(error), spent=spent
        )
    return None


def retry_after(error: BaseException) -> float | None:
    """The seconds that the server asked to wait, where the exception or one of its causes carries them."""
    waits = (failures.retry_after(link) for link in failures.chain(error))
    return next((seconds for seconds in waits if seconds is not None), None)


def is_late(error: BaseException) -> bool:
    """Whether nobody waited for the answer any longer; it may have been given, and paid for, all the same."""
    return any("Timeout" in kind.__name__ for link in failures.chain(error) for kind in type(link).__mro__)


def spending(fault: CallError, spent: Usage) -> CallError:
    """The fault, which also carries what was spent before it, so that the run counts it."""
    if spent:
        vars(fault)["spent"] = spent
    return fault


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an exception or its cause carries, under any of the names providers give it."""
    for link in failures.chain(error):
        for name in ("status_code", "code", "status"):
            status = getattr(link, name, None)
            if isinstance(status, int) and 400 <= status <= 599:
                return status
    return status_by_kind(error)


def status_by_kind(error: BaseException) -> int | None:
    """The same by what LangChain calls the exception of a provider that does not number it."""
    kinds = (kind.__name__ for kind in type(error).__mro__)
    return next((_STATUS_OF_KIND[kind] for kind in kinds if kind in _STATUS_OF_KIND), None)


def is_too_long(error: BaseException) -> bool:
    """Whether the provider says that the prompt does not fit into the model."""
    return any(kind.__name__ == "ContextOverflowError" for kind in type(error).__mro__)
