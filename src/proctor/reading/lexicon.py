"""Words that mean one thing, and words that mean the opposite: small tables of everyday English, no dictionary."""

from __future__ import annotations

import re
from functools import lru_cache

from proctor.text.words import stem

_WHEN = r"(?:time|year|date|day|month|century|decade|hour)"
_PHRASES = (
    (r"\b(do|does|did|can|may|must|should|could|is|has|will|would|if|when) one\b(?! of)", r"\1"),
    (r"\bannual leave\b|\bdays? off\b|\btime off\b|\bpaid leave\b", "holiday"),
    (r"\bhow come\b|\bfor what reasons?\b|\bwhat (?:is|was|are|were) the (?:reasons?|cause) (?:for|of|why|behind)\b", "why"),
    (r"\bwhat (?:causes?|caused|leads? to|led to|brings? about|brought about|makes?|made)\b(?! up\b)", "why"),
    (r"\b(?:am|are|is|be) (?:i |we |you |one )?(?:obliged|required|forced|supposed) to\b", "require"),
    (r"\b(?:do|does|did|will|would)(?= (?:\w+ ){1,4}?(?:have|need) to\b)", ""),
    (r"\b(?:have|has|had) (?:got )?to\b|\bneeds? to\b|^must\b", "require"),
    (r"\bat whose expense\b|\bwho (?:covers|bears|foots) the (?:costs?|bill) (?:of|for)\b", "who price for"),
    (r"\bin charge of\b|\bat the helm of\b|\bat the head of\b", "manage"),
    (r"\bwho(?: is| was|'s)? (?:the )?(?:running|runs|ran|heads|headed|leads|led)\b", "who manage"),
    (r"\bchief executive(?: officer)?\b|\bceo\b|\bmanaging director\b", "manage"),
    (r"\b(?:came|come|comes) up with\b|\bthought up\b|\bwhose idea (?:is|was|were)\b", "who invent"),
    (r"\bdate of birth\b|\bbirth ?date\b|\bbirthday\b", "when born"),
    (r"\bplace of birth\b|\bbirth ?place\b|\b(?:come|comes|came) from\b", "where born"),
    (r"\bdate of death\b", "when die"),
    (r"\bplace of death\b", "where die"),
    (r"\b(?:until|till) (?:when|what time|which hour)\b(?=[^?]*\bopen\b)([^?]*)\bopen\b", r"when \1 close"),
    (rf"\b(?:by|until|till) (?:when|(?:what|which) {_WHEN})\b|\bhow late\b|\bdeadline\b"
     rf"|\bwhat(?:'s| is) the (?:last|latest) (?:{_WHEN} )?", "when deadline "),
    (rf"\b(?:in|at|on|from|during) (?=(?:what|which) {_WHEN}\b)", ""),
    (rf"\b(?:what|which) {_WHEN}\b(?! of)|\bhow long ago\b", "when"),
    (rf"^what(?:'s| is| was| are| were)((?: (?!per |an? |each |every |of |in |for )[\w']+){{0,4}}?) {_WHEN}s?\b", r"when \1"),
    (r"\b(?:in|at|to|from) (?:what|which) (?:place|location|spot)\b|\bwhereabouts\b|\bwhat(?:'s| is) the (?:location|address) of\b",
     "where"),
    (r"\b(?:what|which) (?:person|people|man|woman)\b|\bby whom\b", "who"),
    (r"\b(boil|melt|freez)ing point\b", r"temperature \1"),
    (r"\bhead(?: |-)?quarters\b|\bhead offices?\b|\bhq\b|\bmain office\b", "headquarter"),
    (r"\bcar ?parks?\b|\bparking (?:lots?|spaces?|places?)\b", "parking"),
    (r"\bfree(?=\?)", "gratis"),
    (r"\bset up\b|\bstarted up\b", "found"),
    (r"\bcall(?:ed|s|ing)? off\b", "cancel"),
    (r"\b(?:is|was|are|were|be) over\b", "end"),
    (r"\bg(?:o|oes|oing|one) ahead\b|\btak(?:e|es|ing|en) place\b|\btook place\b|\bwent ahead\b", "happen"),
    (r"\bpass(?:ed|es)? away\b", "die"),
    (r"\bgo(?:es)? up\b|\bwent up\b|\bgoing up\b", "rise"),
    (r"\bgo(?:es)? down\b|\bwent down\b|\bgoing down\b", "fall"),
    (r"\bhow (?:many|much) (seconds|minutes|hours|days|weeks|months)(?= (?:do|does|did|is|are|will|must|should)\b)", "how long"),
    (r"\bhow many (metres|meters|kilometres|kilometers|miles|feet) (?:high|tall)\b", "how high"),
    (r"\b(?:head ?count|workforce|number of (?:employees|staff|workers))\b", "how many employee"),
    (r"\bhow many people work\b", "how many employee"),
    (r"\bpopulation\b|\bnumber of inhabitants\b|\bhow many (?:people|inhabitants|residents)(?: \w+)? live\b",
     "how many inhabitant"),
    (r"\b(?:the |what )?(?:total )?(?:number|count|tally) of\b", "how many"),
    (r"\bmake (?:a|one's|his|her|their) living\b|\bdo(?:es)? for a living\b", "occupation"),
    (r"\bhow (?:frequently|regularly)\b|\bwhat(?:'s| is) the frequency of\b", "how often"),
    (r"\bhow much (?:is|are|was|were)\b", "how much price"),
    (r"\bfree of charge\b|\bfor free\b|\bat no (?:cost|charge)\b|\bcosts? nothing\b|\bcomplimentary\b", "gratis"),
    (r"\b(?:free|rid|devoid) of\b|\black(?:s|ing)?\b", "without"),
)
PHRASES = tuple((re.compile(pattern), f" {word} ") for pattern, word in _PHRASES)
"""Turns of phrase in a folded question → the plain word."""

