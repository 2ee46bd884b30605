"""Detect names that are mentioned, but not as the answer: an exception, a runner-up, a former or related one."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from proctor.reading.expected import Answered, Expected
from proctor.reading.question import Asked
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import quantities
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem, stem_set, stems_of

_EXCEPTED = lazy(
    r"\b(?:all|every\w*|any\w*|each|both|most)\b[^.;!?]{0,60}?"
    r"\b(?:but|except(?: for)?|save(?: for)?|bar|apart from|minus) (?:the )?$"
)
_DENIED = lazy(r"\b(?:doubt|not|never|hardly|without|nor)\b|n't\b")
_LEFT_OUT = lazy(
    r"\b(?:if|unless|when) (?:you |we |one )?(?:forget|ignore|exclude|leave out|leave aside|discount|disregard|omit"
    r"|(?:do not|don't) count)\b[^.;!?,]*$"
)
_IS_LEFT_OUT = lazy(r",? (?:is|are|was|were) (?:left out|left aside|excluded|ignored|not counted|set aside)\b")
_RANKED = lazy(
    r"(?: (?:is|was|are|were|comes?|came|finished|ranks?|ranked|took|placed|being|as|in))*(?: only| just| merely)?"
    r"(?: an?| the| in)?(?: close| distant)? (?:second|third|fourth|runner-up|silver|bronze|next|behind)\b"
)
_RANKED_BEFORE = lazy(
    r"\b(?:(?:closely )?(?:followed|trailed|pursued)(?: \w+)? by|ahead of|in front of|narrowly beating|(?:second"
    r"|runner-up|next)(?: place)?(?: is| was| came| comes|:)|and then) (?:the )?$"
)
_ASKS_FIRST = lazy(r"\b(?:\w{2,}est|most|first|wins?|won|winner|top|best|leading|champion\w*)\b")
_ASKS_RANK = lazy(r"\b(?:second|third|fourth|runner|follow\w*|after|next|behind|silver|bronze)\b")
_ONCE = lazy(r"\b(?:until|till|up to|used to|formerly|previously|originally|in the past|back then|at first|once)\b")
_NOW = lazy(r"\b(?:today|now|nowadays|currently|these days|at present|since then)\b")
_ASKS_PAST = lazy(r"\b(?:did|was|were|had|(?<!is )(?<!are )used to|formerly|previously|originally|first|until|once)\b")
_GONE = lazy(
    r",? (?:has |have |had )?(?:(?:just |recently |since )?(?:stepped down|resigned|retired|quit|died|left|gone)"
    r"|been (?:dismissed|replaced|succeeded)|was (?:dismissed|replaced|succeeded)"
    r"|is (?:(?:currently |still )?(?:on (?:holiday|leave|vacation)|ill|sick|away|absent)))\b"
)
_ASKS_NOW = lazy(r"\b(?:is|are|'s|current\w*|now|today|runs|leads|heads|chairs|manages)\b")
_CHANGED = lazy(
    r"\b(?:switched|changed|moved|converted|migrated|transferred|went over|gone over|relocated)(?: over)? to"
    r" (?P<new>(?:the )?[\w'-]+)"
)
_ATTRIBUTED = lazy(r"\b(?:attributed|credited|ascribed) to (?:\w+ ){0,2}$|\bsays? $")
_CORRECTED = lazy(
    r"\b(?:but|however|wrongly|actually|in (?:fact|reality|truth)|though)\b[^.!?]*(?:\bwrong\b|\bwas\b|'s\b)"
)
_REACH = 90


class Aside(NamedTuple):
    """The context of a name: the text before and after it in its sentence, and around its clause."""

    before: str
    after: str
    clause: str
    rest: str
    """The other clauses of the reply."""


def named_aside(reply: Answered, asked: Asked, answer: Expected, first: int, last: int) -> str:
    """Explain how a reply mentions the answer (its words `first` to `last`) without giving it; empty if it gives it."""
    here = aside_of(reply, first, last)
    shown = repr(reply.passage.quote(first, last))
    if asked.negative or answer.negative:
        return ""
    excepted = _EXCEPTED.search(here.before) and not _DENIED.search(here.before)
    if excepted or _LEFT_OUT.search(here.before) or _IS_LEFT_OUT.match(here.after):
        return f"excepts {shown}"
    if _is_ranked(here, asked):
        return f"ranks {shown} behind another"
    if _is_past(here, asked, answer) or (_GONE.match(here.after) and _asks_now(asked)):
        return f"says that it was {shown} before"
    if _is_given_up(here, asked):
        return f"says that {shown} was given up"
    if _is_intended(here, asked):
        return f"says that {shown} was only intended"
    if _is_believed(reply, asked, answer, here, first):
        return f"names {shown} only as what others say"
    if day := _other_day(here, asked):
        return f"says {shown} of {day}"
    if _DECLINED.match(here.after) and not _DECLINED.search(asked.folded):
        return f"says that {shown} declined"
    if _is_semblance(here):
        return f"names {shown} only as what it seems"
    if _is_related(here, asked):
        return f"says of {shown} only what it has to do with it"
    if _is_outside(reply, asked, first):
        return f"says it of {shown} on the other side of the limit"
    if _is_of_another(reply, asked, answer, first):
        return f"says of another what {shown} is"
    if _ATTRIBUTED.search(here.before) and _CORRECTED.search(here.after):
        return f"names {shown} only as what others say"
    return ""


def aside_of(reply: Answered, first: int, last: int) -> Aside:
    """Return the context of the words `first` to `last`."""
    passage = reply.passage
    while first < last and passage.stems[first] in STOP:
        first += 1
    begin = passage.sentences.index(passage.sentences[first])
    end = len(passage) - 1 - passage.sentences[::-1].index(passage.sentences[last])
    clauses = [place for place, number in enumerate(passage.clauses) if number == passage.clauses[first]]
    start, stop = passage.starts[clauses[0]], passage.ends[clauses[-1]]
    return Aside(
        before=passage.folded[max(passage.starts[begin], passage.starts[first] - _REACH) : passage.starts[first]],
        after=passage.folded[passage.ends[last] : passage.ends[end]],
        clause=passage.folded[start:stop],
        rest=f"{passage.folded[:start]} | {passage.folded[stop:]}",
    )


def _is_ranked(here: Aside, asked: Asked) -> bool:
    """Whether the name is ranked lower than asked for: `Saturn, followed by Jupiter`, `with Sicily a close second`."""
    if not _ASKS_FIRST.search(asked.folded) or _ASKS_RANK.search(asked.folded):
        return False
    return _RANKED.match(here.after) is not None or _RANKED_BEFORE.search(here.before) is not None


def _asks_now(asked: Asked) -> bool:
    """Whether a question asks about the present, and not about a departure."""
    if _GONE_VERB.search(asked.folded):
        return False
    return _ASKS_NOW.search(asked.folded) is not None or _ASKS_PAST.search(asked.folded) is None


_GONE_VERB = lazy(r"\b(?:left|leaves?|resign\w*|retire\w*|quits?|die[sd]?|step(?:s|ped) down|former|replace\w*)\b")
_GIVEN_UP = lazy(
    r"\b(?:left|dropped|abandoned|ditched|replaced|retired|cancel(?:l?ed)|discontinued|gave up(?: on)?|got rid of"
    r"|stopped (?:using|working with)|moved (?:away )?from|switched (?:away )?from|migrated (?:away )?(?:from|off)"
    r"|phased out|moved off|walked away from|parted (?:ways )?with"
    r"|no longer (?:use|have|work with|need)) (?:the |our )?$"
)
_INTENDED = lazy(
    r"\b(?:had (?:originally |first |initially )?(?:booked|reserved|planned|ordered|chosen|wanted|hoped"
    r"|considered|intended|meant)"
    r"|(?:originally|first|initially) (?:booked|reserved|planned|ordered|chose|wanted|picked|considered|intended)"
    r"|(?:wanted|planned|intended|meant|hoped|were going|was going|thought about|thought of"
    r"|almost (?:chose|took|booked))\b)"
    r"[^.;!?]*$"
)
_IN_THE_END = lazy(
    r"[^.!?]{0,60}\b(?:but|yet|then|before)\b[^.!?]{0,40}?\b(?:ended up|in the end|eventually|finally|instead|went with"
    r"|settled (?:on|for)|switched to|changed to|had to (?:take|use|fly|stay|go)|took|chose|got)\b"
)
_BELIEVED = lazy(
    r"\b(?:some|many|most|other|others|people|everyone|everybody|lots|it is|it's|often|commonly|widely)\b[^.;!?]{0,30}?"
    r"\b(?:think|thinks|thought|believe|believes|believed|assume|assumes|assumed|say|says|said|claim|claims|guess|guesses"
    r"|suppose|expect|mistake|confuse)\b(?: that)?(?: it is| it's| it was| it to be| the answer is| is)?(?: actually)?"
    r" (?:the )?$"
)


def _is_given_up(here: Aside, asked: Asked) -> bool:
    """Whether the name was given up: `Azure (we left AWS in 2023)`."""
    match = _GIVEN_UP.search(here.before)
    return (
        match is not None
        and _ASKS_PAST.search(asked.folded) is None
        and match[0].split()[0] not in asked.folded.split()
    )


def _is_intended(here: Aside, asked: Asked) -> bool:
    """Whether the name was only intended: `They had booked Lufthansa but ended up flying with KLM`."""
    match = _INTENDED.search(here.before)
    if match is None or _INTENTION.search(asked.folded):
        return False
    return _IN_THE_END.match(here.after) is not None


_INTENTION = lazy(r"\b(?:book|reserv|plan|order|want|hop|consider|intend|originally|initially|first)\w*")


def _is_believed(reply: Answered, asked: Asked, answer: Expected, here: Aside, first: int) -> bool:
    """Whether the name is only a belief, after another answer: `Sydney. Some people think it is Canberra`."""
    if _BELIEVED.search(here.before) is None:
        return False
    known = asked.words.union(answer.passage.stems)
    passage = reply.passage
    before = range(next(at for at, sentence in enumerate(passage.sentences) if sentence == passage.sentences[first]))
    return any(
        passage.quote(place, place)[:1].isupper() and passage.stems[place] not in known | STOP for place in before
    )


_DAY = lazy(r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|today|tomorrow|yesterday|tonight)\b")


def _other_day(here: Aside, asked: Asked) -> str:
    """Return the day for which a clause holds, if the question names another: `cloudy; sunny on Tuesday`."""
    wanted = {day.rstrip("s") for day in _DAY.findall(asked.folded)}
    if not wanted or not here.rest.strip(" |"):
        return ""
    found = [day.rstrip("s") for day in _DAY.findall(here.clause)]
    return found[0] if found and wanted.isdisjoint(found) else ""


def _is_past(here: Aside, asked: Asked, answer: Expected) -> bool:
    """Whether the name was true only formerly: `It was in Lyon till 1998, today it is in Lagos`.

    Also `they used nitrogen and have switched to argon`.
    """
    if _ASKS_PAST.search(asked.folded):
        return False
    own = set(answer.weights)
    changed = _CHANGED.search(here.after) or _CHANGED.search(here.rest.partition("|")[2])
    if changed and own.isdisjoint(stem_set(changed["new"])):
        return True
    return _ONCE.search(here.clause) is not None and _NOW.search(here.clause) is None and _is_now(here, own)


def _is_now(here: Aside, own: set[str]) -> bool:
    """Whether another clause states the present without the expected answer."""
    return any(_NOW.search(part) and own.isdisjoint(stem_set(part)) for part in re.split(r"[|;.,]", here.rest))


_RELATIONS = (
    r"brother|sister|father|mother|son|daughter|wife|husband|cousin|uncle|aunt|friend|rival|assistant|deputy|neighbou?r"
    r"|pupil|student|teacher|predecessor|successor"
)
_RELATED = lazy(
    r" (?:is|was) (?:(?:only |merely |just )?(?:voluntary|optional|excluded|unrelated|irrelevant|something else"
    rf"|different)\b|(?:his|her|its|their|the) (?:{_RELATIONS})\b)"
)
_ASKS_RELATION = lazy(rf"\b(?:{_RELATIONS}|parents?|child\w*|spouse|married)\b")
_DECLINED = lazy(
    r"[^.;:!?]*\b(?:turned (?:it|that|this|them|her|him) down|declined|refused|withdrew|pulled out|dropped out)\b"
)
_SEEMS = lazy(
    r"\b(?:looks?|sounds?|tastes?|feels?|smells?) (?:\w+ )?like (?:an? |the )?$"
    r"|\b(?:seems|appears) to be (?:\w+ )?$"
)
_NAMED_OFTEN = lazy(
    r" (?:is|was|has been) (?:often|usually|sometimes|commonly|widely|frequently) (?:named|credited|mentioned|thought"
    r"|said|believed|cited|given)\b"
)


def _is_semblance(here: Aside) -> bool:
    """Whether the name only seems right: `It looks like silver, but it is platinum`, `Moss is often named, but …`"""
    seems = _SEEMS.search(here.before) or _NAMED_OFTEN.match(here.after)
    return seems is not None and re.search(r"\bbut\b|\bhowever\b|\bin fact\b", here.after + here.rest) is not None


_WHO_KNEW = lazy(r"\w, (?:who|which) (?:\w+ )?(?:\w+ed|taught|knew|met|led) $")


def _is_related(here: Aside, asked: Asked) -> bool:
    """Whether the name is only related: `X goes by his own name; Y is his brother`, `Corelli, who influenced
    Vivaldi`."""
    match = _RELATED.match(here.after) or _WHO_KNEW.search(here.before)
    return match is not None and _ASKS_RELATION.search(asked.folded) is None


_OPENING, _ARTICLES = 3, ("the", "our", "your", "their", "its", "his", "her")
_CONTRAST = lazy(
    r"\b(?:merely|by contrast|in contrast|on the other hand|the (?:older|newer|other|smaller|larger|small|large) ones?"
    r"|the others?|(?:came|followed|joined|arrived)(?: \w+){0,3} (?:later|after\w*)|only (?:later|afterwards)|seconded"
    r")\b"
)


def _is_of_another(reply: Answered, asked: Asked, answer: Expected, first: int) -> bool:
    """Whether the name belongs to another subject: `It runs on MySQL. The ordering service has Postgres`."""
    passage = reply.passage
    here = [place for place, clause in enumerate(passage.clauses) if clause == passage.clauses[first]]
    known = asked.words.union(answer.passage.stems)
    if not any(_is_name(reply, asked, place) and passage.stems[place] not in known for place in range(here[0])):
        return False
    if not answer.weights.keys().isdisjoint(passage.stems[: here[0]]):
        return False
    match = _CONTRAST.search(passage.folded, passage.starts[here[0]], passage.ends[here[-1]])
    if match and not _CONTRAST.search(asked.folded):
        return True
    opening = [passage.quote(place, place) for place in here[:_OPENING]]
    return _is_other_subject(opening, asked, known)


def _is_name(reply: Answered, asked: Asked, place: int) -> bool:
    """Whether a word is written as a name; at the start of a sentence only if a person is asked for."""
    passage = reply.passage
    word = passage.quote(place, place)
    opens = not place or passage.sentences[place - 1] != passage.sentences[place]
    return (
        word[:1].isupper()
        and passage.stems[place] not in STOP
        and (not opens or asked.person or not word[1:].islower())
    )


def _is_other_subject(opening: list[str], asked: Asked, known: frozenset[str]) -> bool:
    """Whether a clause begins with another subject: `The ordering service` for a question about the billing service."""
    article, *rest = opening
    if len(rest) < _OPENING - 1 or article.lower() not in _ARTICLES or not all(word.islower() for word in rest):
        return False
    before, word = map(stem, rest)
    wanted = {word: before for before, word in pairwise(stems_of(asked.folded)) if {before, word} <= asked.content}
    return word in wanted and before not in known and before not in STOP


def _is_outside(reply: Answered, asked: Asked, first: int) -> bool:
    """Whether the name is beyond the limit asked about: `Finance signs up to 1,000` for more than 1,000."""
    wanted = [number for number in quantities(asked.folded) if number.bound]
    if not wanted:
        return False
    passage = reply.passage
    here = [place for place, clause in enumerate(passage.clauses) if clause == passage.clauses[first]]
    clause = passage.folded[passage.starts[here[0]] : passage.ends[here[-1]]]
    return any(
        number.value == other.value and {number.bound, other.bound} == {"low", "high"}
        for number in wanted
        for other in quantities(clause)
    )
