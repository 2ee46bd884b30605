"""The knowledge base and its tools: search_knowledge, search_keyword, list_contents, find, read, read_around, get_info.

All tools take and return plain data, like those of a model.
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
    """BM25-style index of texts, each given as stem → weight of its occurrences."""

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
        """Return the weight of a stem: the rarer it and its synonyms are, the higher; highest if it does not occur."""
        return self._weights.get(term, self._most)

    def mentions(self, term: str) -> bool:
        """Whether a stem or one of its synonyms occurs in any text."""
        return any(word in self._postings for word in (term, *RELATED.get(term, ())))

    def rank(self, query: Mapping[str, float]) -> list[tuple[int, float]]:
        """Return number and score of all texts that share a stem or synonym with the query, best first."""
        scores: dict[int, float] = defaultdict(float)
        for term, importance in query.items():
            weight = importance * self.weight(term)
            for number, count in self._counts(term).items():
                scores[number] += weight * count * (_SATURATION + 1) / (count + self._norms[number])
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))

    def _weigh(self, found: int) -> float:
        return math.log(1 + (self._size - found + 0.5) / (found + 0.5))

    def _counts(self, term: str) -> dict[int, float]:
        """Return text number → weighted count of a stem; a synonym counts as a fraction."""
        counts = dict(self._postings.get(term, {}))
        for other in RELATED.get(term, ()):
            for number, count in self._postings.get(other, {}).items():
                counts[number] = counts.get(number, 0.0) + SYNONYM * count
        return counts


PAGE = 1800
"""Maximum characters of a page of `read`; pages consist of whole paragraphs, so they may be shorter."""
CONTEXT = 0.4
"""Weight of a context word relative to a query word."""
_HEADING = 1.5
_TITLE = 2.0


class Hit(TypedDict):
    """A passage found by a search."""

    source: str
    title: str
    section: str
    paragraph: int
    """Paragraph number in the document, for `read_around`."""
    alone: bool
    """Whether it is the only paragraph of its section."""
    text: str
    score: float
    coverage: float
    """Share of the query's weight that the section covers, 0 to 1."""


class DocumentEntry(TypedDict):
    """A document in a listing."""

    source: str
    title: str


class Contents(TypedDict):
    """Contents of a folder."""

    folder: str
    folders: list[str]
    documents: list[DocumentEntry]


class DocumentPage(TypedDict):
    """One page of a document or section."""

    source: str
    title: str
    section: str
    page: int
    pages: int
    text: str


class Surroundings(TypedDict):
    """A paragraph with its neighbours in the same section."""

    source: str
    title: str
    section: str
    first: int
    last: int
    text: str


class Info(TypedDict):
    """Metadata of a document."""

    source: str
    title: str
    updated: str
    owner: str
    status: str
    words: int
    pages: int
    sections: list[str]


class DocumentLibrary:
    """An immutable collection of documents in folders."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(folder.rglob("*.md"))
        if not paths:
            raise InputError(f"no documents in folder={str(folder)!r}; expected Markdown files in folders")
        self.documents: dict[str, Document] = {
            document.source: document for document in (read_document(folder, path) for path in paths)
        }

    def search_knowledge(self, *, query: str, context: str = "", limit: int = 5) -> list[Hit]:
        """Return the sections that match the query best; `context` has a minor influence."""
        wanted = dict.fromkeys(terms(query), 1.0)
        if not wanted:
            return []
        leaning = {term: CONTEXT for term in terms(context) if term not in wanted}
        ranked = self._index.rank({**leaning, **wanted})
        return [self._hit(number, score, wanted) for number, score in ranked[:limit]]

    def search_keyword(self, *, phrase: str, limit: int = 10) -> list[Hit]:
        """Return the paragraphs that contain the exact phrase, in document order."""
        words = _folded_text(phrase)
        pattern = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
        found = (place for text, place in self._folded_paragraphs if words and words in text and pattern.search(text))
        return [_hit(*place, score=1.0, coverage=1.0) for place in islice(found, limit)]

    def list_contents(self, *, folder: str = "") -> Contents:
        """Return the folders and documents in a folder; by default in the top one."""
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
        """Return the documents whose path or title contains all words of the name, closest matches first."""
        wanted = set(terms(name))
        named = [(source, set(terms(f"{source} {self.documents[source].title}"))) for source in self.documents]
        found = [(len(words), source) for source, words in named if wanted and wanted <= words]
        return [self._entry(source) for _, source in sorted(found)]

    def read(self, *, source: str, section: str = "", page: int = 1) -> DocumentPage:
        """Return one page of a document or section."""
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
        """Return a paragraph with its neighbours within the section."""
        document = self._document(source)
        for section in document.sections:
            if any(each.number == paragraph for each in section.paragraphs):
                return _surroundings(document, section, paragraph - before, paragraph + after)
        raise InputError(f"there is no paragraph={paragraph} in {source!r}; a search says which there are")

    def get_info(self, *, source: str) -> Info:
        """Return title, size, date and sections of a document."""
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
        """Return the weight of a stem: the rarer in this library, the higher."""
        return self._index.weight(term)

    def mentions(self, term: str) -> bool:
        """Whether a stem or one of its synonyms occurs in any document."""
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
    """Return the built-in library, loaded once per process."""
    return DocumentLibrary(knowledge_path())


def _folded_text(text: str) -> str:
    return " ".join(fold(text).split())


def _stems(document: Document, section: Section) -> dict[str, float]:
    """Count the stems of a section; those of its heading and the document's title have additional weight."""
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
    """Split sections into pages of whole paragraphs; each section starts with its heading."""
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