_ALIKE = """
write author writer pen compose composer poet novelist | design architect designer | paint painter | film movie picture
| direct director filmmaker | found founder establish create creator | invent inventor | discover discoverer discovery
| build builder construct construction erect | make maker manufacture manufacturer produce producer production
| kill killer assassinate assassin murder murderer slay slayer | win winner victor champion | beat defeat
| share percentage proportion fraction percent | play portray act actor | mean meaning
| manage manager management boss chief supervise supervisor oversee | own owner belong possess
| publish publisher publication | sing singer vocalist | teach teacher | coach trainer | perform performer
| begin start commence commencement beginning launch | end finish conclude conclusion over terminate termination
| price cost charge fee pay expense tariff | weight weigh heavy | height tall high altitude elevation | depth deep
| width wide broad breadth | age old | speed fast quick quickly | distance far | size large big area
| temperature hot warm cold | duration last period | length long | require need requirement necessary
mandatory compulsory obligatory obligation oblige essential | allow permit permissible permission may legal allowed welcome
| bear born birth | die death dead | marry marriage spouse wife husband | live reside residence resident inhabitant
| employ employee staff worker personnel employment | holiday vacation | buy purchase acquire acquisition buyer
| sell sale seller | language tongue | car vehicle automobile | shop store | valid validity
| expire expiry expiration | send ship deliver delivery dispatch shipping | arrive arrival | depart departure
| cancel cancellation | cover include contain | repair fix mend | occupation job profession | salary earn wage income
| name call title | sign signature | locate situate location | phone telephone | doctor physician | lawyer attorney
| refund reimburse reimbursement | biggest largest greatest | smallest tiniest littlest | highest tallest
| lowest shortest | holiday vacation | symbol abbreviate abbreviation | reason cause | destroy destruction ruin
| close shut closing closure | open opening | lend loan borrow | elect election vote | approve approval clear clearance
| happen occur occurrence | choose select choice selection | teach instruct | help assist assistance
| ask inquire enquire | use usage utilise utilize | allow enable | test exam examination | sickness illness disease ill
| quantity amount | maximum most top | minimum least | capacity hold | register registration enrol enroll
| apply application | pay payment | insure insurance | leader head | colour color | client customer
| mistake error | firm company business | dog dogs | feed food eat | drink drinkable beverage | visit visitor
| vegan vegetarian | accept acceptance | develop developer development | flat apartment | lift elevator
| lorry truck | rubbish garbage trash | town city | pupil student | baby infant | physician doctor
| journey trip travel | photo photograph picture | ill sick | pupil student | prize award | shut close
"""

