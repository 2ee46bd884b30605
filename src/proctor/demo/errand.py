"""One question's way through the library: which tools are used, what is read, what is answered."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date

from proctor.demo.desk import Desk
from proctor.demo.library import Hit, Library, Surroundings
from proctor.demo.passage import Passage, Yardstick, passages
from proctor.demo.question import Shape, aspect_of, leans_back, names_another, understand
from proctor.demo.words import figures, terms
from proctor.errors import InputError
from proctor.transcript import Citation, Reply, Request

KNOWN = 0.5
"""The share of a question's weight that a section must hold before it is taken for an answer."""
NEARLY = 0.99
"""Sections whose scores are this close to the best are all the same to the librarian."""

_NEGATION = re.compile(r"\b(?:not|no|never|nobody|none|neither|nothing)\b", re.IGNORECASE)
_REFERENCE = re.compile(r"\b[\w-]+/[\w-]+\.md\b")
_LIST_ITEM = re.compile(r"\d+\. ")
# Not by `strftime`: the answer must not depend on the machine's language.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_UNKNOWN = "I do not know: I found nothing about that in the knowledge base."


class Errand:
    """The work on one request. Nothing of it outlives the reply."""

    def __init__(self, library: Library, request: Request) -> None:
        self._library = library
        self._request = request
        self._question = understand(request.question)
        self._leaning = bool(request.history) and leans_back(request.question)
        self._aspect = aspect_of(request.history) if names_another(request.question) else ""
        self._yardstick = Yardstick(
            words=tuple(dict.fromkeys(terms(f"{self._aspect} {request.question}"))),
            wants=understand(self._aspect or request.question).wants,
            weight=library.weight,
        )
        self._desk = Desk()
        self._citations: list[Citation] = []

    def run(self) -> Reply:
        """Answer in the way that the question's shape asks for, or else by searching."""
        try:
            text = self._ways.get(self._question.shape, self._search)() or self._search()
        except InputError as error:
            text = f"I could not look that up: {error}."
        return Reply(text=text, tool_calls=tuple(self._desk.calls), citations=tuple(self._citations))

    @property
    def _ways(self) -> dict[Shape, Callable[[], str | None]]:
        return {
            "doubt": self._stand_by,
            "source": self._name_source,
            "contents": self._list_folder,
            "info": self._describe,
            "find": self._locate,
            "document": self._consult,
            "sequence": self._step_beside,
            "phrase": self._look_up,
        }

    # The usual way

    def _search(self) -> str:
        """Search by meaning, read on where the section goes on, answer with the sentence that fits best."""
        query, context = self._query()
        search = self._library.search_knowledge
        hits = self._desk.use(search, query=query, context=context) if context else self._desk.use(search, query=query)
        known = [hit for hit in hits if self._leaning or hit["coverage"] >= KNOWN]
        if not known:
            return _UNKNOWN
        chosen = self._choose(known)
        read = chosen if chosen["alone"] else self._read_around(chosen)
        passage = self._yardstick.best(passages(read))
        if not self._yardstick.satisfied(passage):
            passage = self._elsewhere(read["text"], known) or passage
        return self._say(passage)

    def _query(self) -> tuple[str, str]:
        """What to search for, and what tips the scales: the context, and what was spoken of last."""
        question, context = self._request.question, self._request.context or ""
        if not self._leaning:
            return question, context
        if self._aspect:
            return question, f"{self._aspect} {context}".strip()
        cited = self._last_cited()
        if cited is None:
            return f"{aspect_of(self._request.history)} {question}", context
        return f"{cited.title} {question}", f"{cited.section} {context}".strip()

    def _choose(self, hits: Sequence[Hit]) -> Hit:
        """The best hit; of several that are nearly as good, the one that question and trial happen to pick."""
        equals = [hit for hit in hits if hit["score"] >= NEARLY * hits[0]["score"]]
        lot = hashlib.sha256(f"{self._request.question}\0{self._request.trial}".encode(errors="replace")).digest()
        return equals[lot[0] % len(equals)]

    def _read_around(self, hit: Hit, *, before: int = 1, after: int = 1) -> Surroundings:
        return self._desk.use(
            self._library.read_around,
            source=hit["source"],
            paragraph=hit["paragraph"],
            before=before,
            after=after,
        )

    def _elsewhere(self, text: str, hits: Sequence[Hit]) -> Passage | None:
        """What was asked for, from the documents that the text refers to, or else from the other hits."""
        for candidates in (*map(self._read_through, _REFERENCE.findall(text)), *map(passages, hits)):
            passage = self._yardstick.best(candidates)
            if self._yardstick.satisfied(passage) and self._yardstick.overlap(passage) >= KNOWN:
                return passage
        return None

    def _read_through(self, source: str) -> Iterator[Passage]:
        """A document from its first page to its last."""
        page = self._desk.use(self._library.read, source=source)
        yield from passages(page)
        for number in range(2, page["pages"] + 1):
            yield from passages(self._desk.use(self._library.read, source=source, page=number))

    # The ways of particular questions

    def _look_up(self) -> str | None:
        """Find the very words, and answer with a sentence that holds them."""
        phrase = self._question.subject
        hits = self._desk.use(self._library.search_keyword, phrase=phrase)
        holding = [each for hit in hits for each in passages(hit) if phrase.casefold() in each.text.casefold()]
        return self._say(self._yardstick.best(holding)) if holding else None

    def _step_beside(self) -> str | None:
        """The step of a procedure that comes after, or before, the one named."""
        hits = self._desk.use(self._library.search_knowledge, query=self._question.subject)
        hit = next((hit for hit in hits if hit["coverage"] >= KNOWN and _LIST_ITEM.match(hit["text"])), None)
        if hit is None:
            return None
        backwards = self._question.backwards
        around = self._read_around(hit, before=int(backwards), after=int(not backwards))
        step = around["text"].split("\n\n")[0 if backwards else -1]
        if step == hit["text"] or not _LIST_ITEM.match(step):
            return None
        return self._say(next(passages({**around, "text": step})))

    def _consult(self) -> str | None:
        """Find a document, and read its section on the topic, or else all of it."""
        found = self._desk.use(self._library.find, name=self._question.subject)
        if not found:
            return None
        source = found[0]["source"]
        topic = set(terms(self._question.topic))
        headings = self._desk.use(self._library.get_info, source=source)["sections"]
        heading = next((heading for heading in headings if topic & set(terms(heading))), None)
        if heading:
            section = self._desk.use(self._library.read, source=source, section=heading)
            return self._say(self._yardstick.best(passages(section)))
        passage = self._yardstick.best(self._read_through(source))
        return self._say(passage) if self._yardstick.overlap(passage) >= KNOWN else None

    def _locate(self) -> str | None:
        """Say which document it is."""
        found = self._desk.use(self._library.find, name=self._question.subject)
        if not found:
            hits = self._desk.use(self._library.search_knowledge, query=self._question.subject)
            found = [{"source": hit["source"], "title": hit["title"]} for hit in hits]
        if not found:
            return None
        self._cite(found[0]["source"], found[0]["title"])
        return f"{found[0]['title']}, in {found[0]['source']}."

    def _describe(self) -> str | None:
        """Say when a document was updated, whose it is, or how it is divided."""
        found = self._desk.use(self._library.find, name=self._question.subject)
        if not found:
            return None
        info = self._desk.use(self._library.get_info, source=found[0]["source"])
        if self._question.wants == "date":
            self._cite(info["source"], f"Updated: {info['updated']}")
            return f"{info['title']} was last updated on {_in_words(info['updated'])} ({info['source']})."
        if self._question.wants == "person":
            self._cite(info["source"], f"Owner: {info['owner']}")
            return f"{info['title']} is kept by {info['owner']} ({info['source']})."
        self._cite(info["source"], info["title"])
        headings = ", ".join(info["sections"])
        return f"{info['title']} has {info['words']} words in {len(info['sections'])} sections: {headings}."

    def _list_folder(self) -> str:
        """Say what lies in a folder."""
        contents = self._desk.use(self._library.list_contents, folder=self._question.subject)
        if contents["folders"]:
            return f"There are {len(contents['folders'])} folders: {', '.join(contents['folders'])}."
        names = [f"{entry['title']} ({entry['source']})" for entry in contents["documents"]]
        return f"There are {len(names)} documents in {contents['folder']}: {', '.join(names)}."

    def _stand_by(self) -> str:
        """Look up again what the last answer cited, and say it again."""
        cited = self._last_cited()
        if cited:
            return f"Yes, I am sure. {self._say(cited)}"
        return "Yes: I have nothing else to go by." if self._request.history else "I have not answered anything yet."

    def _name_source(self) -> str | None:
        """Say where the last answer stands."""
        cited = self._last_cited()
        return f"My source is {cited.source}. {self._say(cited)}" if cited else None

    def _last_cited(self) -> Passage | None:
        """What the last answer cited, found again by its very words."""
        last = next((turn.reply for turn in reversed(self._request.history) if turn.reply), None)
        quote = last.citations[0].quote if last and last.citations else None
        hits = self._desk.use(self._library.search_keyword, phrase=quote) if quote else []
        return next((each for hit in hits for each in passages(hit) if each.text == quote), None)

    # What is said

    def _say(self, passage: Passage) -> str:
        """The sentence and its place; to a yes-or-no question, after the verdict that it seems to hold."""
        self._cite(passage.source, passage.text)
        asked = self._question.wants == "verdict" and self._question.shape != "doubt"
        return f"{self._verdict(passage)} {passage}" if asked else str(passage)

    def _verdict(self, passage: Passage) -> str:
        """No, if the sentence has a negation in it, or not the figures that the question has; else yes."""
        asserted = figures(self._request.question) - figures(passage.title)
        differs = bool(asserted) and asserted.isdisjoint(figures(passage.text))
        return "No." if differs or _NEGATION.search(passage.text) else "Yes."

    def _cite(self, source: str, quote: str) -> None:
        self._citations.append(Citation(source=source, quote=quote))


def _in_words(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
