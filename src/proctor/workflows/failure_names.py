"""Names for groups of what failed, by a chat model. The groups stay those of the rules."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field

from proctor.config import Config
from proctor.errors import BudgetSpent
from proctor.findings.failure_map import FailureGroup, RunFailures
from proctor.models.fence import FENCE_RULE, fence
from proctor.redaction import remember_secrets
from proctor.roles import Archive
from proctor.run import Attempt
from proctor.spending.prices import tokens_in
from proctor.spending.run_limits import set_scope
from proctor.storage import open_store
from proctor.usage import Usage
from proctor.workflows.chat_model import ChosenModel, choose_model
from proctor.workflows.patient_model import PatientModel
from proctor.workflows.run_limits import allowing
from proctor.workflows.settings import make_settings

_MOST_NAMES = 20
"""Groups that are named: the largest."""
_ANSWER_TOKENS = 30
_EXCERPT = 1_000
_REFUSAL = "cannot name groups; expected a chat model such as openai:MODEL. Without --reviewer they have no names"
_SYSTEM = """You name a group of failed answers of an AI agent. They were grouped by the rule that you are shown; the \
examples are some of them. Say in at most eight words what went wrong in all of them, as a heading: no full stop, no \
advice. Say only what the examples show.

{rule}"""


class GroupName(BaseModel):
    """What a group of failures is called."""

    model_config = ConfigDict(extra="ignore")

    name: str = Field(min_length=1, description="What went wrong in all of them, in at most eight words.")


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedNames:
    """What a model is to be asked, and what it will take, before it is."""

    failures: RunFailures
    model: ChosenModel
    prompts: tuple[str, ...]
    """One for each of the largest groups, in their order."""

    @property
    def tokens(self) -> tuple[int, int]:
        """Sent and received, about."""
        told = tokens_in(_SYSTEM)
        return sum(told + tokens_in(prompt) for prompt in self.prompts), _ANSWER_TOKENS * len(self.prompts)

    @property
    def cost(self) -> float | None:
        """About; None: the model's price is not known."""
        return None if self.model.price is None else self.model.price.of(*self.tokens)


def plan_names(failures: RunFailures, *, reviewer: str, store: str, config: Config) -> PlannedNames:
    """What is asked of each group: its rule, and its examples with what was expected and said."""
    remember_secrets()
    model = choose_model(reviewer, config, refusal=_REFUSAL)
    groups = [group for group in failures.found.groups if group.kind != "other"][:_MOST_NAMES]
    with open_store(store, create=False) as opened:
        prompts = tuple(_prompt(opened.archive, failures, group) for group in groups)
    return PlannedNames(failures=failures, model=model, prompts=prompts)


def _prompt(archive: Archive, failures: RunFailures, group: FailureGroup) -> str:
    pieces = [fence(f"{group.kind}: {group.name}", "rule")]
    for key in group.examples:
        exam, attempt = failures.exams.get(key.exam), archive.attempt(key)
        if exam is not None and attempt is not None:
            expected = "\n".join(case.answer for case in exam.cases if case.answer)
            shown = {"question": exam.cases[0].question, "expected answer": expected, "outcome": _outcome(attempt)}
            pieces += [fence(text[:_EXCERPT], what) for what, text in shown.items() if text]
    return "\n\n".join(pieces)


def _outcome(attempt: Attempt) -> str:
    """The last reply, or why there is none."""
    if attempt.failure is not None:
        return attempt.failure.reason
    replies = [turn.reply.text for turn in attempt.transcript.turns if turn.reply is not None]
    return replies[-1] if replies else ""


async def name_groups(planned: PlannedNames, *, config: Config, budget: float | None = None) -> RunFailures:
    """The same groups with names; what the model does not name stays without. Answers are kept in the cache."""
    settings = replace(make_settings({"budget": budget}, config.run), budget=budget, max_tokens=None)
    model = planned.model.patient(retries=settings.retries, timeout=settings.timeout, budget=budget)
    with allowing(settings, config, cache=True):
        titles, usage, unnamed = await _ask_names(planned.prompts, model)
    named, failures = iter(titles), planned.failures
    groups = tuple(
        group if group.kind == "other" else replace(group, title=next(named, "")) for group in failures.found.groups
    )
    found = replace(failures.found, groups=groups)
    return replace(failures, found=found, named_by=planned.model.name, usage=usage, unnamed=unnamed)


async def _ask_names(prompts: tuple[str, ...], model: PatientModel) -> tuple[list[str], Usage, str]:
    """The names as far as they were given, what they took, and why one was not."""
    titles: list[str] = []
    usage, unnamed = Usage(), ""
    set_scope(case=None, condition=None, trial=1)
    for prompt in prompts:
        asked = await model.ask(system=_SYSTEM.format(rule=FENCE_RULE), user=prompt, schema=GroupName)
        usage += asked.usage
        titles.append("" if asked.value is None else " ".join(asked.value.name.split()).rstrip("."))
        unnamed = unnamed or asked.reason
    with suppress(BudgetSpent):  # told as the reason why there are no names
        model.raise_misconfigured()
    return titles, usage, unnamed
