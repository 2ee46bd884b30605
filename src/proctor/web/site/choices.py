"""Agents, judges and examiners that forms and the API offer: those of the server's configuration and built-in ones.

Specs such as `python:…` or `command:…` run code on this machine: they are only accepted from `proctor.toml`, never from
a form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.config import Config
from proctor.errors import UsageError
from proctor.settings import BY_RULES, NOBODY
from proctor.workflows.canaries import NONE, STANDARD
from proctor.workflows.demo import AGENTS

EMBEDDED_REVIEWERS = (*BY_RULES, NOBODY)
EMBEDDED_EXAMINERS = ("prober",)


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """An option that can be chosen."""

    name: str
    """Name by which it is chosen."""
    about: str
    """Where it comes from: the kind of its spec, without its options."""
    kind: str = "standard"
    """Kind of agent: standard, orchestrator or desktop."""

    @property
    def origin(self) -> str:
        """Label for `about`, in which `embedded` would read as the name of a judge."""
        return "comes with Proctor" if self.about == "embedded" else self.about


def agents(config: Config) -> list[Choice]:
    """Return the agents on offer."""
    declared = [
        Choice(name=name, about=part.spec.partition(":")[0], kind=part.kind) for name, part in config.agents.items()
    ]
    embedded = [
        Choice(name=f"demo:{name}", about="embedded", kind="orchestrator" if name == "orchestrator" else "standard")
        for name in AGENTS
    ]
    return declared + embedded


def reviewers(config: Config) -> list[Choice]:
    """Return the judges on offer; `none` leaves judging to the checks."""
    declared = [Choice(name=name, about=part.spec.partition(":")[0]) for name, part in config.reviewers.items()]
    return declared + [Choice(name=name, about="embedded") for name in EMBEDDED_REVIEWERS]


def examiners(config: Config) -> list[Choice]:
    """Return the examiners on offer for a dynamic battle, including declared agents that do not need a desktop."""
    declared = [Choice(name=name, about=part.spec.partition(":")[0]) for name, part in config.examiners.items()]
    embedded = [Choice(name=name, about="embedded") for name in EMBEDDED_EXAMINERS]
    asking = [
        Choice(name=f"agent:{name}", about="agent") for name, part in config.agents.items() if part.kind != "desktop"
    ]
    return declared + embedded + asking


def canaries(config: Config) -> list[Choice]:
    """Return the canary sets on offer for testing a judge: the built-in ones and the file named in the
    configuration."""
    own = config.run.canaries
    named = [] if own in (None, NONE, STANDARD) else [Choice(name=str(own), about="file")]
    return [Choice(name=NONE, about="embedded"), Choice(name=STANDARD, about="embedded"), *named]


def must_be_judges(names: Sequence[str], config: Config) -> None:
    """Raise an error for judges that are not on offer; `FIRST,SECOND` names two."""
    offered = reviewers(config)
    known = {each.name for each in offered}
    for name in names:
        for judge in [name] if name in known else name.split(","):
            must_be_offered("reviewer", judge.strip(), offered)


def must_be_offered(role: str, name: str, offered: list[Choice]) -> None:
    """Raise an error for a choice that is not on offer, even if the command line would accept it."""
    names = [each.name for each in offered]
    if name not in names:
        raise UsageError(f"there is no {role} {name!r} here; expected one of: {', '.join(names)}")
