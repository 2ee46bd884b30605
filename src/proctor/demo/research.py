"""Answer one question from the library: choose tools, read, pick a sentence."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import date

from proctor.demo.conversation import aspect_of
from proctor.demo.desk import Desk
from proctor.demo.library import DocumentLibrary, Hit, Surroundings
from proctor.demo.passage import CitedSentence, Finding, PassageRanking, passages
from proctor.demo.question import Shape, leans_back, names_another, understand
from proctor.demo.words import NEGATION, figures, stem, telling_words, terms
from proctor.transcript import Citation, Request

KNOWN = 0.5
"""Minimum share of the question's weight that an answering section must cover."""
NEARLY = 0.99
"""Sections scoring at least this fraction of the best score count as equal."""

_REFERENCE = re.compile(r"\b[\w-]+/[\w-]+\.md\b")
_LIST_ITEM = re.compile(r"\d+\. ")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
_FIGURE = re.compile(r"(?<![\w,.:/-])\d+(?:[.,]\d+)*\b(?![-:/.,]\d)")
# not `strftime`, which depends on the locale
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
UNKNOWN = "I do not know: I found nothing about that in the knowledge base."


class Research:
    """The work on one request; nothing is kept afterwards."""

    def __init__(self, library: DocumentLibrary, request: Request, desk: Desk) -> None:
        self._library = library
        self._request = request
        self._desk = desk
        self._question = understand(request.question)
        self._leaning = bool(request.history) and leans_back(request.question)
        self._aspect = aspect_of(request.history) if names_another(request.question) else ""
        self._ranking = PassageRanking(
            words=tuple(dict.fromkeys(terms(f"{self._aspect} {request.question}"))),
            wants=understand(self._aspect or request.question).wants,
            weight=library.weight,
        )

    async def answer(self) -> Finding:
        """Answer by the question's type of lookup, else by search."""
        return await self.look_up() or await self.search()

    async def look_up(self) -> Finding | None:
        """Answer by the question's type of lookup; None if it has none or nothing is found."""
        way = self._ways.get(self._question.shape)
        return None if way is None else await way()

    @property
    def _ways(self) -> dict[Shape, Callable[[], Awaitable[Finding | None]]]:
        return {
            "contents": self._list_folder,
            "info": self._describe,
            "find": self._locate,
            "document": self._consult,
            "sequence": self._step_beside,
            "phrase": self._find_phrase,
        }

    # Search by meaning

    async def search(self) -> Finding:
        """Search by meaning, read on in the section, and answer with the best sentence."""
        query, context = await self._query()
        search = self._library.search_knowledge
        hits = await (
            self._desk.use(search, query=query, context=context) if context else self._desk.use(search, query=query)
        )
        known = [hit for hit in hits if self._leaning or hit["coverage"] >= KNOWN]
        if not known:
            return Finding(text=UNKNOWN)
        chosen = self._choose(known)
        read = chosen if chosen["alone"] else await self._read_around(chosen)
        passage = self._ranking.best(passages(read))
        if not self._ranking.has_kind(passage):
            passage = await self._elsewhere(read["text"], known) or passage
        return self.say(passage)

    async def _query(self) -> tuple[str, str]:
        """Return the query, and the context of minor weight: the request's, and the latest topic."""
        question, context = self._request.question, self._request.context or ""
        if not self._leaning:
            return question, context
        if self._aspect:
            return question, f"{self._aspect} {context}".strip()
        last = next((turn.reply for turn in reversed(self._request.history) if turn.reply), None)
        cited = await self.find_again(last.citations) if last else None
        if cited is None:
            return f"{aspect_of(self._request.history)} {question}", context
        return f"{cited.title} {question}", f"{cited.section} {context}".strip()

    def _choose(self, hits: Sequence[Hit]) -> Hit:
        """Return the best hit; among nearly equal ones, choose by question and trial."""
        equals = [hit for hit in hits if hit["score"] >= NEARLY * hits[0]["score"]]
        lot = hashlib.sha256(f"{self._request.question}\0{self._request.trial}".encode(errors="replace")).digest()
        return equals[lot[0] % len(equals)]

    async def _read_around(self, hit: Hit, *, before: int = 1, after: int = 1) -> Surroundings:
        return await self._desk.use(
            self._library.read_around,
            source=hit["source"],
            paragraph=hit["paragraph"],
            before=before,
            after=after,
        )

    async def _elsewhere(self, text: str, hits: Sequence[Hit]) -> CitedSentence | None:
        """Look for the answer in documents that the text refers to, then in the other hits."""
        for source in _REFERENCE.findall(text):
            if (passage := self._settles(await self._read_through(source))) is not None:
                return passage
        return next((passage for hit in hits if (passage := self._settles([*passages(hit)])) is not None), None)

    def _settles(self, candidates: Sequence[CitedSentence]) -> CitedSentence | None:
        passage = self._ranking.best(candidates)
        settled = self._ranking.has_kind(passage) and self._ranking.overlap(passage) >= KNOWN
        return passage if settled else None

    async def _read_through(self, source: str) -> list[CitedSentence]:
        """Read all pages of a document."""
        page = await self._desk.use(self._library.read, source=source)
        found = [*passages(page)]
        for number in range(2, page["pages"] + 1):
            found += passages(await self._desk.use(self._library.read, source=source, page=number))
        return found

    # Lookups for particular types of question

    async def _find_phrase(self) -> Finding | None:
        """Find a quoted phrase, and answer with a sentence that contains it."""
        return await self.holding(self._question.subject)

    async def holding(self, phrase: str, *, least: float = 0.0) -> Finding | None:
        """Return the best sentence that contains the phrase."""
        hits = await self._desk.use(self._library.search_keyword, phrase=phrase)
        holding = [each for hit in hits for each in passages(hit) if phrase.casefold() in each.text.casefold()]
        best = self._ranking.best(holding) if holding else None
        return self.say(best) if best is not None and self.fits(best) >= least else None

    def fits(self, passage: CitedSentence) -> float:
        """Return how much of the question a sentence covers, 0 to 1."""
        return self._ranking.overlap(passage)

    async def by_keywords(self) -> Finding | None:
        """Answer without search by meaning: the best sentence with one of the question's two rarest words."""
        words = sorted(telling_words(self._request.question), key=lambda word: -self._library.weight(stem(word)))
        hits = [await self._desk.use(self._library.search_keyword, phrase=word) for word in words[:2]]
        found = [each for some in hits for hit in some for each in passages(hit)]
        best = self._ranking.best(found) if found else None
        return self.say(best) if best is not None and self.fits(best) >= KNOWN else None

    async def best_in(self, source: str) -> Finding | None:
        """Return the answering sentence of one document, or None."""
        passage = self._settles(await self._read_through(source))
        return None if passage is None else self.say(passage)

    async def _step_beside(self) -> Finding | None:
        """Answer with the step after, or before, the named one in a procedure."""
        hits = await self._desk.use(self._library.search_knowledge, query=self._question.subject)
        hit = next((hit for hit in hits if hit["coverage"] >= KNOWN and _LIST_ITEM.match(hit["text"])), None)
        if hit is None:
            return None
        backwards = self._question.backwards
        around = await self._read_around(hit, before=int(backwards), after=int(not backwards))
        step = around["text"].split("\n\n")[0 if backwards else -1]
        if step == hit["text"] or not _LIST_ITEM.match(step):
            return None
        return self.say(next(passages({**around, "text": step})))

    async def _consult(self) -> Finding | None:
        """Find a document and answer from its section on the topic, or from all of it."""
        found = await self._desk.use(self._library.find, name=self._question.subject)
        if not found:
            return None
        source = found[0]["source"]
        topic = set(terms(self._question.topic))
        info = await self._desk.use(self._library.get_info, source=source)
        heading = next((heading for heading in info["sections"] if topic & set(terms(heading))), None)
        if heading:
            section = await self._desk.use(self._library.read, source=source, section=heading)
            return self.say(self._ranking.best(passages(section)))
        passage = self._ranking.best(await self._read_through(source))
        return self.say(passage) if self._ranking.overlap(passage) >= KNOWN else None

    async def _locate(self) -> Finding | None:
        """Answer with the document that is asked for."""
        found = await self._desk.use(self._library.find, name=self._question.subject)
        if not found:
            hits = await self._desk.use(self._library.search_knowledge, query=self._question.subject)
            found = [{"source": hit["source"], "title": hit["title"]} for hit in hits]
        if not found:
            return None
        title, source = found[0]["title"], found[0]["source"]
        return Finding(text=f"{title}, in {source}.", citations=(Citation(source=source, quote=title),))

    async def _describe(self) -> Finding | None:
        """Answer when a document was updated, who owns it, or how it is structured."""
        found = await self._desk.use(self._library.find, name=self._question.subject)
        if not found:
            return None
        info = await self._desk.use(self._library.get_info, source=found[0]["source"])
        title, source = info["title"], info["source"]
        headings = ", ".join(info["sections"])
        text, quote = f"{title} has {info['words']} words in {len(info['sections'])} sections: {headings}.", title
        if self._question.wants == "date":
            text, quote = (
                f"{title} was last updated on {_in_words(info['updated'])} ({source}).",
                f"Updated: {info['updated']}",
            )
        elif self._question.wants == "person":
            text, quote = f"{title} is kept by {info['owner']} ({source}).", f"Owner: {info['owner']}"
        return Finding(text=text, citations=(Citation(source=source, quote=quote),))

    async def _list_folder(self) -> Finding:
        """Answer with the contents of a folder."""
        contents = await self._desk.use(self._library.list_contents, folder=self._question.subject)
        if contents["folders"]:
            return Finding(text=f"There are {len(contents['folders'])} folders: {', '.join(contents['folders'])}.")
        names = [f"{entry['title']} ({entry['source']})" for entry in contents["documents"]]
        return Finding(text=f"There are {len(names)} documents in {contents['folder']}: {', '.join(names)}.")

    # Wording of the answer

    def say(self, passage: CitedSentence) -> Finding:
        """Quote the sentence with its source; a yes-or-no question gets a verdict first."""
        text = str(passage)
        if strange := self._unknown_names(passage):
            text = f"I find nothing about {strange[0]}. The nearest is this: {passage}"
        elif self._question.wants == "verdict":
            text = f"{self._verdict(passage)} {passage}"
        return Finding(text=text, citations=(Citation(source=passage.source, quote=passage.text),), passage=passage)

    def _unknown_names(self, passage: CitedSentence) -> list[str]:
        """Return names in the question unknown to the library, and numbers that are missing near the answer.

        In a yes-or-no question, numbers are part of the verdict instead.
        """
        asked = self._request.question
        names = [name for name in _NAME.findall(asked) if not any(map(self._library.mentions, terms(name)))]
        if self._question.wants == "verdict" or self._question.shape != "open":
            return names
        there = figures(f"{passage.title} {passage.section} {passage.text}")
        return names + [each for each in _FIGURE.findall(asked) if not figures(each) <= there]

    def _verdict(self, passage: CitedSentence) -> str:
        """Return No if the sentence is negated or lacks the question's numbers, else Yes."""
        asserted = figures(self._request.question) - figures(passage.title)
        differs = bool(asserted) and asserted.isdisjoint(figures(passage.text))
        return "No." if differs or NEGATION.search(passage.text) else "Yes."

    async def find_again(self, citations: Sequence[Citation]) -> CitedSentence | None:
        """Locate the first citation by its exact quote."""
        quote = citations[0].quote if citations else None
        hits = await self._desk.use(self._library.search_keyword, phrase=quote) if quote else []
        return next((each for hit in hits for each in passages(hit) if each.text == quote), None)


def _in_words(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
