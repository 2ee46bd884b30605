"""Group turns by proposition: by the examiner's record, or by the content of their questions."""

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
    """Earlier turns about the same proposition."""

    same: Sequence[Turn]
    """All of them in order; at least one has an answer to compare with."""

    @property
    def first(self) -> Turn:
        """The turn that opened the thread."""
        return self.same[0]

    @property
    def nearest(self) -> Turn:
        """The latest turn with an answer to compare with."""
        return next(self.earlier())

    def earlier(self) -> Iterator[Turn]:
        """Yield the turns with an answer to compare with, latest first."""
        return filter(_is_answered, reversed(self.same))


def thread_of(turns: Sequence[Turn]) -> Thread | None:
    """Return the thread that the last turn goes back to; None if it opens a new proposition.

    The examiner's record takes precedence; without one, a question goes back to the one that it repeats or paraphrases,
    and one without content of its own to the turn before it.
    """
    topics = _topics(turns)
    if not topics or topics[-1] == turns[-1].number:
        return None
    return _thread([turn for turn, topic in zip(turns, topics, strict=True) if topic == topics[-1]][:-1])


def threads(turns: Sequence[Turn]) -> Iterator[Thread | None]:
    """Yield the thread of each turn of a conversation, in one pass."""
    earlier: dict[int, list[Turn]] = {}
    for turn, topic in zip(turns, _topics(turns), strict=True):
        same = earlier.setdefault(topic, [])
        yield _thread(tuple(same))
        same.append(turn)


def _thread(same: Sequence[Turn]) -> Thread | None:
    return Thread(same) if any(map(_is_answered, reversed(same))) else None


def _is_answered(turn: Turn) -> bool:
    """Whether it is a fair question with a non-empty reply."""
    return turn.reply is not None and not turn.fault and bool(turn.reply.text) and not turn.reply.text.isspace()


def _topics(turns: Sequence[Turn]) -> list[int]:
    """Return for each turn the number of the first turn on its proposition."""
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
    """Return the proposition of a turn without a record: that of a question it repeats or continues, or a new one."""
    tells = bool(read_inquiry(turn.question).content)
    again = (number for question, number in opened if same_matter(turn.question, question))
    topic = next(again, None) if tells else None
    scripted = turn.case is not None
    if (
        topic is None
        and before
        and points_back(turn.question, _turn_texts(first), _turn_texts(before[-1]), scripted=scripted)
    ):
        to_first = goes_to_first(fold(turn.question[:_READ], accents=False))
        topic = by_number[first.number if to_first else _spoken_of(turn, before).number]
    elif topic is None and tells:
        opened.append((turn.question, turn.number))
    return turn.number if topic is None else topic


def _spoken_of(turn: Turn, before: Sequence[Turn]) -> Turn:
    """Return the latest turn that shares a content word with a remark; else the turn before it."""
    own = {word for word in read_inquiry(turn.question).own if not is_light(word)}
    sharing = (
        earlier
        for earlier in reversed(before)
        if any(not own.isdisjoint(stems_of(text)) for text in _turn_texts(earlier))
    )
    return next(sharing, before[-1])


def _turn_texts(turn: Turn) -> tuple[str, str]:
    """Return a question and its reply."""
    return turn.question, turn.reply.text if turn.reply is not None else ""
