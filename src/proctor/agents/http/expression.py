"""JMESPath expressions that locate values in a JSON reply, compiled before the first question."""

from __future__ import annotations

from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from proctor.errors import AgentFault, InputError

_KEYS_SHOWN = 20


class Expression:
    """A JMESPath expression, named after its option."""

    def __init__(self, source: object, *, option: str) -> None:
        if not isinstance(source, str):
            raise InputError(f"{option} is a {type(source).__name__}; expected a JMESPath expression in quotes")
        self.option = option
        self.source = source
        try:
            self._compiled = jmespath.compile(source)
        except JMESPathError as error:
            raise InputError(f"{option} = {source!r} is not a valid JMESPath expression{_where(error)}") from error

    def find(self, body: Any) -> Any:
        """Return the matching value, or None."""
        try:
            return self._compiled.search(body)
        except (JMESPathError, RecursionError) as error:  # its message would show the value, which may be private
            raise AgentFault(
                f"{self.option} = {self.source!r} does not fit the reply ({type(error).__name__}); {shape(body)}",
                kind="wrong_type",
            ) from error

    def must_find(self, body: Any) -> Any:
        """Return the matching value; raise AgentFault if there is none."""
        found = self.find(body)
        if found is None:
            raise AgentFault(
                f"the reply has nothing at {self.option} = {self.source!r}; {shape(body)}", kind="wrong_type"
            )
        return found


def _where(error: JMESPathError) -> str:
    """Return the position of a syntax error; the parser's own message is about its tokens."""
    at = getattr(error, "lex_position", None)
    return "" if at is None else f": it cannot be read from character {at + 1} on"


def shape(body: Any) -> str:
    """Describe the structure of a reply without showing any of its values."""
    if body == {}:
        return "it has no keys"
    if isinstance(body, dict):
        keys = [key if len(key) <= 40 else key[:39] + "…" for key in list(body)[:_KEYS_SHOWN]]
        return f"its keys are {keys!r}" + (f" and {len(body) - _KEYS_SHOWN} more" if len(body) > _KEYS_SHOWN else "")
    if isinstance(body, list):
        return f"it is a list of {len(body)}"
    return f"it is of type {type(body).__name__}"
