"""Strip what surrounds an answer without being part of it: markup, wrappers, courtesy."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy, remembered
from proctor.reading.text.places import without_places
from proctor.reading.text.units import UNITS
from proctor.reading.text.words import stem_set, words

_THOUGHT = lazy(
    r"<(think|thinking|thought|thoughts|reasoning|scratchpad|analysis|reflection)\b[^<>]*>.*?</\1\s*>", re.I | re.S
)
_THOUGHT_BEFORE = lazy(r"^.*</(?:think|thinking|thought|reasoning|scratchpad|analysis)\s*>", re.I | re.S)
_FENCE = lazy(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.M)
_INLINE_FENCE = lazy(r"```(?:[a-z]+\b[ \t]*)?")
_MARKED = lazy(r"<(answer|final_answer|final-answer|finalanswer|final)\b[^<>]*>(.*?)</\1\s*>", re.I | re.S)
_BREAK_TAG = lazy(r"<\s*/?\s*(?:br|p|li|ul|ol|div|tr|h[1-6]|table|hr)\b[^<>]{0,200}>", re.I)
_TAG = lazy(r"</?[A-Za-z][\w:-]{0,40}(?:\s[^<>]{0,300})?/?>")
_BOXED = lazy(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
_STRUCK = lazy(r"~~[^~\n]+~~|<(?:s|del|strike)>.*?</(?:s|del|strike)>", re.I)
_LINK = lazy(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s\"[^\"]*\")?\)")
_STRONG = lazy(r"(\*{1,3}|(?<!\w)_{1,3})(?=\S)(.{1,200}?)(?<=\S)\1(?!\w|\*)", re.S)
_CODE = lazy(r"`+([^`\n]+)`+")
_HEADING = lazy(r"^[ \t]{0,3}#{1,6}[ \t]+(?=\S)", re.M)
_LAST_HASHES = lazy(r"^[ \t]*####[ \t]*(?=\S[^\n]*\s*\Z)", re.M)
_QUOTED = lazy(r"^[ \t]*>+[ \t]?", re.M)
_BLANK_LINES = lazy(r"\n(?:[ \t]*+\n){2,}+")
_RULE = lazy(r"^[ \t]*(?:[-*_=][ \t]?){3,}$", re.M)
_ROW_RULE = lazy(r"^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|?)+[ \t]*$", re.M)
_ROW = lazy(r"^[ \t]*\|(.+)\|[ \t]*$", re.M)
_BULLET = lazy(r"^[ \t]*(?:[-*•‣▪◦–—→➤✓✔✅☑►●○]|\(?\d{1,2}[.)]|\(?[a-z]\))[ \t]+(?=\S)", re.M)
_CITED = lazy(
    r"\s?【[^】]{0,80}】|\s?\[\^?(?:\d{1,3}|citation needed|source|\w{0,12}:?\d{1,3})(?:\s?[,;–-]\s?\d{1,3}){0,9}\]"
    r"|\s?\^\[\d+\]|(?<=[\w.!?,])[¹²³⁴⁵⁶⁷⁸⁹⁰]+(?=[\s.,;]|$)(?<!\dm[²³])(?<!m[²³])"
    r"|\s?\((?:source|sources|ref|see|cf\.?|via|citing|per)\b:?\s[^()]{1,200}\)|\s?\^\d{1,2}\^",
    re.I,
)
_SOURCES = lazy(
    r"^[ \t]*(?:sources?|references?|citations?|further reading|read more|learn more)\s?:.*?(?=\n\n|\Z)",
    re.I | re.M | re.S,
)
_PICTURES = lazy(
    "[\U0001f000-\U0001faff\u2600-\u26ff\u2700-\u2704\u2706-\u2712\u2719-\u274b\u274d-\u27bf\ufe0f\u200d\u2b50\u2b55]+"
)
_MATHS = (
    (lazy(r"\\(?:d|t)?frac\s*\{([^{}]+)\}\s*\{([^{}]+)\}"), r"\1/\2"),
    (lazy(r"\\(?:text|mathrm|mathbf|textbf|operatorname|mbox|textit|emph|bf)\s*\{([^{}]*)\}"), r"\1"),
    (lazy(r"\^?\{?\\circ\}?\s?"), "°"),
    (lazy(r"\\(?:times|cdot)\b"), "×"),
    (lazy(r"\\div\b"), "÷"),
    (lazy(r"\\(?:approx|sim)\b"), "≈"),
    (lazy(r"\\leq?\b"), "≤"),
    (lazy(r"\\geq?\b"), "≥"),
    (lazy(r"\\(?:left|right|quad|qquad|displaystyle)\b"), " "),
    (lazy(r"\\[,;:! ]"), " "),
    (lazy(r"\\[()\[\]]"), " "),
    (lazy(r"\\([%$#&_{}])"), r"\1"),
    (lazy(r"(?<=\d)\{,\}(?=\d)"), ","),
)
_DOLLARS = lazy(r"\$\$([^$]+)\$\$|\$(?=[^\s$])([^$\n]*?[^\s$\\])\$(?!\d)")
_MATHS_SIGNS = lazy(r"[\\=^{}×]|^[\d\s.,%/+*-]+$|^\\?[a-zA-Z]$|°")
_ANSWER_KEYS = (
    "answer", "final_answer", "finalanswer", "final", "result", "response", "reply", "output", "value", "solution",
    "text", "content", "message", "verdict", "choice", "conclusion", "completion", "data",
)  # fmt: skip
_UNIT_KEYS = ("unit", "units", "currency")
_LOOSE_JSON = lazy(r"\{[^{}]*\}", re.S)
_WORDS_BEFORE_JSON = 12


def undress(reply: str) -> str:
    """Return the reply without markup, thoughts, wrappers, courtesy and citation marks, unless nothing remains."""
    return _undress(reply) or reply.strip()


@remembered
def _undress(reply: str) -> str:
    text = _without_wrappers(_without_thoughts(reply))
    text = _without_courtesy(_BLANK_LINES.sub("\n\n", _without_markup(text)))
    return text.strip()


def _without_thoughts(text: str) -> str:
    if "<" not in text:
        return text
    kept = _THOUGHT.sub("", text)
    kept = _THOUGHT_BEFORE.sub("", kept)
    return kept if kept.strip() else text


# JSON


def _without_wrappers(text: str) -> str:
    if "```" in text or "~~~" in text:
        text = _INLINE_FENCE.sub("", _FENCE.sub("", text))
    stripped = text.strip()
    if stripped[:1] in "{[" and stripped[-1:] in "}]":
        return _from_json(stripped) or text
    if "{" in text and '"' in text:
        return _with_json_inside(text)
    if len(stripped) > 2 and stripped[0] == stripped[-1] == '"' and "\\n" in stripped:
        return _from_json(stripped) or text
    return text


def _with_json_inside(text: str) -> str:
    """Extract the answer from a JSON object at the end of a reply: `Here you go: {"answer": 5}`."""
    match = _LOOSE_JSON.search(text)
    if match is None or text[match.end() :].strip(" .\n") or len(text[: match.start()].split()) > _WORDS_BEFORE_JSON:
        return text
    return _from_json(match[0]) or text


def _from_json(text: str) -> str:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return _spoken(value)


def _spoken(value: object) -> str:
    """Render a JSON value as text: the answer of an object, the items of a list."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return ", ".join(filter(None, map(_spoken, value)))
    return _of_object(value) if isinstance(value, Mapping) else ""


