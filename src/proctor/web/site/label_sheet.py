"""The attempts that people are asked about: the same ones in the same order for everybody who has the same address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proctor.run import HumanLabel, Key, Run
from proctor.web.site.in_thread import InThread
from proctor.web.site.site import Site
from proctor.workflows.human_labels import Drawn, draw

USUAL = 50
MOST = 500
"""Attempts that are drawn at a time."""
_drawn = InThread[tuple[Drawn, ...]]("drawing", kept=8, most=16, at_once=4)


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
    store = site.settings.store
    drawn = _drawn.ask(
        (store, run.id, run.status, run.seconds, n, seed),  # as long as the run stands so: all its attempts are read
        lambda: tuple(draw(run.id, store=store, count=n, seed=seed, who="")),  # nobody's labels are left out
        patience,
    )
    if drawn is None:
        raise TimeoutError(f"the attempts of run {run.id} are still being read")
    return LabelSheet(run=run, drawn=drawn, mine=mine)
