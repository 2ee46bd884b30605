"""The embedded reviewer: deterministic, offline, without a model; good at short factual answers."""

from __future__ import annotations

from proctor.reviewers.embedded.reviewer import EmbeddedReviewer, load

__all__ = ["EmbeddedReviewer", "load"]
