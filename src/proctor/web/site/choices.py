"""Who can be chosen in a form or by the API: what the server's configuration declares, and what is embedded.

Specs such as `python:…` or `command:…` name code of this machine: they come from `proctor.toml`, never from a form.
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
    """One that can be chosen."""

    name: str
    """What it is chosen by."""
    about: str
    """Where it comes from: the kind of its spec, never its options."""
    kind: str = "standard"
    """Of an agent: standard, orchestrator or desktop."""

    @property
    def origin(self) -> str:
        """The same to people; beside a name, `embedded` would read as the judge of that name."""
        return "comes with Proctor" if self.about == "embedded" else self.about


def agents(config: Config) -> list[Choice]:
    """Who can be examined."""
    declared = [
        Choice(name=name, about=part.spec.partition(":")[0], kind=part.kind) for name, part in config.agents.items()
    ]
    embedded = [
        Choice(name=f"demo:{name}", about="embedded", kind="orchestrator" if name == "orchestrator" else "standard")
        for name in AGENTS
    ]
    return declared + embedded


def reviewers(config: Config) -> list[Choice]:
    """Who can judge; `none` leaves it to the checks."""
    declared = [Choice(name=name, about=part.spec.partition(":")[0]) for name, part in config.reviewers.items()]
    return declared + [Choice(name=name, about="embedded") for name in EMBEDDED_REVIEWERS]


def examiners(config: Config) -> list[Choice]:
    """Who can ask in a dynamic battle; the agents that are declared can too, but for those that need a desktop."""
    declared = [Choice(name=name, about=part.spec.partition(":")[0]) for name, part in config.examiners.items()]
    embedded = [Choice(name=name, about="embedded") for name in EMBEDDED_EXAMINERS]
    asking = [
        Choice(name=f"agent:{name}", about="agent") for name, part in config.agents.items() if part.kind != "desktop"
    ]
    return declared + embedded + asking


def canaries(config: Config) -> list[Choice]:
    """Which replies a judge can be tried on: those of Proctor, and the file that the configuration names."""
    own = config.run.canaries
    named = [] if own in (None, NONE, STANDARD) else [Choice(name=str(own), about="file")]
    return [Choice(name=NONE, about="embedded"), Choice(name=STANDARD, about="embedded"), *named]


def must_be_judges(names: Sequence[str], config: Config) -> None:
    """Refuse judges that are not on the list; `FIRST,SECOND` is two of them."""
    offered = reviewers(config)
    known = {each.name for each in offered}
    for name in names:
        for judge in [name] if name in known else name.split(","):
            must_be_offered("reviewer", judge.strip(), offered)


def must_be_offered(role: str, name: str, offered: list[Choice]) -> None:
    """Refuse what is not on the list, whatever it would mean on the command line."""
    names = [each.name for each in offered]
    if name not in names:
        raise UsageError(f"there is no {role} {name!r} here; expected one of: {', '.join(names)}")