def _of_object(value: Mapping[str, object]) -> str:
    folded = {str(key).lower().replace(" ", "_"): part for key, part in value.items()}
    for key in _ANSWER_KEYS:
        if key in folded and folded[key] not in (None, ""):
            unit = next((_spoken(folded[name]) for name in _UNIT_KEYS if name in folded), "")
            text = _spoken(folded[key])
            return f"{text} {unit}".strip() if unit and unit not in text else text
    if len(folded) == 1:
        return _spoken(next(iter(folded.values())))
    return "\n".join(_entry(key, part) for key, part in value.items())


def _entry(key: str, value: object) -> str:
    """Render a JSON entry as text, with the unit from its key: `"price_eur": 0.95` as `price: 0.95 eur`."""
    name, _, unit = str(key).rpartition("_")
    if name and isinstance(value, int | float) and unit.lower() in UNITS:
        return f"{name.replace('_', ' ')}: {_spoken(value)} {unit}"
    return f"{key}: {_spoken(value)}"


# Markup


def _without_markup(text: str) -> str:
    if "<" in text:
        text = _MARKED.sub(rf"\n{ANSWER_MARK}\2\n", _STRUCK.sub(" ", text))
        text = _TAG.sub("", _BREAK_TAG.sub("\n", text))
    if "&" in text:
        text = html.unescape(text)
    if "\\" in text or "$" in text:
        text = _without_maths(text)
    text = without_titles(text)
    if "#" in text:
        text = _HEADING.sub("", _LAST_HASHES.sub(ANSWER_MARK, text))
    text = _without_emphasis(text)
    text = _without_layout(text)
    text = _SOURCES.sub("", text) if ":" in text else text
    return without_places(_CITED.sub("", text)) if not text.isascii() or "[" in text or "(" in text else text


