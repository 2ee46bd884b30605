"""An error that another tool tells in words → whose failure it is, and of which kind."""

from __future__ import annotations

import re

from proctor.errors import FailureKind
from proctor.run import Failure, Stage

_CODE = r"(?:^|\b(?:status|code|error|http)\W{0,3}(?:code)?\W{0,3})"
"""What stands before the status of an answer."""
_WORDS: dict[FailureKind, str] = {
    "rate_limit": rf"{_CODE}429\b|rate.?limit|too many requests|quota",
    "dns": r"name.?resolution|ENOTFOUND|getaddrinfo|name or service not known",
    "refused": r"ECONNREFUSED|connection refused",
    "tls": r"\bcertificate|\bSSLError|\bTLS\b",
    "dropped": r"ECONNRESET|connection (?:was )?(?:reset|closed|aborted)|socket hang up|RemoteDisconnected",
    "unreachable": r"EHOSTUNREACH|ENETUNREACH|network is unreachable|ConnectTimeout|APIConnectionError",
    "timeout": r"\btimed? ?-?out\b|ETIMEDOUT|TimeoutError|ReadTimeout",
    "cancelled": r"CancelledError|KeyboardInterrupt|\b(?:was|were) (?:cancell?ed|interrupted)\b",
    "http": rf"{_CODE}(?:5\d\d|40[137])\b|server_error|service unavailable|bad gateway|overloaded|unauthori[sz]ed"
    r"|invalid.{0,9}api.?key",
    "resources": r"docker|podman|kubernetes|sandbox|no space left|out of memory",
}
_OUTAGES = {kind: re.compile(words, re.IGNORECASE) for kind, words in _WORDS.items()}
"""What is not the agent's own, by how it is usually told."""
_BY_JUDGE = re.compile(r"inspect_ai[/\\]scorer|_eval[/\\]score|grader|scorer\b", re.IGNORECASE)


def source_failure(message: str, *, detail: str = "", stage: Stage = "agent") -> Failure:
    """The failure that was told. What is not known to be an outage is the agent's own, as an exception of ours is."""
    said = " ".join(message.split())[:500] or "it failed there, without a reason"
    kind = next((kind for kind, pattern in _OUTAGES.items() if pattern.search(message)), None)
    if stage == "agent" and kind is None and _BY_JUDGE.search(detail.rpartition("Traceback")[2]):
        stage = "reviewer"
    owned = stage == "agent" and kind is None
    return Failure(
        stage=stage,
        owner="agent" if owned else "environment",
        reason=said,
        kind=kind or "exception",
        turn=1,
        detail=detail[-4000:],
    )
