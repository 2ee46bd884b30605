"""A clock for tests of waiting."""

from __future__ import annotations

import asyncio


class Clock:
    """Time passes only for those who sleep."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        wake = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, wake)
