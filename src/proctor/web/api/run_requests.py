"""Request bodies for runs, as pydantic models: start, resume, rescore."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field, model_validator

from proctor.config import with_settings
from proctor.findings.comparison.many import MOST_RUNS
from proctor.settings import (
    LONGEST_CRITERION,
    LONGEST_VALUE,
    MOST_LABELS,
    MOST_WEIGHTS,
    check_labels,
    check_name,
    check_weights,
)
from proctor.web.api.shapes import Identity, Name, RequestBody, Value, Version, bounded_type, refusing

Weights = Annotated[dict[str, float] | None, Field(max_length=MOST_WEIGHTS), refusing(check_weights)]
Judges = Annotated[list[Name], Field(min_length=1, max_length=20)]
GateText = Annotated[
    str, Field(min_length=1, max_length=LONGEST_VALUE), refusing(partial(check_name, "the gate", most=LONGEST_VALUE))
]
AskedText = Annotated[str, Field(min_length=1, max_length=LONGEST_CRITERION)]


class AskedAndWeighed(RequestBody):
    """A criterion that weighs more or less than the others."""

    asks: AskedText
    weight: float | None = Field(default=None, gt=0, le=1_000_000, description="1 by default")


Asked = AskedText | AskedAndWeighed
_SEVERAL = "a list is a panel, whose majority decides; `FIRST,SECOND` is two, of whom the second gets what is unsure"


@with_settings("api", bounded_type)
class NewRun(RequestBody):
    """A run to be started, or one for each of several agents. What is left out is as `proctor.toml` says."""

    benchmark: Identity = Field(description="One of the library, by its id")
    version: Version | None = Field(default=None, description="Of its file; the newest if it is left out")
    agent: Name | None = Field(default=None, examples=["demo:librarian"], description="One of /api/agents")
    agents: list[Name] = Field(
        default=[],
        max_length=MOST_RUNS,
        description="Several instead, a run each: same cases, one budget; `compare` in the answer is their page",
    )
    reviewer: Name | Judges | None = Field(default=None, examples=["embedded"], description=f"One; {_SEVERAL}")
    criteria: dict[Name, Asked] = Field(
        default={},
        max_length=20,
        description="Name → what is asked of every reply, a text or `{asks, weight}`, in place of the criteria of "
        "reviewers that are chat models",
    )
    canaries: Name | None = Field(
        default=None, description="`standard`, `none`, or the file that `[run]` of the server's configuration names"
    )
    examiner: Name | None = Field(default=None, description="Who asks in a battle with an examiner")
    weights: Weights = Field(default=None, description="Part of a score → its weight")
    conditions: list[Name] = Field(default=[], max_length=100, description="Names, `none` or `all`")
    checks: Identity | None = Field(default=None, description="A suite whose expectations hold too")
    gates: list[GateText] = Field(
        default=[], max_length=20, examples=[["pass_rate>=0.5"]], description="Gates that the run must meet"
    )
    stop_early: bool | None = Field(default=None, description="Whether a run ends as soon as its gates are decided")
    name: Name | None = Field(default=None, description="What people call the run")
    labels: Annotated[dict[Name, Value], refusing(check_labels)] = Field(
        default={}, max_length=MOST_LABELS, description="Name → value: whatever is worth remembering"
    )

    @model_validator(mode="after")
    def _names_agents_once(self) -> NewRun:
        if (self.agent is None) == (not self.agents):
            wrong = "agent is missing" if self.agent is None else "agent and agents are both given"
            raise ValueError(f"{wrong}; name one under agent, or several under agents")
        return self

    @property
    def chosen_agents(self) -> tuple[str, ...]:
        """All agents of the request."""
        return tuple(self.agents) if self.agent is None else (self.agent,)


@with_settings("api", bounded_type, ["trials", "concurrency", "timeout", "retries"])
class GoingOn(RequestBody):
    """How far a run goes on, and how patiently.

    More trials than it has extend it, completed or not. A pace that is left out is as `[run]` says, else as stored.
    """

    to_the_end: bool = Field(default=False, description="Run the rest of a run that stopped early")
    retry_timeouts: bool = Field(default=False, description="Run again what timed out, also of a completed run")


@with_settings("api", bounded_type, ["passing_score"])
class NewRescore(RequestBody):
    """How the stored replies of a run are judged again; what is left out stays as it was."""

    reviewer: Name | Judges | None = Field(default=None, examples=["exact"], description=f"One; {_SEVERAL}")
    criteria: dict[Name, Asked] = Field(default={}, max_length=20)
    weights: Weights = None
    name: Name | None = None


def judges_in(reviewer: str | list[str] | None) -> tuple[str, ...]:
    """Return the judges that a request names."""
    return () if reviewer is None else (reviewer,) if isinstance(reviewer, str) else tuple(reviewer)
