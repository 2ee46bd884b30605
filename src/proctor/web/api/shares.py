"""/api/runs/…/shares: links that open one run read-only; …/sync: send it to another service."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Request, Response
from pydantic import Field

from proctor.reports.values import plain
from proctor.web.api.answers import answer
from proctor.web.api.shapes import RequestBody, ResponseBody
from proctor.web.pages.run_actions import must_be_configured
from proctor.web.site.shares import LONGEST, USUAL, ShareLink
from proctor.web.site.site import Site, site_of
from proctor.web.site.syncs import SyncState

router = APIRouter(tags=["runs"])
Named = Annotated[str, Path(description="An id, a unique beginning of it, a unique name, or `last`")]


class NewShare(RequestBody):
    """A link to be made."""

    days: Annotated[int, Field(strict=True, ge=1, le=LONGEST, description=f"How long it is good, 1 to {LONGEST}")] = (
        USUAL
    )


class ShareBody(ResponseBody):
    """A link that opens one run to be read, without logging in."""

    id: str = Field(description="What it is revoked by")
    run: str
    made: int
    expires: int = Field(description="Seconds since 1970")
    path: str = Field(description="To be opened at this server; keep it secret")


class SharesBody(ResponseBody):
    """All links to a run that are still good."""

    shares: list[ShareBody]


class NewSync(RequestBody):
    """Where to send a run."""

    to: Literal["langfuse", "otlp", "phoenix", "mlflow"] = Field(
        description="langfuse, otlp, phoenix or mlflow, where the server's environment has its address and keys"
    )


class DeliveryBody(ResponseBody):
    """A run on its way to one service."""

    to: str
    state: SyncState
    attempts: int = Field(description="How many have arrived")
    said: str
    link: str
    at: float = Field(description="Since when it stands so, in seconds since 1970")


class DeliveriesBody(ResponseBody):
    """Where a run was sent since the server began."""

    deliveries: list[DeliveryBody]


@router.get("/runs/{run}/shares", response_model=SharesBody)
def list_shares(request: Request, run: Named) -> Response:
    """List the valid share links of a run, newest first."""
    site = site_of(request)
    found = site.store.archive.find(run)
    return answer({"shares": [_share_record(site, share) for share in site.shares.of(found.id)]})


@router.post("/runs/{run}/shares", status_code=201, response_model=ShareBody)
def create_share(request: Request, run: Named, new: NewShare) -> Response:
    """Create a link that opens this run for some days, returned as `path`. The server must have a token."""
    site = site_of(request)
    share = site.shares.make(site.store.archive.find(run).id, days=new.days)
    return answer(_share_record(site, share), status=201)


@router.delete("/runs/{run}/shares/{share}", status_code=204)
def revoke_share(request: Request, run: Named, share: str) -> Response:
    """Revoke a share link."""
    site = site_of(request)
    found = site.store.archive.find(run)
    if not site.shares.revoke(found.id, share):
        raise HTTPException(404, f"there is no link {share[:60]!r} to run {found.id}; it has expired or was revoked")
    return Response(status_code=204)


@router.get("/runs/{run}/sync", response_model=DeliveriesBody)
def list_deliveries(request: Request, run: Named) -> Response:
    """List where a run was sent since the server started, and the outcome."""
    site = site_of(request)
    found = site.syncs.of(site.store.archive.find(run).id)
    return answer({"deliveries": [plain(each) for each in found.values()]})


@router.post("/runs/{run}/sync", status_code=202, response_model=DeliveryBody)
def send_run(request: Request, run: Named, new: NewSync) -> Response:
    """Send a run to a service. Unchanged items that are already there are not sent again."""
    site = site_of(request)
    must_be_configured(new.to)
    return answer(plain(site.syncs.start(site.store.archive.find(run).id, new.to)), status=202)


def _share_record(site: Site, share: ShareLink) -> dict[str, Any]:
    return {**plain(share), "path": f"/shared/{site.shares.token(share)}"}