def _without_maths(text: str) -> str:
    text = _BOXED.sub(rf"\n{ANSWER_MARK}\1\n", text)
    text = _DOLLARS.sub(_without_dollars, text)
    if "\\" in text:
        for pattern, plain in _MATHS:
            text = pattern.sub(plain, text)
    return text


def _without_dollars(match: re.Match[str]) -> str:
    """Remove the dollar signs of a formula: `$x = 5$`, but not `$5 and $6`, which are amounts of money."""
    inside = match[1] or match[2]
    return f" {inside} " if match[1] or _MATHS_SIGNS.search(inside) else match[0]


def _without_emphasis(text: str) -> str:
    if "~~" in text:
        text = _STRUCK.sub(" ", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "`" in text:
        text = _CODE.sub(r"\1", text)
    if "*" in text or "_" in text:
        text = _STRONG.sub(r"\2", _STRONG.sub(r"\2", _RULE.sub("", text)))
    return text


def _without_layout(text: str) -> str:
    if "|" in text:
        text = _ROW.sub(_row_in_words, _ROW_RULE.sub("", text))
    if ">" in text:
        text = _QUOTED.sub("", text)
    text = _BULLET.sub("", _RULE.sub("", text))
    return text if text.isascii() else _PICTURES.sub(" ", text)


def _row_in_words(match: re.Match[str]) -> str:
    return ": ".join(cell.strip() for cell in match[1].split("|") if cell.strip())


# Courtesy

_NAME = r"(?: [A-Z][\w.'-]*){0,3}"
_GREETING = r"(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening|day))(?: there| all| everyone| team)?"
_OPENINGS = lazy(
    rf"\s*(?:(?i:{_GREETING}){_NAME}(?i:[!,.:\n]+)"
    r"|(?i:[^.!?\n]{0,50}\b(?:silly|stupid|dumb|bad) questions?\b[^.!?\n]{0,30}[.!]+|(?:yes"
    r"|no)[, ]+(?:no, )?(?:do |please )?ask(?: away)?\b[^.!?\n]{0,30}[.!]+)"
    r"|(?i:(?:sure(?: thing)?|certainly|of course|no (?:problem|worries)(?: at all)?|gladly|with pleasure|you bet"
    r"|my pleasure"
    r"|(?:that's |that is |what )?an? (?:really |very )?(?:great|good|excellent|interesting|fair|nice|lovely"
    r"|fun) (?:question|one)"
    r"|(?:great|good|excellent|interesting|fair|nice) (?:question|one|point)"
    r"|(?:many )?thanks(?: (?:so much|a lot|again))?(?: for [\w' ]{2,50})?|thank you(?: (?:so"
    r"|very) much)?(?: for [\w' ]{2,50})?"
    r"|(?:i(?:'d| would) be |i'm |i am |always )?(?:happy|glad|delighted|pleased) to (?:help|assist|answer)[\w' ]{0,30}"
    r"|let me (?:see|think|check|look (?:that|this|it) up|help(?: you)?(?: with (?:that|this))?)"
    r"|here(?:'s| is| are) (?:the|your|my|a|an) [\w ]{0,30}?(?:answer|response|result|reply|info|information"
    r"|details?|summary)[\w ]{0,30}"
    r"|here(?:'s| is) (?:what i (?:found|know|have)|what you need|it)|here (?:you go|it is|we go)"
    r"|ok(?:ay)?|alright|all right|well|so|hmm+|ah|oh|um|uh|right then|now|good news|great news|absolutely!(?= here)"
    r"|i(?:'ve| have) (?:checked|looked)[\w' ]{0,40}|thanks))(?i:(?:[!.:…\n]+|,\s|\s[-–—]+\s)+))",
)
_SAID_OF_IT = (
    r"(?:as of|as at|since) (?:(?:my|the) (?:last|latest|most recent)[\w ]{0,25}|today|now|right now|this writing"
    r"|writing|"
    r"(?:(?:early|late|mid)[- ])?(?:(?:[a-z]+ )?(?:\d{1,2}(?:st|nd|rd|th)?,? )?)?(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?)"
)
_PREAMBLE = lazy(
    r"\s*(?:(?:as far as (?:i (?:know|can (?:tell|see)|am aware|remember|recall)|i'm aware|we know)"
    r"|to (?:the best of )?my (?:best )?knowledge|to the best of my (?:knowledge|recollection)"
    r"|if i (?:remember|recall)(?: (?:correctly|rightly|right))?|if memory serves(?: me)?(?: (?:right|well|correctly))?"
    r"|iirc|afaik|from what i (?:know|can tell|remember|understand|have read|gather)|in my (?:opinion|view"
    r"|understanding)"
    r"|(?:to|in order to) answer your question|in (?:short|brief|summary|a nutshell|conclusion|other words)"
    r"|to (?:sum up|summari[sz]e|be (?:clear|precise|exact))"
    r"|short answer|quick answer|long story short|tl;?dr|simply put|put simply|basically|essentially"
    r"|interestingly(?: enough)?"
    r"|(?:according to|based on|judging (?:by|from)|going by|as stated in|as per|per) (?!yes|no\b)[^,.:!?\n]{2,60}"
    r"|as an? (?:ai|large language model|language model|assistant)[^.!?\n]{0,90}?(?:, but|; however|, however"
    r"|, though|\. (?:however|that said|still),?)"
    rf"|{_SAID_OF_IT})(?:,|:|;|\s[-–—])\s*(?:(?:but|though|however),?\s)?|as of my last update:?\s)",
    re.I,
)
_AS_OF = lazy(
    rf"(?:,\s?|\s?\(|\s)(?:{_SAID_OF_IT})\)?(?=[\s.,;!?]|$)|(?:,\s?|\s)(?:as far as i (?:know|can tell|am aware"
    rf"|'m aware)|afaik|iirc|to my knowledge|to the best of my knowledge|if i remember correctly"
    rf"|if i recall correctly|i believe|i think)(?=[.,;!?]|$)",
    re.I,
)
_CLOSINGS = lazy(
    r"(?:(?<=[.!?…)\n])|(?<=[^\w\s]))\s*(?:(?:i )?hope (?:this|that|it)[^.!?\n]{0,40}(?:help|clear|useful"
    r"|answer)[^.!?\n]{0,40}"
    r"|(?:please )?(?:let me know|feel free|don't hesitate|do not hesitate|reach out|get in touch)[^.!?\n]{0,120}"
    r"|(?:is|was) there anything else[^.!?\n]{0,80}|(?:do you have|any) (?:other|more|further) questions[^.!?\n]{0,40}"
    r"|if you(?:'d| would)? (?:have|need|like|want)[^.!?\n]{0,40}(?:question|help|information|detail|assist|know"
    r"|more)[^.!?\n]{0,80}"
    r"|(?:i'm |i am )?(?:always )?(?:happy|glad) to help[^.!?\n]{0,50}|(?:would you like|shall i|do you want me"
    r"|want me to|can i help)[^.!?\n]{0,120}"
    r"|have (?:a|an) (?:nice|great|good|lovely|wonderful|safe)[^.!?\n]{0,30}|enjoy[^.!?\n]{0,40}|you're welcome"
    r"|good luck[^.!?\n]{0,40}|safe travels|thanks(?: again)?(?: for [^.!?\n]{0,40})?|thank you(?: for [^.!?\n]{0,40})?"
    r"|(?:best|kind|warm|many)(?: regards| wishes)?|cheers|sincerely|regards|yours(?: \w+)?)"
    r"(?:[,!.?…]|\n|$)\s*(?:[-–—]?\s?(?:[A-Z][\w.'-]*|the|your|team|support|\s){0,6}[.!]?)?\s*$",
    re.I,
)
_MOST_OPENINGS = 4
_MOST_CLOSINGS = 3


def _without_courtesy(text: str) -> str:
    """Return the text without courtesy at its beginning and end, unless nothing else is left."""
    for _ in range(_MOST_OPENINGS):
        match = _OPENINGS.match(text) or _PREAMBLE.match(text)
        if match is None or not match[0] or not text[match.end() :].strip(" .!\n"):
            break
        text = text[match.end() :]
    for _ in range(_MOST_CLOSINGS):
        match = _CLOSINGS.search(text)
        if match is None or not text[: match.start()].strip():
            break
        text = text[: match.start()].rstrip()
    shorter = _AS_OF.sub("", text)
    return shorter if len(shorter.split()) > 0 else text


ANSWER_MARK = "Answer: "
"""Prefix of a marked answer in a stripped reply."""
_TITLE = lazy(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]+(?P<hashes>[^\n]{1,80})|(?:\*\*|__)(?P<strong>[^\n*_]{1,80})(?:\*\*|__):?"
    r"|(?P<under>[^\s#|>*_-][^\n|]{0,60})\n[ \t]{0,3}(?:={3,}|-{3,}))[ \t]*$",
    re.M,
)
_SENTENCE_END = lazy(r"[.!?]\s")
_SMALL = stem_set("the a an my our your and or of to in at it this that is")
_OF_ANSWERS = stem_set("answer result conclusion verdict solution outcome tldr tl dr")
_OF_SOURCES = stem_set("source reference citation bibliography link further reading")
_OF_SECTIONS = _OF_ANSWERS | stem_set(
    "final short quick brief direct key main bottom line important additional more further next full long response "
    "reply summary overview introduction intro background context detail explanation reasoning analysis note fact "
    "point takeaway why how step info information glance recommendation example caveat tip discussion finding "
    "rationale justification evidence question"
)