_OPPOSITES = """
open: close closed shut | allow: forbid forbidden prohibit ban bar banned outlaw illegal disallow
| safe: dangerous hazardous toxic harmful risky | require: optional voluntary | begin: end | happen: cancel off scrap abandon
| win: lose lost | rise: fall drop decline decrease shrink sink | alive: dead die extinct | pass: fail
| work: broken fail | true: false wrong | available: sold | include: exclude except omit | cover: exclude except
| success: failure | accept: reject refuse decline deny | approve: reject veto block
| before: after | float: sink | cheap: expensive dear costly | hot: cold | long: short | tall: short | big: small
| fast: slow | early: late | old: new young | heavy: light | strong: weak | full: empty | rich: poor | easy: hard
difficult | clean: dirty | wet: dry | public: private | guilty: innocent | married: single divorced unmarried
| gratis: price paid | increase: decrease reduce | above: below | inside: outside | indoors: outdoors
| present: absent | permanent: temporary | male: female | odd: even | left: right | north: south | east: west
| always: never | free: busy occupied taken | innocent: guilty | lead: trail | grow: shrink | gain: lose
| effective: useless | healthy: sick unhealthy | useful: useless | human: robot | natural: artificial synthetic
| vegan: meat beef chicken pork fish milk dairy egg | finish: unfinished ongoing | raw: cooked
| profit: loss | deaf: hearing | export: import | domestic: foreign | deny: admit confirm | remain: leave
"""
_PREFIXED = re.compile(r"(?:un|in|im|il|ir|non|dis)-?(?=(\w{3,}))")
_SUFFIXES = re.compile(
    r"(?:isation|ization|ation|ition|ment|ness|ance|ence|ancy|ency|able|ible|ship|ity|ion|ist|ive|ous|ary|ory|eer|ant|ent|al"
    r"|er|or|ar|ic|ful|y)$"
)
_SHORTEST_ROOT = 4
_KEPT = 16384


def _concepts() -> dict[str, str]:
    found: dict[str, str] = {}
    for group in _ALIKE.replace("\n", " ").split("|"):
        first, *_ = stems = [stem(word) for word in group.split()]
        name = found.get(first, first)
        for each in stems:
            found.setdefault(each, name)
    return found


_CONCEPTS = _concepts()


def _reversed() -> dict[str, str]:
    entries = (entry.partition(":") for entry in _OPPOSITES.replace("\n", " ").split("|"))
    return {
        concept(stem(word)): concept(stem(name.strip()))
        for name, _, others in entries
        for word in others.split()
        if concept(stem(word)) != concept(stem(name.strip()))
    }


@lru_cache(maxsize=_KEPT)
def concept(word: str) -> str:
    """One stem for all that mean the same."""
    return _CONCEPTS.get(word) or _CONCEPTS.get(root(word), word)


@lru_cache(maxsize=_KEPT)
def root(word: str) -> str:
    """What is left of a stem without the endings that make nouns and adjectives of verbs: inventor, invention."""
    short = _SUFFIXES.sub("", word)
    return short if len(short) >= _SHORTEST_ROOT else word


@lru_cache(maxsize=_KEPT)
def akin(one: str, other: str) -> bool:
    """Whether two stems mean one thing: by the table, or as forms of one word."""
    if one == other:
        return True
    first, second = concept(one), concept(other)
    return first == second or (root(first) == root(second) and not first[:1].isdigit())


@lru_cache(maxsize=_KEPT)
def upright(word: str) -> tuple[str, bool]:
    """A stem's concept in its plain form, and whether the stem says its opposite: unsafe → (safe, True)."""
    plain = concept(word)
    if plain in _OPPOSITE:
        return _OPPOSITE[plain], True
    prefixed = _PREFIXED.match(word)
    if prefixed is None or plain in _PLAIN:
        return plain, False
    return concept(prefixed[1]), True


_OPPOSITE = _reversed()
_PLAIN = {*_CONCEPTS.values(), *_OPPOSITE.values()}
