"""Answer questions that go back to an earlier answer: the same again, unless the documents contradict it."""

from __future__ import annotations

from dataclasses import replace

from proctor.demo.conversation import CORRECTION, Recall
from proctor.demo.desk import Desk
from proctor.demo.library import DocumentLibrary
from proctor.demo.passage import Finding
from proctor.demo.research import KNOWN, Research
from proctor.demo.words import figures, stem, telling_words, terms
from proctor.reading.text.fold import fold
from proctor.transcript import Request


class Return:
    """Answers a question that goes back to an earlier one. Evidence changes the answer, doubt does not."""

    def __init__(self, library: DocumentLibrary, request: Request, desk: Desk, recall: Recall) -> None:
        self._recall = recall
        before = tuple(turn for turn in request.history if turn.number < recall.origin.number)
        self._research = Research(library, replace(request, question=recall.origin.question, history=before), desk)

    async def answer(self) -> Finding:
        """Return the current answer, in the form that the question asks for."""
        standing = await self.standing()
        if self._recall.manner == "claim":
            return await self._weigh(standing)
        if self._recall.manner == "denial":
            word = "No." if agrees(self._recall.claim, standing.text) else "Yes."
            return replace(standing, text=f"{word} {standing.passage or standing.text}")
        return replace(standing, text=self._opening(standing) + standing.text)

    async def standing(self) -> Finding:
        """Return the current answer with its quote located again; without a citation, search again."""
        answer = self._recall.answer
        if not answer.citations:
            return await self._research.answer()
        passage = await self._research.find_again(answer.citations)
        return Finding(text=answer.text.removeprefix(CORRECTION), citations=answer.citations, passage=passage)

    def _opening(self, standing: Finding) -> str:
        if self._recall.manner == "source":
            return f"My source is {standing.citations[0].source}. " if standing.citations else "I have no source. "
        if self._recall.manner == "doubt":
            return "I am sure. " if standing.text.startswith(("Yes", "No")) else "Yes, I am sure. "
        return ""

    async def _weigh(self, standing: Finding) -> Finding:
        """Consider a suggested answer: accept it if it is in the documents and fits the question at least as well."""
        claim = self._recall.claim
        if agrees(claim, standing.text):
            return replace(standing, text=f"That is what I find, too. {standing.text}")
        least = self._research.fits(standing.passage) if standing.passage else KNOWN
        better = await self._research.holding(claim, least=max(KNOWN, least)) if terms(claim) else None
        if better is None:
            return replace(standing, text=f"I find no such thing. {standing.text}")
        return replace(better, text=CORRECTION + better.text)


def agrees(claim: str, text: str) -> bool:
    """Whether a text agrees with a claim: same yes or no, or all its numbers and words."""
    if fold(claim) in ("yes", "no"):
        return fold(text).startswith(fold(claim))
    words = {stem(word) for word in telling_words(claim) if not figures(word)}
    return figures(claim) <= figures(text) and words <= set(terms(text))