def without_titles(text: str) -> str:
    """Return the text without generic titles and sources; a short answer section is marked as the answer."""
    if "#" not in text and "**" not in text and "__" not in text and "\n==" not in text and "\n--" not in text:
        return text
    kept = "\n\n".join(_sections(text)).strip()
    return kept if any(letter.isalnum() for letter in kept) else text


def _sections(text: str) -> Iterator[str]:
    titles = [*filter(_is_title, _TITLE.finditer(text)), None]
    first = titles[0]
    yield text if first is None else text[: first.start()]
    for title, following in pairwise(titles):
        if title is not None:
            end = len(text) if following is None else following.start()
            yield _section(title, text[title.end() : end])


def _is_title(line: re.Match[str]) -> bool:
    """Whether a line is a section title; bold or underlined text on a line of its own may be the answer itself."""
    return line["hashes"] is not None or _title_words(line) <= _OF_SECTIONS | _OF_SOURCES


def _title_words(title: re.Match[str]) -> set[str]:
    return set(words(fold(title["hashes"] or title["strong"] or title["under"]))) - _SMALL


def _section(title: re.Match[str], body: str) -> str:
    """Return a section without a generic title; empty if it lists sources."""
    telling = _title_words(title)
    if telling and telling <= _OF_SOURCES:
        return ""
    if not telling or not telling <= _OF_SECTIONS:
        return f"{title[0]}{body}"
    return f"{ANSWER_MARK}{body.strip()}" if telling & _OF_ANSWERS and _is_short(body.strip()) else body


def _is_short(body: str) -> bool:
    """Whether it is a single sentence on one line."""
    return bool(body) and "\n" not in body and _SENTENCE_END.search(body) is None
