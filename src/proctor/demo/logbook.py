"""The steps of one reply as they happen, with real times."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from proctor.transcript import Step
from proctor.usage import Usage

Kind = Literal["plan", "delegate", "tool", "re-plan", "error"]


@dataclass(slots=True)
class OpenStep:
    """A step under way; what is known of it only at its end is set on it."""

    id: str
    call: str | None = None
    usage: Usage | None = None
    detail: str = ""


class Logbook:
    """Steps in the order in which they began."""

    def __init__(self) -> None:
        self._steps: dict[str, Step | None] = {}

    @property
    def steps(self) -> tuple[Step, ...]:
        """Those that have ended."""
        return tuple(step for step in self._steps.values() if step is not None)

    @contextmanager
    def step(self, kind: Kind, name: str, *, parent: str | None = None, agent: str | None = None) -> Iterator[OpenStep]:
        """A step that lasts as long as the `with`; one that raises ends as an error, with the reason."""
        entry = OpenStep(id=f"step-{len(self._steps) + 1}")
        self._steps[entry.id] = None
        started, clock = time.time(), time.perf_counter()
        status = "error" if kind == "error" else "ok"
        try:
            yield entry
        except BaseException as error:
            status, entry.detail = "error", str(error) or type(error).__name__
            raise
        finally:
            self._steps[entry.id] = Step(
                id=entry.id,
                kind=kind,
                name=name,
                parent=parent,
                agent=agent,
                call=entry.call,
                start=started,
                end=started + time.perf_counter() - clock,
                status=status,
                usage=entry.usage,
                detail=entry.detail,
            )
