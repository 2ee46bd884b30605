"""Remove secrets from all output, and from files where they do not belong."""

from __future__ import annotations

from proctor.redaction.addresses import without_credentials
from proctor.redaction.known import (
    beginning,
    ending,
    keep_secret,
    keep_value_secret,
    remember_secrets,
    without_known,
    without_secrets,
)

__all__ = [
    "beginning",
    "ending",
    "keep_secret",
    "keep_value_secret",
    "remember_secrets",
    "without_credentials",
    "without_known",
    "without_secrets",
]
