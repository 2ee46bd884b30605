"""Deterministic checks: each compares a reply with one expectation of its case and reports evidence."""

from proctor.reviewers.checks.completion import no_error_failed
from proctor.reviewers.checks.contract import Check, Outcome, check
from proctor.reviewers.checks.merge import merge
from proctor.reviewers.checks.own import OwnCheck, load_own
from proctor.reviewers.checks.reviewer import CheckReviewer
from proctor.reviewers.checks.sources import Sources

__all__ = ["Check", "CheckReviewer", "Outcome", "OwnCheck", "Sources", "check", "load_own", "merge", "no_error_failed"]
