"""The knowledge base and its tools: search_knowledge, search_keyword, list_contents, find, read, read_around, get_info.

Every tool takes plain arguments and gives plain data, as a model's tools would.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import TypedDict

from proctor.demo import knowledge_path
from proctor.demo.document import Document, Paragraph, Section, read_document
from proctor.demo.words import RELATED, SYNONYM, presence, terms
from proctor.errors import InputError
from proctor.reading.text.fold import fold

_SATURATION = 1.2
_LENGTH = 0.4


class Index:
    """Texts by number, each given as its stems with how much each occurrence counts."""

    def __init__(self, texts: Iterable[Mapping[str, float]]) -> None:
        self._postings: dict[str, dict[int, float]] = defaultdict(dict)
        lengths = []
        for number, text in enumerate(texts):
            lengths.append(sum(text.values()))
            for term, count in text.items():
                self._postings[term][number] = count
        self._size = len(lengths)
        usual = sum(lengths) / max(1, len(lengths))
        self._norms = [_SATURATION * (1 - _LENGTH + _LENGTH * length / usual) for length in lengths]
        self._most = self._weigh(0)
        self._weights = {term: self._weigh(len(self._counts(term))) for term in (*self._postings, *RELATED)}

    def weight(self, term: str) -> float:
        """How much a stem tells: the rarer it is with its synonyms, the more; one that stands nowhere tells most."""
        return self._weights.get(term, self._most)

    def mentions(self, term: str) -> bool:
        """Whether a stem or a synonym of it stands in any text."""
        return any(word in self._postings for word in (term, *RELATED.get(term, ())))

    def rank(self, query: Mapping[str, float]) -> list[tuple[int, float]]:
        """The numbers of the texts that share a stem or synonym with the query, best first."""
        scores: dict[int, float] = defaultdict(float)
        for term, importance in query.items():
            weight = importance * self.weight(term)
            for number, count in self._counts(term).items():
                scores[number] += weight * count * (_SATURATION + 1) / (count + self._norms[number])
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))

    def _weigh(self, found: int) -> float:
        return math.log(1 + (self._size - found + 0.5) / (found + 0.5))

    def _counts(self, term: str) -> dict[int, float]:
        """Where a stem stands and how often; a synonym counts as part of a word."""
        counts = dict(self._postings.get(term, {}))
        for other in RELATED.get(term, ()):
            for number, count in self._postings.get(other, {}).items():
                counts[number] = counts.get(number, 0.0) + SYNONYM * count
        return counts


PAGE = 1800
"""Characters that `read` gives at once; whole paragraphs, so a page may be shorter."""
CONTEXT = 0.4
"""What a word of the context counts, against a word of the query."""
_HEADING = 1.5
_TITLE = 2.0


class Hit(TypedDict):
    """A passage that a search found."""

    source: str
    title: str
    section: str
    paragraph: int
    """Its number in the document, for `read_around`."""
    alone: bool
    """Whether it is all of its section."""
    text: str
    score: float
    coverage: float
    """How much of the query's weight stands in the section, 0 to 1."""


class DocumentEntry(TypedDict):
    """A document in a list."""

    source: str
    title: str


class Contents(TypedDict):
    """What lies in a folder."""

    folder: str
    folders: list[str]
    documents: list[DocumentEntry]


class DocumentPage(TypedDict):
    """A document or section as far as it was read."""

    source: str
    title: str
    section: str
    page: int
    pages: int
    text: str


class Surroundings(TypedDict):
    """A passage with its neighbours in the same section."""

    source: str
    title: str
    section: str
    first: int
    last: int
    text: str


class Info(TypedDict):
    """What is known about a document without reading it."""

    source: str
    title: str
    updated: str
    owner: str
    status: str
    words: int
    pages: int
    sections: list[str]


