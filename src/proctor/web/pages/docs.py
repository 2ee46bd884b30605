"""API documentation page, generated from the schema without external resources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from proctor.web.site.openapi import schema
from proctor.web.site.render import render

router = APIRouter()


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentedField:
    """A parameter, or a key of a request or response body."""

    name: str
    type: str
    required: bool
    about: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """An API operation."""

    id: str
    method: str
    path: str
    about: str
    parameters: tuple[DocumentedField, ...]
    body: tuple[DocumentedField, ...]
    file: bool
    """Whether the request body is a raw file."""
    answers: tuple[tuple[str, str, tuple[DocumentedField, ...]], ...]
    """Status, description and keys of each response."""


@router.get("/docs")
def docs(request: Request) -> HTMLResponse:
    """Show all operations, grouped by resource."""
    made = schema(request.app)
    families: dict[str, list[Operation]] = {}
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            families.setdefault(operation["tags"][0], []).append(_operation(made, method, path, operation))
    return render(request, "docs.html.j2", about=made["info"]["description"], families=families)


def _operation(made: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> Operation:
    content = operation.get("requestBody", {}).get("content", {})
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        about=operation.get("description") or operation["summary"],
        parameters=tuple(_parameter(made, each) for each in operation.get("parameters", ())),
        body=tuple(_fields(made, content.get("application/json", {}).get("schema", {}))),
        file="application/octet-stream" in content,
        answers=tuple(_answer(made, status, each) for status, each in operation["responses"].items()),
    )


def _parameter(made: dict[str, Any], parameter: dict[str, Any]) -> DocumentedField:
    about = parameter.get("description") or parameter["schema"].get("description") or ""
    return DocumentedField(
        name=parameter["name"], type=_type(made, parameter["schema"]), required=parameter["required"], about=about
    )


def _answer(
    made: dict[str, Any], status: str, response: dict[str, Any]
) -> tuple[str, str, tuple[DocumentedField, ...]]:
    shape = response.get("content", {}).get("application/json", {}).get("schema", {})
    return status, response["description"], tuple(_fields(made, shape))


def _fields(made: dict[str, Any], shape: dict[str, Any]) -> Iterator[DocumentedField]:
    resolved = _resolve_reference(made, shape)
    for name, each in resolved.get("properties", {}).items():
        yield DocumentedField(
            name=name,
            type=_type(made, each),
            required=name in resolved.get("required", ()),
            about=each.get("description", ""),
        )


def _type(made: dict[str, Any], shape: dict[str, Any]) -> str:
    """Describe a schema type in brief: `int ≥ 1`, `list of Run`, `pass or fail`."""
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        inner = _resolve_reference(made, shape)
        return name if inner.get("properties") else _type(made, inner)
    if "anyOf" in shape:
        return " or ".join(_type(made, each) for each in shape["anyOf"])
    if "enum" in shape or "const" in shape:
        return ", ".join(map(str, shape.get("enum", [shape.get("const")])))
    if shape.get("type") == "array":
        return f"list of {_type(made, shape['items'])}"
    if shape.get("type") == "object" and isinstance(shape.get("additionalProperties"), dict):
        return f"names to {_type(made, shape['additionalProperties'])}"
    bounds = [f"{sign} {shape[key]:g}" for key, sign in _BOUNDS.items() if key in shape]
    return " ".join([shape.get("type", "anything"), *bounds])


_BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def _resolve_reference(made: dict[str, Any], shape: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in shape:
        return shape
    found: dict[str, Any] = made["components"]["schemas"][shape["$ref"].rpartition("/")[2]]
    return found
