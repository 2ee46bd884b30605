"""Detect the language of a text by its function words and letters."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from proctor.reading.text.lazy import lazy

Language = Literal["en", "de", "fr", "it", "es", "pt", "nl", ""]
"""Supported languages; empty for any other."""

_SMALL: dict[Language, str] = {
    "en": "the a an and of to in is are was were be been do does did has have had can could will would should "
    "may must not "
    "for on at by from with it its this that these those who whom whose what which when where why how many much there "
    "you your i my we our they their he she his her or if as than about most more all any only very so no up "
    "out just also some such other into over under between "
    "before after during each every both few own same then too here again",
    "de": "der die das den dem des ein eine einen einem einer und oder ist sind war waren wird werden hat "
    "haben kann können "
    "muss müssen darf nicht kein keine von zu zum zur mit für auf im in an am bei aus wer was wann wo warum wie viele "
    "viel welche welcher welches wurde gibt es ich wir sie er man auch noch nach über",
    "fr": "le la les l un une des du de et ou est sont était a ont peut doit pas ne que qui quoi quel quelle "
    "quels quelles "
    "quand où pourquoi comment combien pour par sur dans avec au aux ce cette il elle on nous vous je en y a-t-il",
    "it": "il lo la gli le un una uno di del della dei delle degli e o è sono era ha hanno può deve non che "
    "chi cosa quale "
    "quali quando dove perché come quanto quanti quanta quante per da dal dalla in nel nella con su si ci i",
    "es": "el la los las un una unos unas de del y o es son era está están ha han puede debe no que quién qué "
    "cuál cuáles "
    "cuándo dónde por para cómo cuánto cuántos cuántas cuánta con en al se lo su hay",
    "pt": "o a os as um uma uns umas de do da dos das e ou é são era está estão tem têm pode deve não que "
    "quem qual quais "
    "quando onde por para como quanto quantos quantas com em no na nos nas ao se há",
    "nl": "de het een en of is zijn was waren wordt worden heeft hebben kan kunnen moet niet geen van naar te "
    "met voor op in "
    "aan bij uit wie wat wanneer waar waarom hoe veel hoeveel welke welk er ik wij zij hij men ook nog",
}
_MORE: dict[Language, str] = {
    "de": "ja nein du dir dich ihr mein meine meinen dein bis zum für kostet gilt beginnt heißt dauert leider bitte",
    "fr": "oui non puis faut votre vous qu d n c j est-il est-elle y a-t sont avez ai désolé",
    "it": "sì no posso puoi hai ho mio suo quanto bisogna costa dura purtroppo al alla all dell nell entro è",
    "es": "sí no puedo puedes tengo tiene mi tu qué cuesta hace falta está hasta desde los las siento",
    "pt": "sim não posso você tenho tem meu seu custa dura até foi é aos às preciso infelizmente quem são",
    "nl": "ja nee je mijn jouw mag moet kost begint helaas dat dit wel heb hebt we",
}
"""Words that indicate one of these languages, although some also occur in English."""
_LETTERS: dict[Language, str] = {"de": "äöüß", "es": "ñ¿¡", "pt": "ãõ", "fr": "çœêàè", "it": "ìòàè", "nl": "ëï"}
NAMES: dict[Language, str] = {
    "de": "German",
    "fr": "French",
    "it": "Italian",
    "es": "Spanish",
    "pt": "Portuguese",
    "nl": "Dutch",
}
"""Supported languages other than English."""
_WORDS = {name: frozenset(words.split()) for name, words in _SMALL.items()}
_WORD = lazy(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LATIN = lazy(r"[A-Za-zÀ-ɏ]")
_READ = 2_000
_FEWEST = 2
"""Minimum number of function words for a text to be clearly in a language."""
_LETTER = 0.75
_MANY = 4
_ASKS_IN_ENGLISH = frozenset(["who", "whom", "whose", "what", "which", "when", "where", "why", "how", "does", "did"])
_OF_OTHERS = lazy(r"[åøłąęśżźćńčšžřůěőűășțğışðþđ]")
"""Match letters that occur in none of the supported languages."""
_OWN = {
    name: (_WORDS[name] | frozenset(more.split())) - (_WORDS["en"] - frozenset(more.split()))
    for name, more in _MORE.items()
}


@lru_cache(maxsize=1024)
def language(text: str) -> Language:
    """Return the language with the most function words; English for Latin script without any."""
    words = _WORD.findall(text[:_READ].lower())
    found = {name: sum(word in small for word in words) for name, small in _WORDS.items()}
    most = max(found.values())
    if not most:
        latin = sum(map(len, _LATIN.findall(text[:_READ])))
        return "en" if latin * 2 >= sum(map(str.isalpha, text[:_READ])) else ""
    return "en" if found["en"] == most else next(name for name, count in found.items() if count == most)


@lru_cache(maxsize=1024)
def tongue(question: str, answer: str = "", reply: str = "") -> Language:
    """Return the language of a question, if it is supported and not English; answer and reply help if it is short.

    Return an empty string for English or an unsupported language.
    """
    if not _ASKS_IN_ENGLISH.isdisjoint(_WORD.findall(question[:_READ].lower())):
        return ""
    for text in (question, f"{question} {answer}", f"{question} {answer} {reply}"):
        words = _WORD.findall(text[:_READ].lower())
        english = sum(word in _WORDS["en"] for word in words)
        found = {name: _evidence_for(name, words, text) for name in NAMES}
        best, second, *_ = sorted(found.values(), reverse=True)
        if english > best:
            return ""
        if best >= _FEWEST and best > second and best > english:
            return max(found, key=found.__getitem__)
    return ""


def _evidence_for(name: Language, words: list[str], text: str) -> float:
    """Score the evidence for a language: words that English lacks, and special letters."""
    own = sum(word in _OWN[name] for word in words)
    if name == "es" and ("¿" in text or "¡" in text):
        own += 1
    return own + _LETTER * any(letter in text[:_READ].lower() for letter in _LETTERS[name])


@lru_cache(maxsize=1024)
def is_known(text: str) -> bool:
    """Whether a question is in a supported language; a short one without evidence counts as supported."""
    words = _WORD.findall(text[:_READ].lower())
    if not _ASKS_IN_ENGLISH.isdisjoint(words):
        return True
    if sum(map(len, _LATIN.findall(text[:_READ]))) * 2 < sum(map(str.isalpha, text[:_READ])):
        return False
    telling = [word for word in words if len(word) > 1 or not word.isascii()]
    small = sum(any(word in known for known in (_WORDS["en"], *_OWN.values())) for word in telling)
    if _OF_OTHERS.search(text[:_READ].lower()):
        return small * 2 >= len(words)
    return len(words) < _MANY or small > 0


def is_english(text: str) -> bool:
    """Whether a text is clearly English; in other languages capitals do not indicate names."""
    words = _WORD.findall(text[:_READ].lower())
    return language(text) == "en" and sum(word in _WORDS["en"] for word in words) >= _FEWEST
