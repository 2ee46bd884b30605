"""Which turns are about one proposition: by the examiner's record, or by what their questions say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from proctor.findings.battle.fault import read_fault
from proctor.reading.challenge import goes_to_first
from proctor.reading.inquiry import is_light, read_inquiry
from proctor.reading.link import points_back, same_matter, stems_of
from proctor.reading.text.fold import fold
from proctor.transcript import Turn

_READ = 2_000


class Thread(NamedTuple):
    """The turns before one that are about its proposition."""

    same: Sequence[Turn]
    """All of them, the one that opened it first; at least one has a reply to be held to."""

    @property
    def first(self) -> Turn:
        """The one that opened it."""
        return self.same[0]

    @property
    def nearest(self) -> Turn:
        """The last one with a reply to be held to."""
        return next(self.earlier())

    def earlier(self) -> Iterator[Turn]:
        """Those with a reply to be held to, the nearest first."""
        return filter(_is_answered, reversed(self.same))


def thread_of(turns: Sequence[Turn]) -> Thread | None:
    """What the last turn goes back to; None: it is the first on its proposition.

    The examiner's record of what a question goes back to comes first; without one, a question goes back to the
    earlier one that it repeats or paraphrases, and one that asks nothing of its own to the one before it.
    """
    topics = _topics(turns)
    if not topics or topics[-1] == turns[-1].number:
        return None
    return _thread([turn for turn, topic in zip(turns, topics, strict=True) if topic == topics[-1]][:-1])


def threads(turns: Sequence[Turn]) -> Iterator[Thread | None]:
    """The same for each turn of a conversation, in one pass."""
    earlier: dict[int, list[Turn]] = {}
    for turn, topic in zip(turns, _topics(turns), strict=True):
        same = earlier.setdefault(topic, [])
        yield _thread(tuple(same))
        same.append(turn)


def _thread(same: Sequence[Turn]) -> Thread | None:
    return Thread(same) if any(map(_is_answered, reversed(same))) else None


def _is_answered(turn: Turn) -> bool:
    """Whether it has a reply that says anything, to a fair question."""
    return turn.reply is not None and not turn.fault and bool(turn.reply.text) and not turn.reply.text.isspace()


def _topics(turns: Sequence[Turn]) -> list[int]:
    """Turn by turn, the number of the first turn on its proposition."""
    by_number: dict[int, int] = {}
    opened: list[tuple[str, int]] = []
    before: list[Turn] = []
    for turn in turns:
        topic = by_number.get(turn.refers_to) if turn.refers_to is not None else None
        if topic is None:
            topic = _topic(turns[0], before, turn, opened, by_number)
        by_number[turn.number] = topic
        if not turn.fault or read_fault(turn.fault).kind == "off-topic":
            before.append(turn)
    return list(by_number.values())


def _topic(
    first: Turn, before: Sequence[Turn], turn: Turn, opened: list[tuple[str, int]], by_number: dict[int, int]
) -> int:
    """The proposition of a turn without a record: of a question it asks again, of what it goes on about, or its own."""
    tells = bool(read_inquiry(turn.question).content)
    again = (number for question, number in opened if same_matter(turn.question, question))
    topic = next(again, None) if tells else None
    scripted = turn.case is not None
    if topic is None and before and points_back(turn.question, _said(first), _said(before[-1]), scripted=scripted):
        to_first = goes_to_first(fold(turn.question[:_READ], accents=False))
        topic = by_number[first.number if to_first else _spoken_of(turn, before).number]
    elif topic is None and tells:
        opened.append((turn.question, turn.number))
    return turn.number if topic is None else topic


def _spoken_of(turn: Turn, before: Sequence[Turn]) -> Turn:
    """The last turn that has a word of a remark that is none of the one right before it; else that one."""
    own = {word for word in read_inquiry(turn.question).own if not is_light(word)}
    sharing = (
        earlier for earlier in reversed(before) if any(not own.isdisjoint(stems_of(said)) for said in _said(earlier))
    )
    return next(sharing, before[-1])


def _said(turn: Turn) -> tuple[str, str]:
    """A question and its reply."""
    return turn.question, turn.reply.text if turn.reply is not None else ""