class DocumentLibrary:
    """Documents in folders. Nothing in it changes after it was opened."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(folder.rglob("*.md"))
        if not paths:
            raise InputError(f"no documents in folder={str(folder)!r}; expected Markdown files in folders")
        self.documents: dict[str, Document] = {
            document.source: document for document in (read_document(folder, path) for path in paths)
        }

    def search_knowledge(self, *, query: str, context: str = "", limit: int = 5) -> list[Hit]:
        """The sections nearest in meaning to the query, best first; `context` only tips the scales."""
        wanted = dict.fromkeys(terms(query), 1.0)
        if not wanted:
            return []
        leaning = {term: CONTEXT for term in terms(context) if term not in wanted}
        ranked = self._index.rank({**leaning, **wanted})
        return [self._hit(number, score, wanted) for number, score in ranked[:limit]]

    def search_keyword(self, *, phrase: str, limit: int = 10) -> list[Hit]:
        """The paragraphs where these very words stand, in the order of the shelf."""
        words = _folded_text(phrase)
        whole = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
        found = (place for text, place in self._folded_paragraphs if words and words in text and whole.search(text))
        return [_hit(*place, score=1.0, coverage=1.0) for place in islice(found, limit)]

    def list_contents(self, *, folder: str = "") -> Contents:
        """The folders and documents in a folder; the top, if none is named."""
        prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
        below = [source for source in self.documents if source.startswith(prefix)]
        if not below:
            known = ", ".join(self.list_contents()["folders"])
            raise InputError(f"there is no folder={folder!r}; expected one of: {known}")
        rests = [source.removeprefix(prefix) for source in below]
        return {
            "folder": prefix.rstrip("/"),
            "folders": sorted({rest.split("/")[0] for rest in rests if "/" in rest}),
            "documents": [self._entry(prefix + rest) for rest in rests if "/" not in rest],
        }

    def find(self, *, name: str) -> list[DocumentEntry]:
        """The documents whose path or title has all these words, the closest names first."""
        wanted = set(terms(name))
        named = [(source, set(terms(f"{source} {self.documents[source].title}"))) for source in self.documents]
        found = [(len(words), source) for source, words in named if wanted and wanted <= words]
        return [self._entry(source) for _, source in sorted(found)]

    def read(self, *, source: str, section: str = "", page: int = 1) -> DocumentPage:
        """A document, or one of its sections, page by page."""
        document = self._document(source)
        sections = [_section(document, section)] if section else document.sections
        pages = _pages(sections)
        if not 1 <= page <= len(pages):
            raise InputError(f"there is no page={page} of {source!r}; it has {len(pages)}")
        return {
            "source": source,
            "title": document.title,
            "section": section,
            "page": page,
            "pages": len(pages),
            "text": pages[page - 1],
        }

    def read_around(self, *, source: str, paragraph: int, before: int = 1, after: int = 1) -> Surroundings:
        """A paragraph with its neighbours, never beyond its section."""
        document = self._document(source)
        for section in document.sections:
            if any(each.number == paragraph for each in section.paragraphs):
                return _surroundings(document, section, paragraph - before, paragraph + after)
        raise InputError(f"there is no paragraph={paragraph} in {source!r}; a search says which there are")

    def get_info(self, *, source: str) -> Info:
        """Title, size, date and sections of a document."""
        document = self._document(source)
        return {
            "source": source,
            "title": document.title,
            "updated": document.details.get("updated", ""),
            "owner": document.details.get("owner", ""),
            "status": document.details.get("status", ""),
            "words": document.words,
            "pages": len(_pages(document.sections)),
            "sections": [section.heading for section in document.sections if section.heading],
        }

    def weight(self, term: str) -> float:
        """How much a stem tells: the rarer in this library, the more."""
        return self._index.weight(term)

    def mentions(self, term: str) -> bool:
        """Whether a stem, or one that may stand for it, occurs anywhere."""
        return self._index.mentions(term)

    @cached_property
    def _sections(self) -> list[tuple[Document, Section]]:
        return [(document, section) for document in self.documents.values() for section in document.sections]

    @cached_property
    def _folded_paragraphs(self) -> list[tuple[str, tuple[Document, Section, Paragraph]]]:
        return [
            (_folded_text(paragraph.text), (document, section, paragraph))
            for document, section in self._sections
            for paragraph in section.paragraphs
        ]

    @cached_property
    def _stems(self) -> list[dict[str, float]]:
        return [_stems(document, section) for document, section in self._sections]

    @cached_property
    def _index(self) -> Index:
        return Index(self._stems)

    def _hit(self, number: int, score: float, query: Mapping[str, float]) -> Hit:
        document, section = self._sections[number]
        best = max(section.paragraphs, key=lambda each: self._overlap(query, set(terms(each.text))))
        coverage = self._overlap(query, self._stems[number]) / self._overlap(query, query)
        return _hit(document, section, best, score=round(score, 3), coverage=round(coverage, 3))

    def _overlap(self, query: Iterable[str], there: Collection[str]) -> float:
        return sum(self.weight(term) * presence(term, there) for term in query)

    def _document(self, source: str) -> Document:
        if source not in self.documents:
            raise InputError(f"there is no document source={source!r}; list_contents and find say what there is")
        return self.documents[source]

    def _entry(self, source: str) -> DocumentEntry:
        return {"source": source, "title": self.documents[source].title}


@cache
def shelf() -> DocumentLibrary:
    """The library that ships with the package, opened once per process."""
    return DocumentLibrary(knowledge_path())


def _folded_text(text: str) -> str:
    return " ".join(fold(text).split())


def _stems(document: Document, section: Section) -> dict[str, float]:
    """How often each stem stands in a section; those of its heading and its document's title count as well."""
    counts: dict[str, float] = defaultdict(float)
    texts = [(each.text, 1.0) for each in section.paragraphs]
    for text, share in (*texts, (section.heading, _HEADING), (document.title, _TITLE)):
        for term in terms(text):
            counts[term] += share
    return dict(counts)


def _hit(document: Document, section: Section, paragraph: Paragraph, *, score: float, coverage: float) -> Hit:
    return {
        "source": document.source,
        "title": document.title,
        "section": section.heading,
        "paragraph": paragraph.number,
        "alone": len(section.paragraphs) == 1,
        "text": paragraph.text,
        "score": score,
        "coverage": coverage,
    }


def _section(document: Document, heading: str) -> Section:
    for section in document.sections:
        if section.heading.casefold() == heading.casefold():
            return section
    known = ", ".join(section.heading for section in document.sections if section.heading)
    raise InputError(f"there is no section={heading!r} in {document.source!r}; expected one of: {known}")


def _pages(sections: Sequence[Section]) -> list[str]:
    """Whole paragraphs, as many to a page as fit; each section opens with its heading."""
    pages = [""]
    for section in sections:
        opening = f"## {section.heading}\n\n" if section.heading else ""
        for paragraph in section.paragraphs:
            block = opening + paragraph.text
            opening = ""
            if pages[-1] and len(pages[-1]) + len(block) > PAGE:
                pages.append("")
            pages[-1] += ("\n\n" if pages[-1] else "") + block
    return pages


def _surroundings(document: Document, section: Section, first: int, last: int) -> Surroundings:
    kept = [each for each in section.paragraphs if first <= each.number <= last]
    return {
        "source": document.source,
        "title": document.title,
        "section": section.heading,
        "first": kept[0].number,
        "last": kept[-1].number,
        "text": "\n\n".join(each.text for each in kept),
    }
