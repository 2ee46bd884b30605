"""Where every page is, in a store with runs of every kind."""

from __future__ import annotations

from tests.web.views.played import ATTACK, Played

from proctor.web.views import addresses


def contradicted(played: Played) -> str:
    """A conversation in which the agent contradicts itself."""
    return next(addresses.attempt(each.key) for each in played["pushover"].attempts() if each.contradictions)


def reading_pages(played: Played) -> dict[str, str]:
    """Runs, attempts, comparisons, histories."""
    many, better, hostile = (played.id(name) for name in ("many", "better", "hostile"))
    orchestrated = played["orchestrator"].findings.cases[0].id
    return {
        "run": addresses.run(played.id("suite")),
        "attempts": f"{addresses.run(many)}?by=attempt",
        "battle run": addresses.run(played.id("pushover")),
        "orchestrated run": addresses.run(played.id("orchestrator")),
        "hostile run": addresses.run(hostile),
        "attempt": f"{addresses.run(played.id('suite'))}/attempt?case=cite-own-car",
        "orchestrated attempt": addresses.case(played.id("orchestrator"), orchestrated),
        "hostile attempt": addresses.case(hostile, f"../{ATTACK}"),
        "battle": contradicted(played),
        "choice": "/compare",
        "comparison": addresses.comparison(many, better),
        "not alike": addresses.comparison(many, played.id("handbook")),
        "pair": addresses.pair(many, better, "n-95"),
        "history": "/history?benchmark=handbook-30&by=nothing",
        "deleting": f"/chosen?do=delete&run={many}&run={better}",
        "several": f"/compare/several?run={many}&run={better}",
        "tournament": f"/tournament?run={many}&run={better}",
        "what failed": f"{addresses.run(many)}/failures",
        "judges": f"{addresses.run(many)}/judges",
        "labelling": addresses.label(many),
        "who labels": "/label/name",
    }


def doing_pages() -> dict[str, str]:
    """Lists, forms, and what stands around them; also in a store without any run."""
    return {
        "home": "/",
        "runs": "/runs",
        "benchmarks": "/benchmarks",
        "create": "/benchmarks/new",
        "benchmark": "/benchmarks/library-skills",
        "rows": "/benchmarks/handbook-30/edit?row=2",
        "cases": "/benchmarks/library-skills/review?every=1&page=4",
        "agents": "/agents",
        "faulty form": "/runs/new?benchmark=handbook-30&agent=demo%3Alibrarian&type=abm-dynamic&trials=many",
        "form": "/runs/new?benchmark=handbook-30&agent=demo%3Alibrarian&trials=3&beside=demo%3Apushover&panel=exact"
        "&canaries=standard&gates=pass_rate%3E%3D0.5&stop_early=yes&name=all&weight.correctness=1&budget=2",
        "planning": "/plan?what=early&gate=pass_rate%3E%3D0.9&cases=100&each=1",
        "faulty plan": "/plan?what=difference&difference=much",
        "importing": "/import",
        "harvesting": "/harvest?run=&limit=5",
        "comparing": "/compare",
        "history": "/history",
        "settings": "/settings",
        "log in": "/login",
        "API": "/docs",
        "no such page": "/nowhere",
    }
