"""Which judge agrees with people: those that have judged a run, side by side on its labelled attempts."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from proctor.errors import InputError
from proctor.web.reading.vocabulary import teach
from proctor.web.site.render import render
from proctor.web.site.site import site_of

router = APIRouter()
teach()


@router.get("/runs/{run}/judges")
def judges(request: Request, run: str) -> HTMLResponse:
    """What is stored of them; nobody is asked."""
    from proctor.reports import judges as words  # SciPy comes with it, which the first page need not wait for
    from proctor.workflows.judges import read_judges

    site = site_of(request)
    found = site.store.archive.find(run)
    try:
        compared = read_judges(found.id, store=site.settings.store)
    except InputError:
        compared = None  # nobody has labelled it yet
    return render(request, "judges.html.j2", run=found, judges=compared, words=words)
