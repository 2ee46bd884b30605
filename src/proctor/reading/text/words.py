"""Split a text into words, and reduce each to a stem shared by its forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from proctor.reading.text.lazy import lazy

# Dotted initials are one word (j. r. r. → jrr, u.s. → us), and so are b12 and 3rd; 64gb is two.
WORD = lazy(
    r"(?<![^\W_])[^\W\d_](?:\. ?[^\W\d_])+(?![^\W_])"
    r"|\d+(?:[.,]\d+)*(?:(?:st|nd|rd|th)\b)?"
    r"|[^\W\d_]+(?:\d[^\W_]*|'[^\W\d_]+)*"
)
# Otherwise the parts of an e-mail address would be separate words, mostly shared by all addresses of a domain.
_ADDRESS = lazy(rf"[\w.+-]{{1,64}}@[\w-]{{1,64}}(?:\.[\w-]{{1,64}}){{1,4}}|{WORD.pattern}")
_CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_ORDINALS = (
    "zeroth first 2nd third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ROMAN = "_ _ ii iii iv _ vi vii viii ix _ xi xii xiii xiv xv xvi xvii xviii xix xx"  # i, v and x are also letters
_SHORT = """
us: usa america | uk: britain | versus: vs v | doctor: dr | saint: st | mount: mt | professor: prof | governor: gov
president: pres | senator: sen | department: dept | government: govt | university: univ | corporation: corp
incorporated: inc | limited: ltd | company: co | avenue: ave | television: tv | gray: grey | child: children
person: people | man: men | woman: women | foot: feet
"""
_PAST = """
write: wrote written | sing: sang sung | win: won | begin: began begun | hold: held | build: built | find: found
give: gave given | take: took taken | make: made | keep: kept | leave: left | send: sent | die: died dying
use: used using | pay: paid | say: said | tell: told | speak: spoke spoken | go: went gone | come: came | become: became
grow: grew grown | know: knew known | buy: bought | bring: brought | teach: taught | think: thought | lose: lost
meet: met | lead: led | run: ran | rise: rose risen | sink: sank sunk | fall: fell fallen | see: saw seen
wear: wore worn | break: broke broken | drive: drove driven | choose: chose chosen | eat: ate eaten | fight: fought
sell: sold | stand: stood | steal: stole stolen | swim: swam swum | get: got gotten | freeze: froze frozen | feel: felt
draw: drew drawn | fly: flew flown | blow: blew blown | throw: threw thrown | show: shown | drink: drank drunk
shrink: shrank shrunk | spring: sprang sprung | ring: rang rung | forget: forgot forgotten | forgive: forgave forgiven
hide: hid hidden | ride: rode ridden | shake: shook shaken | tear: tore torn
wake: woke woken | swear: swore sworn | weave: wove woven | arise: arose arisen | mistake: mistook mistaken
overtake: overtook overtaken | undertake: undertook undertaken | withdraw: withdrew withdrawn | undergo: underwent
understand: understood | withhold: withheld | overcome: overcame | rebuild: rebuilt | catch: caught | seek: sought
hear: heard | mean: meant | spend: spent | lend: lent | bend: bent | sleep: slept | sweep: swept | weep: wept
creep: crept | deal: dealt | learn: learnt | burn: burnt | spill: spilt | spoil: spoilt | lean: leant | kneel: knelt
dig: dug | hang: hung | spin: spun | stick: stuck | sting: stung | strike: struck | swing: swung | cling: clung
slide: slid | shine: shone | light: lit | lay: laid | flee: fled | bleed: bled | breed: bred | beat: beaten
bite: bitten | prove: proven | swell: swollen | sew: sewn | sow: sown
"""
_DROPPED = str.maketrans("", "", ". ")


def _numerals() -> dict[str, str]:
    series = (_CARDINALS, _ORDINALS, _ROMAN)
    return {word: str(value) for names in series for value, word in enumerate(names.split()) if word != "_"}


def _shared_stems(table: str) -> dict[str, str]:
    """Map each word to the stem it shares with others, from a table of `stem: word word | stem: …`."""
    entries = (entry.partition(":") for entry in table.replace("\n", "|").split("|"))
    return {other: _shorten(name.strip()) for name, _, others in entries for other in others.split()}


def word_matches(folded: str) -> Iterator[re.Match[str]]:
    """Iterate over the words of a normalised text with their positions; an e-mail address is one word."""
    return (_ADDRESS if "@" in folded else WORD).finditer(folded)


def words(folded: str) -> list[str]:
    """Return the stems of the words of a normalised text, in order."""
    return [stem(match[0]) for match in word_matches(folded)]


def stem_set(folded: str) -> frozenset[str]:
    """Return the set of stems of a normalised text."""
    return frozenset(words(folded))


@lru_cache(maxsize=1024)
def stems_of(folded: str) -> tuple[str, ...]:
    """Return the stems of a normalised text, cached; an e-mail address is several words."""
    return tuple(stem(word) for word in WORD.findall(folded))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Return the stem of a word: without plural, possessive or tense, in one spelling, with numerals as digits."""
    if word[0].isdecimal():
        return _plain_digits(word)
    if "." in word:
        word = word.translate(_DROPPED)
    if "'" in word:
        word = word[:-2] if word.endswith("'s") else word.replace("'", "")
    return _STEMS.get(word) or _shorten(word)


def _plain_digits(word: str) -> str:
    digits = word.rstrip("sthndr").replace(",", "")
    if digits.count(".") == 1:
        digits = digits.rstrip("0").rstrip(".")
    return digits.lstrip("0") or "0"


def _shorten(word: str) -> str:
    if len(word) < 4 or not word.isascii():
        return word
    word = _singular(word)
    if word.endswith("ing") and len(word) > 5:
        word = _undouble(word[:-3])
    elif word.endswith("ed") and len(word) > 4:
        word = _undouble(word[:-2])
    elif word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    return _one_spelling(word)


def _singular(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _undouble(word: str) -> str:
    """Undo a doubled final consonant: `stopp` → `stop`, but `fill` and `pass` stay."""
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


def _one_spelling(word: str) -> str:
    """Unify the spelling: colour → color, centre → center, organise → organiz; a final e goes, as before -ed."""
    if word.endswith("our"):
        return word[:-3] + "or"
    if word.endswith("tre"):
        return word[:-2] + "er"
    if word.endswith("e") and len(word) > 3 and word != "note":  # else its stem would be that of `not`
        word = word[:-1]
    return word[:-1] + "z" if word.endswith("is") and len(word) > 5 else word


_STEMS = _numerals() | _shared_stems(_SHORT) | _shared_stems(_PAST)
PAST: frozenset[str] = frozenset(_shared_stems(_PAST)) | {"is", "are", "was", "were", "has", "have", "had", "did"}
"""Irregular verb forms."""
