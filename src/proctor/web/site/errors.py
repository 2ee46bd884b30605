"""Error responses: a page for people and JSON for programs, never a traceback."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from proctor.errors import NoSuchRun, ProctorError, RunBusy, StoreError, UsageError
from proctor.settings import did_you_mean
from proctor.web.site.in_thread import TooBusy
from proctor.web.site.jobs import WrongState
from proctor.web.site.judge_jobs import NoSuchJob
from proctor.web.site.render import render
from proctor.web.site.security import loggable
from proctor.workflows.library import NoSuchBenchmark, RefusedFile

_STATUS: dict[type[ProctorError], HTTPStatus] = {
    NoSuchRun: HTTPStatus.NOT_FOUND,
    NoSuchBenchmark: HTTPStatus.NOT_FOUND,
    NoSuchJob: HTTPStatus.NOT_FOUND,
    RunBusy: HTTPStatus.CONFLICT,
    WrongState: HTTPStatus.CONFLICT,
    TooBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    StoreError: HTTPStatus.SERVICE_UNAVAILABLE,
    UsageError: HTTPStatus.BAD_REQUEST,
}
_HEADINGS: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "That cannot be done",
    HTTPStatus.CONFLICT: "Not now",
    HTTPStatus.UNPROCESSABLE_ENTITY: "That cannot be done",
}
"""Headings of error pages, instead of the standard HTTP phrases."""
_WORDS = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take that.",
}
_OF_RUN = re.compile(r"(/runs/[^/]+)/[^/]+$")
_log = logging.getLogger("proctor.web")


def install(app: FastAPI) -> None:
    """Register handlers for all exceptions."""
    app.add_exception_handler(ProctorError, _proctor_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _own_bug)


def error_response(request: Request, status: int, message: str, **more: object) -> Response:
    """Return an error response with this status, as a page or JSON."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": message, **more}, status_code=status)
    phrase = _HEADINGS.get(status) or HTTPStatus(status).phrase
    return render(
        request, "error.html.j2", status=status, phrase=phrase, code=status, message=message, back=_back(request)
    )


def _back(request: Request) -> str:
    """Return a same-site URL to go back to (for actions on a run, its page), or empty if unknown."""
    came = urlsplit(request.headers.get("referer", ""))
    elsewhere = came.path != request.url.path or request.method == "POST"  # a form may post to its own URL
    if came.netloc == request.url.netloc and came.path and elsewhere:
        return came.path + (f"?{came.query}" if came.query else "")
    acted = _OF_RUN.match(request.url.path)
    return acted[1] if acted else ""


async def _proctor_error(request: Request, error: Exception) -> Response:
    status = next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), HTTPStatus.BAD_REQUEST)
    if isinstance(error, RefusedFile):
        faults = [{"message": each.message, "line": each.line, "column": each.column} for each in error.examined.errors]
        return error_response(request, HTTPStatus.UNPROCESSABLE_ENTITY, error.on_page, faults=faults)
    if not isinstance(error, ProctorError):
        return error_response(request, status, str(error))
    return error_response(request, status, error.by_key if request.url.path.startswith("/api/") else error.on_page)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = [(_place_of(each, error.body), each) for each in error.errors()]
    inner = [place for place, _ in found]
    # if a union of text and object fails, report the member that comes closest
    kept = [(place, each) for place, each in found if not any(_is_within(other, place) for other in inner)]
    known = _keys_of_body(request)
    fault_texts = dict.fromkeys((".".join(map(str, place)), _wrong(each, place, known)) for place, each in kept)
    faults = [{"where": where, "message": message} for where, message in fault_texts]
    return error_response(
        request,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "; ".join(dict.fromkeys(message for _, message in fault_texts)),
        faults=faults,
    )


Place = tuple[str | int, ...]


