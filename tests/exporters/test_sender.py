"""The sender: how often, after how long, and when it gives up."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web
from tests.net.serving import serving

from proctor.exporters import sender as sender
from proctor.exporters.outcome import State
from proctor.exporters.sender import Sender


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def answering(*answers: tuple[int, dict[str, str]]) -> Any:
    left = list(answers)

    async def answer(_: web.Request) -> web.StreamResponse:
        status, headers = left.pop(0) if len(left) > 1 else left[0]
        return web.Response(status=status, headers=headers, text="hm")

    return answer


async def asked(*answers: tuple[int, dict[str, str]], times: int = 1) -> tuple[list[State], list[float], int]:
    """States of so many requests, what was slept, and how many requests came."""
    clock = Clock()
    async with serving(answering(*answers)) as server:
        carrier = Sender(sleep=clock.sleep, clock=clock)
        states = [(await carrier.get(f"{server.url}/x")).verdict.state for _ in range(times)]
        await carrier.close()
        return states, clock.slept, len(server.requests)


async def test_tries_are_bounded_and_further_and_further_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "BACKOFF", 0.5)
    states, slept, requests = await asked((500, {}))
    assert (states, slept, requests) == (["unknown"], [0.5, 1.0, 2.0], 4)


async def test_the_server_s_own_word_on_when_to_come_back_is_kept() -> None:
    states, slept, requests = await asked((429, {"Retry-After": "7"}), (200, {}))
    assert (states, requests) == (["sent"], 2)
    assert slept == [7.0]


async def test_a_server_that_asks_to_wait_too_long_is_not_waited_for() -> None:
    states, slept, requests = await asked((503, {"Retry-After": "61"}))
    assert (states, slept, requests) == (["rejected"], [], 1)


@pytest.mark.parametrize(
    ("status", "state"), [(429, "rejected"), (503, "rejected"), (502, "unknown"), (504, "unknown")]
)
async def test_what_was_surely_not_taken_is_rejected_and_the_rest_unknown(status: int, state: str) -> None:
    states, _, requests = await asked((status, {}))
    assert (states, requests) == ([state], 4)


@pytest.mark.parametrize("status", [400, 409, 413, 422])
async def test_a_plain_no_is_not_tried_again_and_says_nothing_of_the_next(status: int) -> None:
    states, slept, requests = await asked((status, {}), times=3)
    assert (states, slept, requests) == (["rejected"] * 3, [], 3)


@pytest.mark.parametrize("status", [401, 403, 404, 405])
async def test_a_wrong_key_or_address_ends_it_all(status: int) -> None:
    states, _, requests = await asked((status, {}), times=3)
    assert (states, requests) == (["rejected", "unsent", "unsent"], 1)


async def test_what_may_be_missing_is_no_reason_to_stop() -> None:
    async with serving(answering((404, {}))) as server:
        carrier = Sender()
        answers = [await carrier.get(f"{server.url}/x", may_be_missing=True) for _ in range(2)]
        await carrier.close()
    assert [answer.status for answer in answers] == [404, 404]


async def test_two_requests_without_a_usable_answer_are_enough() -> None:
    states, _, requests = await asked((500, {}), times=4)
    assert (states, requests) == (["unknown", "unknown", "unsent", "unsent"], 8)


async def test_one_answer_in_between_gives_new_hope() -> None:
    broken: list[tuple[int, dict[str, str]]] = [(500, {})] * 4
    states, _, _ = await asked(*broken, (200, {}), *broken, (200, {}), times=4)
    assert states == ["unknown", "sent", "unknown", "sent"]


async def test_a_connection_that_nobody_takes_is_tried_again_and_surely_not_sent() -> None:
    clock = Clock()
    carrier = Sender(sleep=clock.sleep, clock=clock)
    answer = await carrier.get("http://127.0.0.1:9/x")
    await carrier.close()
    assert (answer.verdict.state, answer.status, len(clock.slept)) == ("unsent", None, 3)
    assert answer.json() is None
