"""The attempts that people are asked about: the same ones in the same order for everybody who has the same address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache

from proctor.run import HumanLabel, Key, Run
from proctor.web.site.in_thread import in_thread
from proctor.web.site.site import Site
from proctor.workflows.human_labels import Drawn, draw

USUAL = 50
MOST = 500
"""Attempts that are drawn at a time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelSheet:
    """What was drawn of a run, and what one person has said of it. Attempts are numbered from 1."""

    run: Run
    drawn: Sequence[Drawn]
    mine: Mapping[Key, HumanLabel]

    @property
    def labelled(self) -> int:
        """How many of them this person has labelled."""
        return sum(each.attempt.key in self.mine for each in self.drawn)

    def open_after(self, number: int = 0) -> int | None:
        """The first after this one that has no label yet; None: there is none."""
        later = enumerate(self.drawn[number:], number + 1)
        return next((place for place, each in later if each.attempt.key not in self.mine), None)

    def number_of(self, name: str) -> int | None:
        """Where the attempt of this name stands; None: it was not drawn."""
        return next((place for place, each in enumerate(self.drawn, 1) if each.name == name), None)

    def place_of(self, key: Key) -> int | None:
        """The number of this attempt; None: it was not drawn."""
        return next((place for place, each in enumerate(self.drawn, 1) if each.attempt.key == key), None)

    def at(self, number: int) -> Drawn | None:
        """The attempt of this number; None: there is none."""
        return self.drawn[number - 1] if 1 <= number <= len(self.drawn) else None

    def label_at(self, number: int) -> HumanLabel | None:
        """What this person has said of it; None: nothing yet."""
        shown = self.at(number)
        return None if shown is None else self.mine.get(shown.attempt.key)


def sheet_for(site: Site, run: Run, *, n: int, seed: int, who: str, patience: float | None = None) -> LabelSheet:
    """What this person is asked about; raises TimeoutError where drawing it takes longer than somebody waits."""
    mine = {label.key: label for label in site.store.human_labels.of_run(run.id) if label.who == who}
    try:
        drawn = _draw(site.settings.store, run.id, (run.status, run.seconds), n, seed).result(patience)
    except TimeoutError:
        raise
    except BaseException:
        _draw.cache_clear()  # what went wrong may be mended by the next look
        raise
    return LabelSheet(run=run, drawn=drawn, mine=mine)


@lru_cache(maxsize=8)
def _draw(store: str, run: str, stands: tuple[object, ...], n: int, seed: int) -> Future[tuple[Drawn, ...]]:
    """Drawn once for as long as the run stands so: all its attempts are read for it. Nobody's labels are left out."""
    return in_thread("drawing", lambda: tuple(draw(run, store=store, count=n, seed=seed, who="")))