def _keys_of_body(request: Request) -> Collection[str]:
    """What the body of this operation may hold."""
    body = getattr(request.scope.get("route"), "body_field", None)
    model = None if body is None else body.field_info.annotation
    return model.model_fields.keys() if isinstance(model, type) and issubclass(model, BaseModel) else ()


def _place_of(fault: Mapping[str, Any], body: object) -> Place:
    """Return the location of a validation error in the input, without the steps that pydantic adds for unions."""
    location: Place = fault["loc"]
    if location[:1] != ("body",) or fault["type"] == "json_invalid":
        return location
    place: list[str | int] = ["body"]
    here = body
    for step in location[1:]:
        if step in _steps_in(here):
            here = here[step]  # type: ignore[index]
        elif fault["type"] != "missing" or step != location[-1]:
            continue
        place.append(step)
    return tuple(place)


def _steps_in(value: object) -> Collection[str | int]:
    """Return the keys of an object or the indices of a list."""
    if isinstance(value, Mapping):
        return value.keys()
    return range(len(value)) if isinstance(value, list) else ()


def _is_within(inner: Place, outer: Place) -> bool:
    return len(inner) > len(outer) and inner[: len(outer)] == outer


_WRONG = {
    "missing": "is missing",
    "int_parsing": "is not a whole number",
    "int_type": "is not a whole number",
    "int_from_float": "is not a whole number",
    "int_parsing_size": "is too large",
    "float_parsing": "is not a number",
    "float_type": "is not a number",
    "finite_number": "is not a finite number",
    "bool_parsing": "is neither true nor false",
    "bool_type": "is neither true nor false",
    "string_type": "is not text",
    "list_type": "is not a list",
    "dict_type": "is not an object",
    "model_attributes_type": "is not an object",
    "extra_forbidden": "is not known here; {instead}",
    "greater_than_equal": "is too small; expected at least {ge}",
    "greater_than": "is too small; expected more than {gt}",
    "less_than_equal": "is too large; expected at most {le}",
    "less_than": "is too large; expected less than {lt}",
    "string_too_short": "is too short; expected at least {min_length} characters",
    "string_too_long": "is too long; expected at most {max_length} characters",
    "too_short": "has too few; expected at least {min_length}",
    "too_long": "has too many; expected at most {max_length}",
    "literal_error": "is not known here; expected {expected}",
    "string_pattern_mismatch": "does not look as expected ({pattern})",
    "value_error": "cannot be: {error}",
}
"""Pydantic error type → message that says what to do."""


def _wrong(fault: Mapping[str, Any], place: Place, known: Collection[str]) -> str:
    """What is wrong with one value: its name, the value, what was expected; `known`: the keys of the whole body."""
    if fault["type"] == "json_invalid":
        return f"the body is not JSON ({fault.get('ctx', {}).get('error', 'it cannot be read')}); send an object"
    name = ".".join(map(str, place[1:])) or "the body"
    given = fault["input"]
    shown = (
        f"{name}={str(given)[:60]!r}" if fault["type"] != "missing" and isinstance(given, str | int | float) else name
    )
    words = _WRONG.get(fault["type"])
    near = did_you_mean(place[-1], known if len(place) == 2 else (), otherwise="leave it out") if place else ""
    said = {"instead": near, **fault.get("ctx", {})}
    return f"{shown}: {fault['msg']}" if words is None else f"{shown} {words.format(**said)}"


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    message = error.detail if error.detail != status.phrase else _WORDS.get(status, status.description)
    answer = error_response(request, status, message)
    answer.headers.update(error.headers or {})
    return answer


async def _gone(request: Request, error: Exception) -> Response:
    return error_response(request, HTTPStatus.BAD_REQUEST, "the request did not arrive whole")


async def _own_bug(request: Request, error: Exception) -> Response:
    """Respond to an internal error with its type only, since its message may hold anything; the log has the details."""
    _log.error("%s %s", request.method, loggable(request.url.path), exc_info=error)
    return error_response(
        request,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        f"Proctor itself failed ({type(error).__name__}); the server's own output says where",
    )
