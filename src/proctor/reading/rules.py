"""Judge how well a reply matches the expected answer, by rules over words, numbers and dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from proctor.reading.contradiction import contradiction
from proctor.reading.doers import answers_otherwise, in_other_part
from proctor.reading.expected import Answered, Expected
from proctor.reading.facts import facts_met
from proctor.reading.match import Match
from proctor.reading.named import named_aside
from proctor.reading.names import TITLES, are_one
from proctor.reading.near_names import near_name
from proctor.reading.opposites import NEGATORS, OPPOSITES
from proctor.reading.question import Asked
from proctor.reading.reversal import missing_denial
from proctor.reading.stance import stance
from proctor.reading.text.choices import items
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import find_exception, find_negation
from proctor.reading.text.overlap import GENERIC, STOP
from proctor.reading.text.passage import Passage
from proctor.reading.text.words import stem_set
from proctor.reading.thesaurus import likeness
from proctor.reading.turned import TurnedRound, lacks_label, turned_round
from proctor.reading.verdict import MOST_WITHOUT_FACT, PASSING, WRONG_FACT, Form, Verdict
from proctor.reading.words import words_met
from proctor.reading.yes_no import yes_or_no

_AROUND_VERB = lazy(
    r"\b(?:is|are|was|were|includes?|including|ha(?:s|ve|d)|contains?|comprises?|covers?|offers?|gets?|with)\b"
    r"(?: all)?|:\s"
)
_REST = lazy(r"\b(?:the )?(?:rest|remainder|remaining \w+|traces?) (?:is|are|of|being|consists?)\b.*")
"""Match the remainder of a composition: `The rest is argon` is no item of the answer."""
_NEAR = 0.45
"""Minimum word overlap with a statement from which a single opposite reverses it."""
_FACT_LEFT_OUT = 0.7
_WEIGHT_OF_FACT = 2.0
_MOST_WITH_EXTRA, _MOST_INCOMPLETE = 0.4, 0.65
_PART_OF_NAME = 0.5
"""Minimum score of a name in a list: a given name suffices."""
_IN_ORDER = lazy(r"\bin (?:the right |the correct |the )?order\b|\bfirst, second\b|\bin (?:what|which) order\b")
_THROUGH = lazy(r"[\w']+ (?:through|thru|till|until|to) (?:on )?")
_ALONE = lazy(r"\b(?:alone|all by (?:himself|herself)|single-handed(?:ly)?|on (?:his|her) own)\b")
_ENDED = lazy(
    r"\b(?:ended|discontinued|dropped|ceased|no longer|was removed|were removed|was withdrawn|absent|apologies"
    r"|stayed (?:away|home|at home)|called in sick|on sick leave|missed (?:it|out)|ha[sd] to (?:cancel|drop out))\b"
)
_COUNTS = lazy(r"^(?:once|twice|(?:\w+ )?times) (?:a|per|each) \w+$|^(?:all|the) (?:two|three|four|five|six)$")
_FREE = lazy(r"[- ]free\b(?! of| for| to| with| from)")
_APART = lazy(
    r"\b(?:(?:sold|bought|available|ordered|billed|charged) separately|separate purchase|not (?:part of|included)"
    r"|optional extra|costs? extra|left out|excluded)\b"
)
_BEGINNING = 4
_SENTENCE, _PART = lazy(r"(?<=[.!?])\s+|\n+|;\s"), lazy(r",\s(?:and\s)?|\sand\s")
_ADDS = stem_set("also too plus add addition additionally finally well third fourth last another then further")
_OF_NAMES = ("person", "place", "name")
_NO = stem_set("no without non")
_UNDECIDED = 0.4
_LIKE, _NEAR_WORDS = 0.9, 4
_SHORT_REPLY = 40
_MOST_ASIDE = 0.3
"""Maximum score if the reply contains the expected name without giving it as the answer."""


def best_verdict(reply: Answered, asked: Asked, answers: list[Expected]) -> Verdict:
    """Return the verdict for the spelling of the expected answer that matches best."""
    best = Verdict(0.0, "nothing is expected")
    for answer in answers:
        if _is_acronym_of(answer, answers) and answer.passage.stems[0] not in reply.stems:
            continue  # if the reply spells the name out, the full name decides
        verdict = _against(reply, asked, answer)
        if best.answer is None or verdict.value > best.value:
            best = verdict._replace(answer=answer)
        if best.value >= 1.0:
            break
    return best


def _is_acronym_of(answer: Expected, answers: list[Expected]) -> bool:
    """Whether an expected answer is only an acronym of another: IRS for `Institute for Rail Safety (IRS)`."""
    if len(answers) < 2 or len(answer.passage) != 1 or not answer.text.isupper():
        return False
    short = answer.passage.folded
    initials = ("".join(word[0] for word in other.weights) for other in answers if other is not answer)
    return any(letters.startswith(short) for letters in initials)


def enumerates(reply: Answered, asked: Asked, answers: list[Expected]) -> bool:
    """Whether the reply lists several things where no list was expected: `Sydney, Canberra and Melbourne`."""
    if any(answer.items or answer.only_facts for answer in answers):
        return False
    others = _find_unexpected(reply, asked, answers)
    return len(others) > 1 and 2 * len(others) >= len(items(reply.passage.folded))


def _against(reply: Answered, asked: Asked, answer: Expected) -> Verdict:
    if answer.squeezed and reply.squeezed == answer.squeezed:
        return Verdict(1.0, f"the same as expected: {answer.text!r}", found=1.0, first=0, form="same")
    if answer.polarity is not None and (asked.yes_no or len(answer.passage) == 1):
        return (yes_or_no(reply, asked, answer) or _rest(reply, asked, answer))._replace(form="yes_no")
    if answer.items:
        return _list(reply, asked, answer)._replace(form="list")
    return _unless_turned(reply, asked, answer, _single(reply, asked, answer))


def _unless_turned(reply: Answered, asked: Asked, answer: Expected, verdict: Verdict) -> Verdict:
    """Return the verdict, refuted if a word of the statement is reversed."""
    if verdict.refuted or verdict.form != "words" or asked.negative:
        return verdict
    turn = turned_round(reply, answer, asked.content)
    if turn is None and answer.statement and (label := lacks_label(reply, answer)):
        turn = TurnedRound(f"does not name {label!r}", sure=False)
    if turn is None:
        return verdict
    if not turn.sure:
        return verdict._replace(doubtful=True, explanation=f"{verdict.explanation}, but the reply {turn.does}")
    explanation = f"expected {answer.text!r}, but the reply {turn.does}"
    return verdict._replace(
        value=min(verdict.value, MOST_WITHOUT_FACT), explanation=explanation, refuted=True, factor=0.0
    )


def _rest(reply: Answered, asked: Asked, answer: Expected) -> Verdict:
    """Judge by what is expected besides the yes or no."""
    assert answer.rest is not None
    return _single(reply, asked, answer.rest)


def _single(reply: Answered, asked: Asked, answer: Expected) -> Verdict:
    match = _met(reply, asked, answer)
    form: Form = "facts" if answer.only_facts else "words"
    if match.first < 0 or not match.value:
        sure = answer.only_facts and bool(reply.facts) and not match.value
        return Verdict(match.value, match.explanation, sure, match.value, form=form)
    if answer.statement:
        return _statement(reply, asked, answer, match)
    stands = stance(reply, asked, answer, match.first, match.last)
    value, why = match.value * stands.factor, match.explanation
    if stands.does:
        why = f"expected {answer.text!r}, but the reply {stands.does}"
    sure = stands.sure and match.value >= PASSING
    if not sure and (denied := _part_denied(reply, asked, answer)):
        return Verdict(
            min(value, _MOST_ASIDE),
            f"expected {answer.text!r}, but the reply {denied}",
            True,
            match.value,
            stands.factor,
            match.first,
            form,
        )
    other = "" if sure or (form == "facts" and asked.kind not in _OF_NAMES) else _not_given(reply, asked, answer, match)
    if other:
        value, sure, why = min(value, _MOST_ASIDE), True, f"expected {answer.text!r}, but the reply {other}"
    return Verdict(value, why, sure, match.value, stands.factor, match.first, form)


def _part_denied(reply: Answered, asked: Asked, answer: Expected) -> str:
    """Find what a short reply denies of a short answer, or leaves without its negation; empty if nothing."""
    if len(reply.passage) > _SHORT_REPLY or asked.negative:
        return ""
    if not NEGATORS.isdisjoint(answer.passage.stems):
        return missing_denial(reply, answer)
    stems = reply.passage.stems
    if len(answer.weights) < 2 or answer.only_facts:
        return ""
    for word in answer.weights:
        places = [place for place, other in enumerate(stems) if other == word and word not in asked.content]
        if places and all(_is_denied(reply, place) for place in places):
            return f"denies {reply.passage.quote(places[0], places[0])!r}"
    return ""


def _is_denied(reply: Answered, place: int) -> bool:
    """Whether a word is negated: `No Android`, `egg-free`."""
    passage = reply.passage
    before = place - 1
    if place and passage.stems[before] in _NO and passage.clauses[before] == passage.clauses[place]:
        return True
    return _FREE.match(passage.folded, passage.ends[place]) is not None


def _not_given(reply: Answered, asked: Asked, answer: Expected, match: Match) -> str:
    """Explain that a short reply mentions the expected name without giving it as the answer; empty if it gives it."""
    if len(reply.passage) > _SHORT_REPLY:
        return ""
    if named := near_name(reply, asked, answer):
        return f"names {named!r}"
    if len(reply.passage) == match.last - match.first + 1:
        return ""
    first, last = _rarest(reply, answer, match)
    if first != match.first and find_exception(reply.passage, first) is not None:
        return f"excepts {reply.passage.quote(first, last)!r}"
    where = (reply, asked, answer, first, last)
    objection = named_aside(*where) or in_other_part(*where)
    if not objection and (other := answers_otherwise(*where)) and fold(other, accents=False) != _initials(answer):
        objection = f"answers with {other!r}"
    return objection


def _initials(answer: Expected) -> str:
    """Return the initials of a name: IMF."""
    return "".join(word[0] for word in answer.passage.stems if word not in STOP)


def _statement(reply: Answered, asked: Asked, answer: Expected, match: Match) -> Verdict:
    """Judge a statement by its words, unless something in the reply contradicts it."""
    near = match.value >= _NEAR
    objection = contradiction(reply, answer, near=near) or (
        "" if asked.negative else _denied_whole(reply, answer, match)
    )
    if not objection:
        return Verdict(match.value, match.explanation, False, match.value, 1.0, match.first)
    explanation = f"expected {answer.text!r}, but the reply {objection}"
    return Verdict(min(match.value, MOST_WITHOUT_FACT), explanation, True, match.value, 0.0, match.first)


def _rarest(reply: Answered, answer: Expected, match: Match) -> tuple[int, int]:
    """Return the position of the expected name: around its word that is rarest in the reply."""
    stems, own = reply.passage.stems, answer.passage.stems
    found = [word for word in answer.weights if word in reply.stems and word not in TITLES]
    if len(found) < 2 or match.last - match.first + 1 >= len(found):
        return match.first, match.last
    first = last = stems.index(min(found, key=stems.count))
    while first and stems[first - 1] in own:
        first -= 1
    while last + 1 < len(stems) and stems[last + 1] in own:
        last += 1
    return first, last


def _denied_whole(reply: Answered, answer: Expected, match: Match) -> str:
    """Explain that a statement contained verbatim in the reply is negated; empty if it is not."""
    if answer.negative or answer.squeezed not in reply.squeezed:
        return ""
    place = find_negation(reply.passage, match.first, match.last)
    return "" if place is None else f"says {reply.passage.quote(min(place, match.first), max(place, match.last))!r}"


def _met(reply: Answered, asked: Asked, answer: Expected) -> Match:
    """Match words and facts together: a wrong number cancels matching words."""
    if not answer.facts:
        return words_met(reply, asked, answer)
    facts = facts_met(reply, asked, answer)
    if answer.only_facts and facts is not None:
        return facts
    match = words_met(reply, asked, answer)
    if answer.only_facts:
        return match._replace(value=min(match.value, MOST_WITHOUT_FACT))
    if facts is None:
        return match._replace(value=match.value * _FACT_LEFT_OUT)
    if facts.value < WRONG_FACT:
        return match._replace(value=min(match.value, MOST_WITHOUT_FACT), explanation=facts.explanation)
    known = _WEIGHT_OF_FACT * len(list(answer.facts))
    value = (match.value * answer.total + facts.value * known) / (answer.total + known)
    if match.first < 0:
        return facts._replace(value=value, explanation=f"{facts.explanation}, without the rest of {answer.text!r}")
    return match._replace(value=value)


def _list(reply: Answered, asked: Asked, answer: Expected) -> Verdict:
    """Judge a list in any order; a missing item makes it incomplete, an extra one wrong."""
    others = replace(asked, content=asked.content.union(*(item.weights for item in answer.items)), kind="list")
    missing = [item.text for item in answer.items if not _has(reply, others, item)]
    if not missing and (against := _against_list(reply, asked, answer)):
        return Verdict(_MOST_WITH_EXTRA, f"expected {answer.text!r}, but the reply {against}", True)
    missing = missing or _set_aside(reply, others, answer)
    count = len(answer.items)
    found = count - len(missing)
    extra = _extra_items(reply, asked, answer) if found else 0
    explanation = f"{found} of {count} found"
    if missing:
        explanation += f", missing {', '.join(missing)}"
    if extra:
        return Verdict(_MOST_WITH_EXTRA * found / count, f"{explanation}, {extra} not expected")
    return Verdict(min(found / count, _MOST_INCOMPLETE) if missing else 1.0, explanation, len(missing) * 2 > count)


def _set_aside(reply: Answered, asked: Asked, answer: Expected) -> list[str]:
    """Return the items that only follow after the end of a list: `Ham and eggs. Olives are extra.`"""
    passage = reply.passage
    first = {item.text: _met(reply, asked, item).first for item in answer.items}
    sentences = {text: passage.sentences[place] for text, place in first.items() if place >= 0}
    here = Counter(sentences.values()).most_common(1)[0][0]
    listed = [text for text, sentence in sentences.items() if sentence == here]
    apart = [text for text, sentence in sentences.items() if sentence > here]
    if len(listed) < 2 or len(apart) != len(sentences) - len(listed) or "and" not in _sentence_stems(passage, here):
        return []
    return [text for text in apart if _ADDS.isdisjoint(_sentence_stems(passage, sentences[text]))]


def _sentence_stems(passage: Passage, sentence: int) -> frozenset[str]:
    return frozenset(word for word, other in zip(passage.stems, passage.sentences, strict=True) if other == sentence)


def _against_list(reply: Answered, asked: Asked, answer: Expected) -> str:
    """Explain what is wrong with a list that contains every item; empty if nothing."""
    places = [reply.passage.folded.find(item.passage.folded.split()[0][:_BEGINNING]) for item in answer.items]
    if _IN_ORDER.search(asked.folded) and places != sorted(places):
        return "gives another order"
    if len(answer.items) == 2 and _THROUGH.fullmatch(reply.passage.folded[max(0, min(places)) : max(places)]):
        return "gives a whole range"
    if _ALONE.search(reply.passage.folded) and asked.kind != "yes_no":
        return "says that it was one alone"
    return ""


def _extra_items(reply: Answered, asked: Asked, answer: Expected) -> int:
    """Count the items of the reply that were not expected."""
    if all(item.only_facts for item in answer.items):
        wanted = [number.value for item in answer.items for number in item.facts.quantities]
        wanted.append(len(answer.items))  # the number of items: `there are four: …`
        return sum(number.value not in wanted and number.bare for number in reply.facts.quantities)
    return len(_find_unexpected(reply, asked, answer.items)) or len(_find_between(reply, asked, answer))


def _find_between(reply: Answered, asked: Asked, answer: Expected) -> list[str]:
    """Return unexpected items between two expected ones: the Firefox of `works in Chrome, Firefox, Edge and Safari`."""
    known = asked.content.union(*(item.weights for item in answer.items))
    named = all(item.text[:1].isupper() for item in answer.items)  # then `a clockmaker` only describes a name
    found: list[str] = []
    for sentence in _SENTENCE.split(reply.passage.text):
        parts = [(part, stem_set(fold(part, accents=False)) - STOP) for part in _PART.split(sentence)]
        ours = [place for place, (_, stems) in enumerate(parts) if not known.isdisjoint(stems)]
        between = parts[ours[0] + 1 : ours[-1]] if ours else []
        candidates = [(part, stems) for part, stems in between if not named or _has_capital(part)]
        found += [part for part, stems in candidates if 0 < len(stems) <= 2 and _is_strange(stems, known)]
    return found


def _is_strange(item: frozenset[str], known: frozenset[str]) -> bool:
    return known.isdisjoint(item) and not any(are_one(word, other) for word in item for other in known)


def _has(reply: Answered, asked: Asked, item: Expected) -> bool:
    match = _met(reply, asked, item)
    enough = _PART_OF_NAME if len(item.weights) > 1 and not item.facts else PASSING
    if match.value < enough and (place := _said_otherwise(reply, asked, item)) >= 0:
        match = Match(1.0, match.explanation, place, place)
    if match.value < enough or match.first < 0:
        return False
    if asked.negative or item.negative:
        return True
    if _is_denied(reply, match.first) or _is_set_apart(reply, asked, item, match):
        return False
    return find_negation(reply.passage, match.first, match.last) is None and not _has_ended(reply, match)


def _said_otherwise(reply: Answered, asked: Asked, item: Expected) -> int:
    """Return the position of an item in other words: `rail ticket` for `train fare`; -1 if there is none."""
    words = [word for word in item.weights if word not in STOP]
    if not words or item.facts or item.text[:1].isupper():
        return -1
    stems = reply.passage.stems
    places = [next((at for at, other in enumerate(stems) if likeness(word, other) >= _LIKE), -1) for word in words]
    near = max(places) - min(places) <= _NEAR_WORDS
    return min(places) if min(places) >= 0 and near else -1


def _is_set_apart(reply: Answered, asked: Asked, item: Expected, match: Match) -> bool:
    """Whether an item is excluded: `The battery is sold separately`; `withdrawals are free` where a fee is expected."""
    passage = reply.passage
    here = [place for place, sentence in enumerate(passage.sentences) if sentence == passage.sentences[match.first]]
    apart_match = _APART.search(passage.folded, passage.starts[match.first], passage.ends[here[-1]])
    if apart_match and not _APART.search(asked.folded):
        return True
    clause = {passage.stems[place] for place in here if passage.clauses[place] == passage.clauses[match.first]}
    missing = [word for word in item.weights if word not in clause]
    return any(not OPPOSITES.get(word, _NO).isdisjoint(clause) for word in missing)


def _has_ended(reply: Answered, match: Match) -> bool:
    """Whether an item no longer applies: `Firefox support ended last year`."""
    passage = reply.passage
    here = [place for place, clause in enumerate(passage.clauses) if clause == passage.clauses[match.last]]
    return _ENDED.search(passage.folded[passage.starts[match.first] : passage.ends[here[-1]]]) is not None


def _find_unexpected(reply: Answered, asked: Asked, wanted: Sequence[Expected]) -> list[frozenset[str]]:
    """Return the items of the reply that were not expected."""
    named = all(answer.text[:1].isupper() for answer in wanted) and not reply.passage.text.islower()
    found = (item for item in _list_items(_REST.sub("", reply.passage.text)) if not named or _has_capital(item))
    listed = [stem_set(fold(item, accents=False)) - STOP for item in found if not _is_count(item)]
    known = asked.content.union(*(answer.weights for answer in wanted))
    return [item for item in listed if item and _is_strange(item, known) and (named or not item <= GENERIC)]


def _is_count(item: str) -> bool:
    """Whether an item is a count that introduces the list: `There are four`, `twice a week`."""
    folded = fold(item, accents=False)
    return _COUNTS.search(folded) is not None or (
        folded.startswith(("there are", "these are")) and len(item.split()) <= 3
    )


def _has_capital(item: str) -> bool:
    """Whether an item is a name, in contrast to a description: `a clockmaker`."""
    return any(word[:1].isupper() for word in item.split())


def _list_items(text: str) -> tuple[str, ...]:
    """Return the items of a list, even if a verb precedes or follows it."""
    found = items(text)
    if found or "," not in text:
        return found
    return max((items(part.strip(" .")) for part in _AROUND_VERB.split(text)), key=len)
