"""Agreement of judges with people, for all judges of a run, on its labelled attempts."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from proctor.errors import InputError
from proctor.reports import judges as words
from proctor.web.pages.judge_jobs import judge_form
from proctor.web.site.render import render
from proctor.web.site.site import site_of
from proctor.web.views.people_labels import count_disputed
from proctor.web.views.vocabulary import teach
from proctor.workflows.judges import read_judges
from proctor.workflows.people import labels_in_rate

router = APIRouter()
teach()


@router.get("/runs/{run}/judges")
def judges(request: Request, run: str) -> HTMLResponse:
    """Show the stored agreement, and the judges that can be asked; none is called before it is started."""
    site = site_of(request)
    found = site.store.archive.find(run)
    labels = labels_in_rate(site.store, found)
    try:
        compared, trouble = read_judges(found.id, store=site.settings.store), ""
    except InputError as error:  # there are no labels, or no usable ones
        compared, trouble = None, error.on_page if labels else ""
    asking = judge_form(site, [found], request.query_params)
    return render(
        request,
        "judges.html.j2",
        run=found,
        judges=compared,
        trouble=trouble,
        disputes=count_disputed(labels),
        words=words,
        **asking,
    )
