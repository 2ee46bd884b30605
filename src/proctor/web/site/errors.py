"""What went wrong, as a page for people and as JSON for programs; never a traceback."""

from __future__ import annotations

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from proctor.errors import NoSuchRun, ProctorError, RunBusy, StoreError, UsageError
from proctor.web.site.jobs import WrongState
from proctor.web.site.render import render
from proctor.workflows.library import NoSuchBenchmark, RefusedFile

_STATUS: dict[type[ProctorError], HTTPStatus] = {
    NoSuchRun: HTTPStatus.NOT_FOUND,
    NoSuchBenchmark: HTTPStatus.NOT_FOUND,
    RunBusy: HTTPStatus.CONFLICT,
    WrongState: HTTPStatus.CONFLICT,
    StoreError: HTTPStatus.SERVICE_UNAVAILABLE,
    UsageError: HTTPStatus.BAD_REQUEST,
}
_WORDS = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take that.",
}
_log = logging.getLogger("proctor.web")


def install(app: FastAPI) -> None:
    """Answer every exception."""
    app.add_exception_handler(ProctorError, _proctor_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _own_bug)


def said(request: Request, status: int, message: str, **more: object) -> Response:
    """A message with this status, in the caller's language."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": message, **more}, status_code=status)
    phrase = HTTPStatus(status).phrase
    return render(request, "error.html.j2", status=status, phrase=phrase, code=status, message=message)


async def _proctor_error(request: Request, error: Exception) -> Response:
    status = next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), HTTPStatus.BAD_REQUEST)
    if isinstance(error, RefusedFile):
        faults = [{"message": each.message, "line": each.line, "column": each.column} for each in error.examined.errors]
        return said(request, HTTPStatus.UNPROCESSABLE_ENTITY, str(error), faults=faults)
    return said(request, status, str(error))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = [{"where": ".".join(map(str, each["loc"])), "message": each["msg"]} for each in error.errors()]
    message = "; ".join(f"{each['where']}: {each['message']}" for each in faults)
    return said(request, HTTPStatus.UNPROCESSABLE_ENTITY, message, faults=faults)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    message = error.detail if error.detail != status.phrase else _WORDS.get(status, status.description)
    answer = said(request, status, message)
    answer.headers.update(error.headers or {})
    return answer


async def _gone(request: Request, error: Exception) -> Response:
    return said(request, HTTPStatus.BAD_REQUEST, "the request did not arrive whole")


async def _own_bug(request: Request, error: Exception) -> Response:
    """Proctor's own: what it says may hold anything, so only its kind is shown; the log has the rest."""
    _log.error("%s %s", request.method, request.url.path, exc_info=error)
    return said(
        request,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        f"Proctor itself failed ({type(error).__name__}); the server's own output says where",
    )
