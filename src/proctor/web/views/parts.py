"""Parts of a run's page that change while it is playing, rendered separately. Identical parts are shared by all
viewers."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from fastapi import Request
from markupsafe import Markup

from proctor.errors import NoSuchRun, ProctorError
from proctor.findings.gates import GateVerdict
from proctor.findings.run import Findings
from proctor.reports import gates as words
from proctor.reports import outcomes
from proctor.reports.headline import headline
from proctor.reports.outcomes import OutcomeLabel
from proctor.run import Run
from proctor.storage import Store
from proctor.web.site.render import environment
from proctor.web.site.site import Site, site_of
from proctor.web.views import results
from proctor.web.views.findings_cache import CachedFindings
from proctor.web.views.people_labels import count_disputed
from proctor.web.views.results import ResultFilter, chips
from proctor.workflows.gates import judge_stored

SHARED = ("headline", "gates", "overview")
"""Templates `run/PART.html.j2`, rendered into elements with `data-part`; they are the same for all logged-in users, and
for all users of a share link."""
PARTS = ("state", *SHARED, "chips")
_KEPT = 64
_ENDED = {outcomes.NOT_PASSED: "did not pass", outcomes.FLAKY: "passes only sometimes"}

_kept: OrderedDict[tuple[str, float, int, str], Markup] = OrderedDict()
_lock = threading.Lock()


def standing(site: Site, run: Run) -> dict[str, Any]:
    """Return whether a run is playing, and what actions are possible."""
    waiting = run.status != "running" and run.id in site.jobs.waiting()
    return {
        "waiting": waiting,
        "moving": run.status in ("queued", "running") or waiting,
        "playable": "agent" in run.settings.built or run.rescored_from is not None,
    }


def render_parts(request: Request, run: Run, read: CachedFindings | None, wanted: ResultFilter) -> dict[str, Markup]:
    """Map each part to its current HTML, for a page that shows these rows."""
    site = site_of(request)
    known = {name: text for name in SHARED if (text := _recall_part(request, run, read, name)) is not None}
    now = time.time()
    values = {
        "request": request,
        "now": now,
        "shared": request.state.shared,
        "spent": _spent(run, read, now),
        "wanted": wanted,
        "chips": chips(site, run, read, wanted),
        "source": _source(site, run),
        "form_token": site.sessions.form_token(request.state.session),
        "run": run,
        "findings": read.findings if read is not None else None,
        **standing(site, run),
    }
    if read is not None and len(known) < len(SHARED):
        values |= _chart_values(read)
        values["gates"] = gates_of(site.store, run, read.findings)
    names: tuple[str, ...] = PARTS
    if read is not None and results.fills_in_place(read, wanted, moving=values["moving"]):
        names = (*PARTS, "rows")
        values["table"] = results.table(site, run, read.exams, read, wanted, in_place=True)
        values["categories"] = results.categories(read.exams)
    return {name: known[name] if name in known else _render(run, read, name, values) for name in names}


def _source(site: Site, run: Run) -> Run | None:
    """Return the run that was rescored, or None if there is none or it was deleted."""
    if run.rescored_from is None:
        return None
    try:
        return site.store.archive.find(run.rescored_from)
    except NoSuchRun:
        return None


def _spent(run: Run, read: CachedFindings | None, now: float) -> float:
    """Return the playing time in seconds, over all resumes, until now."""
    since = read.since if read is not None and run.status == "running" else None
    return run.seconds + (max(0.0, now - since) if since is not None else 0.0)


def _chart_values(read: CachedFindings) -> dict[str, Any]:
    cases = read.findings.cases
    counts = Counter(outcomes.count_by_outcome(cases))
    times = [case.seconds for case in cases if case.seconds is not None]
    return {
        "headline": headline(read.findings),
        "telling": _worst_case(read),
        "disputes": count_disputed(read.labels),
        "stack": [(kind.style, counts[kind.name]) for kind in outcomes.OF_CASES],
        "stack_label": ", ".join(f"{counts[kind.name]} {kind.word}" for kind in outcomes.OF_CASES),
        "scores": [case.score for case in cases if case.score is not None],
        "times": times,
        "typical": median(times) if times else 0.0,
        "longest": max(times, default=0.0),
    }


def _worst_case(read: CachedFindings) -> dict[str, str] | None:
    """Return the most informative case (the worst failed one) with its outcome, or None."""
    worst = next((case for case in read.worst_first if read.kinds[case.id] in _ENDED), None)
    if worst is None:
        return None
    return {"case": worst.id, "question": worst.question, "said": _ENDED[read.kinds[worst.id]]}


def _recall_part(request: Request, run: Run, read: CachedFindings | None, part: str) -> Markup | None:
    if read is None:
        return None
    with _lock:
        return _kept.get((run.id, read.at, hash((read.labels, request.state.shared)), part))


def _render(run: Run, read: CachedFindings | None, part: str, values: Mapping[str, Any]) -> Markup:
    text = Markup(environment().get_template(f"run/{part}.html.j2").render(values))
    if read is not None and part in SHARED:
        with _lock:
            _kept[run.id, read.at, hash((read.labels, values["shared"])), part] = text
            while len(_kept) > _KEPT:
                _kept.popitem(last=False)
    return text


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownGate:
    """A gate as shown on a page."""

    text: str
    outcome: OutcomeLabel | None
    """Outcome, or None if there is no verdict."""
    sentence: str
    """Explanation of the verdict, or why there is none."""


def gates_of(store: Store, run: Run, findings: Findings) -> list[ShownGate]:
    """Return all gates, with verdicts once the run is completed."""
    verdicts, trouble = _judge(store, findings)
    if verdicts:
        return [_show_gate(verdict) for verdict in verdicts]
    moving = run.status in ("queued", "running")
    why = trouble or ("judged when the run is over" if moving else "not judged: the run is not complete")
    return [ShownGate(text=text, outcome=None, sentence=why) for text in run.gates or run.settings.stop_early]


def gates_for_programs(store: Store, findings: Findings) -> dict[str, Any]:
    """Return the gates as `--json` prints them; `gates_trouble` is set if they cannot be judged."""
    verdicts, trouble = _judge(store, findings)
    return {"gates": words.as_dicts(verdicts), **({"gates_trouble": trouble} if trouble else {})}


def _judge(store: Store, findings: Findings) -> tuple[list[GateVerdict], str]:
    try:
        return judge_stored(store, findings), ""
    except ProctorError as error:  # the baseline was deleted, or is not comparable
        return [], error.on_page


def _show_gate(verdict: GateVerdict) -> ShownGate:
    return ShownGate(text=verdict.gate.text, outcome=words.OUTCOMES[verdict.verdict], sentence=words.sentence(verdict))
