"""The schemas that the tests of `ask` ask for."""

from __future__ import annotations

from typing import Annotated

import msgspec
from pydantic import BaseModel, Field


class Verdict(msgspec.Struct):
    """A mark and its reason."""

    score: Annotated[float, msgspec.Meta(ge=0, le=1)]
    why: str = ""


class PydanticVerdict(BaseModel):
    """The same as a pydantic model."""

    score: float = Field(ge=0, le=1)
    why: str = ""
