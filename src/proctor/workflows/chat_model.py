"""Resolve a reviewer's name or spec to a chat model, for questions other than scores."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.codec import digest
from proctor.config import Config
from proctor.errors import UsageError
from proctor.models.contract import ChatModel
from proctor.models.load import load_model
from proctor.reviewers.criteria import read_criteria
from proctor.reviewers.model import check_options, usual_temperature
from proctor.spending.budget import must_have_prices
from proctor.spending.prices import Price, price_of
from proctor.spending.providers import PROVIDERS
from proctor.workflows.parts import choose
from proctor.workflows.patient_model import PatientModel


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenModel:
    """A chat model with its options."""

    name: str
    id: str
    """Name and a digest of its configuration: with other options it is another judge."""
    model: ChatModel
    structured: bool
    criteria: str
    price: Price | None

    def patient(self, *, retries: int, timeout: float, budget: float | None = None) -> PatientModel:
        """Return the model with retries and limits; raise an error for a budget if its price is unknown."""
        if budget is not None and self.price is None:
            must_have_prices([self.name], {}, budget=budget)
        return PatientModel(
            self.model, structured=self.structured, retries=retries, timeout=timeout, price=self.price
        )  # fmt: skip


def is_chat_model(spec: str) -> bool:
    """Whether a reviewer's spec names a chat model, or code that may return one."""
    return spec.removeprefix("model:").partition(":")[0] in (*PROVIDERS, "python")


def choose_model(reviewer: str, config: Config, *, refusal: str) -> ChosenModel:
    """Return the chat model with its options; `refusal` is the error message for any other reviewer."""
    chosen = choose(reviewer, config.reviewers, default="standard").spec
    assert chosen is not None
    spec, options = chosen.spec.removeprefix("model:"), chosen.options
    if not is_chat_model(chosen.spec):
        raise UsageError(f"the reviewer {reviewer!r} {refusal}")
    check_options(options)
    criteria = read_criteria(options["criteria"])[0] if "criteria" in options else ()
    model = load_model(
        spec,
        temperature=options.get("temperature", usual_temperature(spec)),
        max_output_tokens=options.get("max_output_tokens"),
    )
    return ChosenModel(
        name=reviewer,
        id=f"{reviewer} {digest(chosen)[:12]}",
        model=model,
        structured=options.get("structured", True),
        criteria="\n".join(one.asks for one in criteria),
        price=price_of(spec, {**config.prices, **options.get("prices", {})}),
    )
