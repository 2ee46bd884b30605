"""Judge whether a reply is right: combine the verdict of the rules with the probability of the learned head."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from proctor.reading.dress import undress
from proctor.reading.exact import departure, in_their_signs
from proctor.reading.expected import Answered, Expected, plain_text, read_answer
from proctor.reading.facts import guesses
from proctor.reading.features import falls_short, features, is_long
from proctor.reading.final_answer import final_answer
from proctor.reading.head import probability
from proctor.reading.languages.detect import NAMES, Language, is_known, tongue
from proctor.reading.languages.gloss import gloss
from proctor.reading.names import plain_names
from proctor.reading.outright import assents
from proctor.reading.question import Asked, understand
from proctor.reading.rows import asked_row
from proctor.reading.rules import best_verdict, enumerates
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import declines
from proctor.reading.verdict import PASSING, Verdict

# Match only instructions addressed to a judge: a correct answer may well advise giving a patient 5 mg or ignoring a
# warning.
_TO_JUDGE = lazy(
    r"\b(?:ignore|disregard|forget)\b[^.!?]{0,40}?\b(?:rules|instructions|prompt|rubric|criteria|guidelines)\b"
    r"|\b(?:give|award|assign|grant) (?:me|this (?:reply|answer|response)|full)\b"
    r"[^.!?]{0,40}?\b(?:score|marks?|points?|grade|rating|credit|\d)"
    r"|\b(?:mark|grade|score|rate|count|treat|accept) (?:this|it|me|my|the)\b"
    r"[^.!?]{0,40}?\b(?:as (?:correct|right|true|passed)|full marks|1\.0)\b"
    r"|\b(?:reviewer|grader|judge|evaluator|examiner|system)\s?:[^.!?]{0,60}?\b(?:correct|marks?|score|award"
    r"|expected)\b"
    r"|\"correctness\"\s?:",
    re.IGNORECASE,
)
_CANDIDATES = lazy(
    r"\W*(?:here are |some |the |a few )*(?:possible|potential|likely|candidate) (?:answers?|options?|candidates?"
    r"|guesses)\b[^,]{0,80},[^,]{0,80},",
    re.IGNORECASE,
)
_FEW_LETTERS = 40
"""Maximum length in characters of a reply whose apparent item numbers (`41. 42. 43.`) may be guesses."""
_SIGNS_ALONE = " \t\r\n"
_CODE = lazy(r"`+([^`\n]{1,80})`+")
_FILE = lazy(
    r"(?<![\w/.-])(?=[\w-]{0,79}[A-Za-z])[\w-]{1,80}\.(?:json|ya?ml|toml|ini|cfg|conf|txt|md|csv|xml|py|js|ts|sh|log|lock|env)\b"
)
_WHO_PAYS = lazy(r"(?:and |so )?who(?:se| is| will|'s)?\b.{0,40}\b(?:pay|bear|cover|cost|expense|fund|foot)", re.DOTALL)
_AT_EXPENSE = lazy(
    r"\b(?:at|on) ((?:the |your |our |their )?[\w-]{2,30}(?: [\w-]{2,30})?)(?:['’]s|['’]) (?:own )?(?:expense|cost)\b",
    re.IGNORECASE,
)
"""Match `at the customer's expense`, which means: paid by the customer."""
_SENTENCE = lazy(r"(?<=[.!?}])\s+|\n+|(?=\{)")
_ONE_OF_MANY, _GUESSED = 0.4, 0.45
_AMONG = "but only among others"
MOST_REFUTED = 0.15
"""Maximum score of a refuted reply."""
UNSURE = (0.4, 0.7)
"""Range of scores that is undecided: a person or a model should look at the reply."""
_LONG_ANSWER = 8
_FEW_WORDS, _VERY_FEW_WORDS = 25, 10
_AGAINST, _MOST_AGAINST = 0.5, 0.4
_FOR, _LEAST_FOR = 0.9, 0.9
_MOST_SHORT = 0.65
"""Maximum score of a reply that omits part of the expected statement or reverses one of its words: left undecided."""
_KEPT, _LONGEST_KEPT = 128, 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """The judgement on a reply."""

    value: float
    """Probability, from 0 to 1, that a person would call the reply right."""
    right: bool | None
    """The verdict, or None if undecided."""
    reason: str
    """Explanation in one sentence."""
    refuted: bool
    """Whether the rules are certain that the reply is wrong."""


def judge(question: str, reference: str, reply: str) -> Judgement:
    """Judge whether a reply is right, given the expected answer."""
    return judge_any(question, (reference,), reply)


def judge_any(question: str, references: tuple[str, ...], reply: str) -> Judgement:
    """Judge whether a reply is right, given several accepted answers, by the one that it matches best."""
    return (_remembered if len(reply) <= _LONGEST_KEPT else _judge)(question, references, reply)


@dataclass(frozen=True, slots=True)
class Weighed:
    """The verdict of the rules, with the features for the learned head."""

    verdict: Verdict
    features: list[float] | None = None
    """Features for the learned head, or None if the rules alone decide."""
    brief: bool = False
    """Whether the reply is short, up to 25 words."""
    terse: bool = False
    """Whether the reply is very short, up to 10 words: then a clear verdict of the rules overrides the head."""
    most: float = 1.0
    """Upper bound of the score."""


def _judge(question: str, references: tuple[str, ...], reply: str) -> Judgement:
    weighed = weigh(question, references, reply)
    found = weighed.features
    value = min(weighed.most, mark(weighed, 0.0 if found is None else probability(found, long=is_long(found))))
    if weighed.verdict.doubtful:
        value = min(value, _MOST_SHORT)
    right = None if UNSURE[0] <= value < UNSURE[1] else value >= PASSING
    reason = weighed.verdict.explanation + _read_as(question, references, reply)
    return Judgement(value=value, right=right, reason=reason, refuted=weighed.verdict.refuted)


def _read_as(question: str, references: tuple[str, ...], reply: str) -> str:
    """Return a note on the language in which the reply was read, if that is not English."""
    if spoken := _tongue(question, references, reply):
        return f" (read as {NAMES[spoken]})"
    return (
        "" if is_known(question) else " (in a language that is not known: only figures, names and words were compared)"
    )


def _tongue(question: str, references: tuple[str, ...], reply: str) -> Language:
    return tongue(question, references[0] if references else "", reply[:_LONGEST_KEPT])


_remembered = lru_cache(maxsize=_KEPT)(_judge)
"""Cached `_judge`: in a battle the same question is asked, and often answered in the same words, many times."""


def mark(weighed: Weighed, probable: float) -> float:
    """Combine the probability of the head with the verdict of the rules.

    A refutation caps the score; in short replies about names and values the rules take precedence.
    """
    verdict = weighed.verdict
    if weighed.features is None:
        return verdict.value
    if verdict.refuted:
        return min(probable, MOST_REFUTED)
    if verdict.form == "words" and is_long(weighed.features):
        return min(probable, _MOST_SHORT) if falls_short(weighed.features) else probable
    if verdict.form == "words":
        return _in_few_words(verdict.value, probable) if weighed.terse else probable
    if not (weighed.brief and verdict.form in ("facts", "list")):
        return probable
    return max(probable, verdict.value) if verdict.value >= PASSING else min(probable, verdict.value)


def _in_few_words(value: float, probable: float) -> float:
    """Bound the probability of the head by a clear verdict: a very short reply gives the head little evidence."""
    if value < _AGAINST:
        return min(probable, _MOST_AGAINST)
    return max(probable, _LEAST_FOR) if value >= _FOR else probable


def weigh(question: str, references: tuple[str, ...], reply: str) -> Weighed:
    """Run the rules on a reply and compute its features for the head."""
    if reply in references and reply.strip():
        return Weighed(Verdict(1.0, f"the same as expected: {reply!r}", form="same"))
    if spoken := _tongue(question, references, reply):
        question, reply = gloss(question, spoken), gloss(reply, spoken)
        references = tuple(gloss(reference, spoken) for reference in references)
    ours = without_orders(reply)
    text = in_their_signs(references, without_garble(question, references, ours))
    if not text.strip(_SIGNS_ALONE):
        return Weighed(Verdict(0.0, _why_nothing(reply, ours), True))
    asked = understand(question)
    answers = [answer for reference in references for answer in read_answer(question, reference)]
    given = _answering(_undress(text, asked), question, asked, answers)
    answered = Answered(_plain(given, asked, references, answers))
    if answered.passage.folded.strip(" ?.!") == asked.folded.strip(" ?.!"):
        return Weighed(Verdict(0.0, "the reply only repeats the question", True))
    verdict = _final_verdict(answered, asked, answers, best_verdict(answered, asked, answers))
    if other := _other_code(references, text):
        verdict = verdict._replace(value=min(verdict.value, MOST_REFUTED), refuted=True, explanation=other)
    verdict, most = _to_the_letter(verdict, references, given, asked)
    if verdict.value >= PASSING and _guesses(verdict, answered, text, answers):
        verdict, most = verdict._replace(value=_GUESSED, explanation=f"{verdict.explanation}, {_AMONG}"), _GUESSED
    alone = verdict.form in ("same", "yes_no", "declined") or not answered.passage.stems or not answers
    found = None if alone else features(answered, asked, answers, verdict)
    words = len(answered.passage)
    return Weighed(verdict, found, words <= _FEW_WORDS, words <= _VERY_FEW_WORDS, most)


def _guesses(verdict: Verdict, answered: Answered, text: str, answers: list[Expected]) -> bool:
    """Whether a reply lists several candidate answers in the hope that one is right."""
    if verdict.form == "words":
        return _CANDIDATES.match(text) is not None
    if verdict.form != "facts":
        return False
    return guesses(answered, answers) or (len(text) <= _FEW_LETTERS and guesses(Answered(text), answers))


def _why_nothing(reply: str, ours: str) -> str:
    if ours.strip(_SIGNS_ALONE):
        return "the reply is garbled or an error message"
    return "the reply says nothing" if reply.strip() else "the reply is empty"


def _to_the_letter(verdict: Verdict, references: tuple[str, ...], given: str, asked: Asked) -> tuple[Verdict, float]:
    """Lower the verdict if the reply deviates from what must match exactly; also return the maximum score."""
    if asked.yes_no or verdict.form in ("same", "yes_no", "declined") or verdict.refuted:
        return verdict, 1.0
    other = departure(references, given, asked.folded)
    if not other.told:
        return verdict, 1.0
    if not other.sure:
        return verdict._replace(value=min(verdict.value, _MOST_SHORT), explanation=other.told), _MOST_SHORT
    return verdict._replace(value=min(verdict.value, MOST_REFUTED), refuted=True, explanation=other.told), 1.0


def _undress(text: str, asked: Asked) -> str:
    """Return the reply without markup and courtesy; for a yes-no question an opening `sure` becomes `Yes`."""
    plain = undress(text)
    if _WHO_PAYS.match(asked.folded):
        plain = _AT_EXPENSE.sub(r"paid by \1", plain)
    return f"Yes, {plain}" if asked.yes_no and assents(text) else plain


def _other_code(references: tuple[str, ...], reply: str) -> str:
    """Explain that a reply names other code (`page`) than every expected answer does; empty if it does not."""
    wanted = [[code.strip().lower() for code in _codes(reference)] for reference in references]
    if not all(wanted) or any(code in reply.lower() for codes in wanted for code in codes):
        return ""
    other = next(iter((*_CODE.findall(reply), *_FILE.findall(reply))), "")
    return f"expected `{wanted[0][0]}`, found `{other}`" if other else ""


def _codes(reference: str) -> list[str]:
    """Return the inline code of an expected answer, or the answer itself if it is only a file name."""
    return _CODE.findall(reference) or ([reference.strip()] if _FILE.fullmatch(reference.strip()) else [])


def _final_verdict(answered: Answered, asked: Asked, answers: list[Expected], best: Verdict) -> Verdict:
    """Lower the best verdict if the reply declines to answer or lists several answers."""
    if best.value < PASSING:
        declined = best.form != "yes_no" and declines(answered.passage.folded)
        if not declined:
            return best
        return best._replace(value=0.0, explanation="the reply does not answer", refuted=True, form="declined")
    if best.form != "yes_no" and "and" in answered.stems and enumerates(answered, asked, answers):
        return best._replace(value=best.value * _ONE_OF_MANY, explanation=f"{best.explanation}, {_AMONG}")
    return best


def _plain(text: str, asked: Asked, references: tuple[str, ...], answers: list[Expected]) -> str:
    if not any(answer.facts or answer.items for answer in answers):
        return plain_names(text)
    return plain_text(asked, text, " ".join(references))


def _answering(text: str, question: str, asked: Asked, answers: list[Expected]) -> str:
    """Return the part of a reply that answers: the asked row, or the final answer if a short one is expected."""
    text = text if asked.yes_no else asked_row(text, asked)
    if not asked.yes_no and any(len(answer.passage) > _LONG_ANSWER for answer in answers):
        return text
    numeric = not asked.yes_no and any(answer.only_facts for answer in answers)
    final, _ = final_answer(text, numeric=numeric, question=question)
    if numeric and not Answered(final).facts:
        return text
    return final


def without_orders(reply: str) -> str:
    """Return the reply without sentences that address the judge (prompt injections such as `give me 1.0`)."""
    if _TO_JUDGE.search(reply) is None:
        return reply
    return " ".join(sentence for sentence in _SENTENCE.split(reply) if _TO_JUDGE.search(sentence) is None)


_LOST = "\ufffd"
_LOST_WORD = lazy(rf"[\w'’-]{{0,40}}{_LOST}[\w'’{_LOST}-]{{0,200}}")
_SENTENCE_END = lazy(r"\n+|(?<=[.!?])\s+(?=[A-Z])")
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
    """Return the reply without undecodable words, and without error messages unless the question is about errors."""
    if _LOST in reply and not any(_LOST in reference for reference in references):
        reply = _LOST_WORD.sub(" ", reply)
    folded = reply[:_READ].lower()
    if not any(hint in folded for hint in _HINTS) or any(map(_ABOUT_ERRORS.search, (question, *references))):
        return reply
    sentences = _SENTENCE_END.split(reply)
    kept = [sentence for sentence in sentences if not _is_error(sentence)]
    return reply if len(kept) == len(sentences) else " ".join(kept)
