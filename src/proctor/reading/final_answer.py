"""Extract the final answer of a reply: what it marks as such, what follows a retraction, or its last step."""

from __future__ import annotations

import re

from proctor.reading.text.lazy import lazy

_RETRACTS = lazy(
    r"(?:\b(?:(?:wait|hold on)(?=\W*$|\s*[,.:;!…]|\s-|\s(?:no|actually|that|sorry|i)\b)|scratch that|correction"
    r"|strike that|no wait|oops|my mistake|i misspoke|let me (?:redo"
    r"|correct|recheck"
    r"|double-check|rephrase|re-check|start over|recalculate)[\w ]{0,20}|on second thoughts?|i take that back"
    r"|i stand corrected|sorry, i mean(?:t)?"
    r"|i mean(?:t)?|or rather|i was wrong|actually, no|no, sorry|hmm, no|edit)\b[,.:;!…]*(?:\s-)?\s*)",
    re.I,
)
_MARK = lazy(
    r"(?:^|[\n.!?:;]|(?<=\s))[\s\"'(*]*(?:(?:so |thus |hence |therefore |and )?(?:the |my |our )?(?:final "
    r"|correct |right |overall |short )?(?:answer|result|solution|conclusion|verdict)"
    r"(?: (?:here|to (?:this|the|your) (?:question|problem)))?\s?(?:(?:would |should |must )?(?:is|be|was|are|=|:"
    r"|comes (?:out )?(?:to|at)|->|→)+)"
    r"(?: (?:therefore|thus|then|hence|simply|just|clearly|still|indeed|now|that|about))?|(?<![\w])(?:(?-i:A)"
    r"|ans)\s?:)(?:[\s:*\"']|-(?!\d))*",
    re.I,
)
# Cheap checks before the expensive ones: most replies mark no answer and retract nothing.
_MARK_HINT = lazy(r"nswer|esult|olution|onclusion|erdict|[Aa](?:ns)?\s?:|ANSWER|RESULT")
_RETRACT_HINT = lazy(
    r"(?i)wait|hold on|scratch|correction|strike|oops|mistake|misspoke|let me|second thought|take that|corrected"
    r"|mean|rather|was wrong|, no|no, sorry|edit"
)
_END = lazy(r"\n|(?<=[.!?])[\"')\]*]*\s+(?=[A-Z\"(])")
_CONCLUDES = lazy(
    r"\b(?:so|therefore|thus|hence|in total|altogether|in all|total|that makes|which makes|this makes|leaves"
    r"|consequently|as a result|in conclusion|overall|finally|that means|which means|this means|giving|makes)\b",
    re.I,
)
_SIGNS = lazy(r"[=×*÷]|\+(?=\s?[\w$€£(])|\d\s?[-/x]\s?\d|\btimes\b|\bplus\b|\bminus\b")
_SETTING = lazy(r"(?<![\w-])([A-Z][A-Z_]{1,40}|--[\w-]{1,40})=")
"""Match an assignment such as `PORT=8080`, which is no calculation."""
_LINE = lazy(r"\n+|(?<=[.!?])\s+(?=[A-Z(\"$€£])")
_DIGITS = lazy(r"\d[\d.,]*\d|\d")


def final_answer(text: str, *, numeric: bool = False, question: str = "") -> tuple[str, bool]:
    """Return the final answer in a stripped reply, and whether it was marked as such."""
    marked = _find_marked(text)
    if marked:
        return marked, True
    text = after_retraction(text)
    worked = _find_last_step(text, question) if numeric else ""
    return (worked, False) if worked else (text, False)


def _find_marked(text: str) -> str:
    """Return the text after the last `the answer is`, `Answer:` or `A:`; empty if nothing is marked."""
    if _MARK_HINT.search(text) is None:
        return ""
    for match in reversed([*_MARK.finditer(text)]):
        end = _END.search(text, match.end())
        answer = text[match.end() : end.start() if end else len(text)].strip(" \n\"'*")
        if answer:
            return answer if any(letter.isalnum() for letter in answer) else ""
    return ""


def after_retraction(text: str) -> str:
    """Return the text after the last retraction, or all of it if nothing follows."""
    if _RETRACT_HINT.search(text) is None:
        return text
    last = None
    for match in _RETRACTS.finditer(text):
        last = match
    if last is None or last.start() == 0:
        return text
    rest = text[last.end() :].strip(" .,:;-")
    return rest if any(letter.isalnum() for letter in rest) and len(rest.split()) > 0 else text


def _find_last_step(text: str, question: str) -> str:
    """Return the last step of a worked solution: its last line or sentence with a number; empty if it is none."""
    text = _SETTING.sub(r"\1 ", text) if "=" in text else text
    if not _SIGNS.search(text) and not _CONCLUDES.search(text):
        return ""
    lines = [line for line in _LINE.split(text) if any(letter.isdecimal() for letter in line)]
    if not lines:
        return ""
    if len(lines) > 1 and _answers_first(lines, question):
        return lines[0]
    return _after_equals(lines[-1])


def _answers_first(lines: list[str], question: str) -> bool:
    """Whether the first line gives a new number that later lines derive: `It is $18. She has 16 - 7 = 9 eggs …`."""
    given = set(_DIGITS.findall(question))
    fresh = [digits for digits in _DIGITS.findall(lines[0]) if digits not in given]
    if any(digits in line.rpartition("=")[0] for digits in fresh for line in lines[1:]):
        return False  # an intermediate step that the next one builds on
    return (
        bool(fresh)
        and not _SIGNS.search(lines[0])
        and not _CONCLUDES.search(lines[-1])
        and any("=" in line for line in lines[1:])
    )


def _after_equals(line: str) -> str:
    """Return the part after the last equals sign; the whole line if there is none."""
    _, sign, after = line.rpartition("=")
    return after.strip() if sign and any(letter.isdecimal() for letter in after) else line
