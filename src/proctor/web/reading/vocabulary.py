"""What templates of the reading pages know beside what every page knows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from jinja2 import ChoiceLoader, FunctionLoader, PackageLoader

from proctor.reports.comparison import words as comparison_words
from proctor.reports.history import words as history_words
from proctor.reports.templating import equip
from proctor.web.reading import addresses, charts, quoting
from proctor.web.rendering import environment

_REPORTS = "reports/"


@cache
def teach() -> None:
    """Let templates know it."""
    pages = environment()
    equip(pages)
    pages.globals.update(
        addresses=addresses,
        charts=charts,
        comparison_words=comparison_words,
        history_words=history_words,
        quoting=quoting,
    )
    assert pages.loader is not None
    pages.loader = ChoiceLoader([_templates_of_reports(), pages.loader])


def _templates_of_reports() -> FunctionLoader:
    """The report's templates by their whole names, which those that they include are found by."""
    inside = PackageLoader("proctor.reports")

    def load(name: str) -> tuple[str, str | None, Callable[[], bool] | None] | None:
        if not name.startswith(_REPORTS):
            return None
        return inside.get_source(environment(), name.removeprefix(_REPORTS))

    return FunctionLoader(load)
