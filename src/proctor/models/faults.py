"""What a provider's exception means to a reviewer or examiner; whose fault it is, `failures` says."""

from __future__ import annotations

from proctor.errors import CallError, EnvironmentFault, FailureKind, Misconfigured, ProctorError
from proctor.failures import blame, said, with_spending
from proctor.failures.evidence import evidence_of, is_wrong_address
from proctor.failures.messages import is_too_long
from proctor.usage import Usage

_WRONG = {401: "refused the key", 403: "refused access", 404: "knows no such model or address"}


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

    def __init__(
        self, message: str, *, retry_after: float | None, spent: Usage, kind: FailureKind = "exception", host: str = ""
    ) -> None:
        super().__init__(message, retry_after=retry_after, kind=kind, host=host)
        self.spent = spent


def fault_of(error: Exception, *, spent: Usage) -> ProctorError | None:
    """What the provider's exception means to a run; None: neither the network nor the settings explain it.

    A server's own error (5xx) is the environment's here: it says nothing about the agent that is judged.
    """
    if isinstance(error, CallError):
        return with_spending(error, spent)
    if is_too_long(error):
        return UnusableAnswer(f"the prompt is too long for the model: {said(error, 300)}", spent)
    found, told = evidence_of(error), said(error, 300)
    fault = blame(found, f"the model did not answer: {told}", judging=True)
    if isinstance(fault, Misconfigured) or is_wrong_address(error):
        doing = _WRONG.get(found.status or 0, "cannot be called at this address")
        told = f"the model {doing}: {told}; check its name, its address and its key"
        return with_spending(Misconfigured(told, kind=found.kind, host=found.host), spent)
    if isinstance(fault, EnvironmentFault):
        return ModelUnavailable(
            str(fault), retry_after=found.retry_after, spent=spent, kind=found.kind, host=found.host
        )
    return None
