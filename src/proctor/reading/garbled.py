"""What is no answer whatever it holds: an error message, a word of which letters are lost."""

from __future__ import annotations

import re

from proctor.reading.text.lazy import lazy

_LOST = "\ufffd"
_LOST_WORD = lazy(rf"[\w'’-]{{0,40}}{_LOST}[\w'’{_LOST}-]{{0,200}}")
_SENTENCE = lazy(r"\n+|(?<=[.!?])\s+(?=[A-Z])")
_ERROR = lazy(
    r"\W{0,4}(?:(?:\w{1,40})?(?:error|exception)(?: \d{3})?\b ?[:(\]-]|traceback \(|(?:fatal|failure|failed|panic)\b ?:"
    r"|error\b[^.!?]{0,80}\b(?:occurred|failed|timed out)|(?:the |a |an )?(?:\w{1,30} )?(?:tool|function|api|request"
    r"|search|query|lookup|call)\b[^.!?]{0,60}?\b(?:failed|timed out|returned (?:an error|no results?|nothing)|threw"
    r"|errored)\b"
    r"|(?:http |status )?[45]\d\d (?:error|bad|not|internal|forbidden|unauthori|too|service|gateway)"
    r"|\"(?:error|exception)\" ?:)",
    re.IGNORECASE,
)
_HINTS = ("error", "exception", "traceback", "fail", "panic", "timed out", "returned", "threw")
_READ = 20_000
_ABOUT_ERRORS = lazy(
    r"\b(?:error\w*|exception\w*|fail\w*|log|logs|message|prints?|output|outputs|status|code|fault|happen\w*|problem|issue"
    r"|wrong|traceback|returns?|raise[sd]?)\b",
    re.IGNORECASE,
)


def _is_error(sentence: str) -> bool:
    """Whether a sentence is an error message."""
    return _ERROR.match(sentence) is not None


def without_garble(question: str, references: tuple[str, ...], reply: str) -> str:
    """The reply without words that have lost letters, and without error messages where nobody asked for one."""
    if _LOST in reply and not any(_LOST in reference for reference in references):
        reply = _LOST_WORD.sub(" ", reply)
    folded = reply[:_READ].lower()
    if not any(hint in folded for hint in _HINTS) or any(map(_ABOUT_ERRORS.search, (question, *references))):
        return reply
    said = _SENTENCE.split(reply)
    kept = [sentence for sentence in said if not _is_error(sentence)]
    return reply if len(kept) == len(said) else " ".join(kept)
