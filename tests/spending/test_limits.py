"""Limits by provider: one throttle for everybody who calls the same host."""

from __future__ import annotations

from typing import Any

import pytest

from proctor.errors import InputError
from proctor.spending.limits import Limit, Limits
from proctor.spending.providers import Source, source_at, source_in

OPENAI = Source(provider="openai")
LOCAL = Source(provider="openai-compatible", host="127.0.0.1:8000")


def test_everybody_who_calls_a_host_shares_its_throttle() -> None:
    limits = Limits({"openai": {"concurrency": 5}})
    assert limits.of(source_at("openai", "https://api.openai.com/v1")) is limits.of(OPENAI)
    assert limits.of(OPENAI) is not limits.of(LOCAL)
    assert limits.of(OPENAI).concurrency == 5


def test_ollama_elsewhere_is_not_taken_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "big:8000")
    assert source_in("ollama:m", {}) == Source(provider="ollama", host="big:8000")
    assert source_in("ollama:m", {"base_url": "http://127.0.0.1:11434/v1"}) == Source(provider="ollama")
    monkeypatch.delenv("OLLAMA_HOST")
    assert source_in("ollama:m", {}) == Source(provider="ollama")


def test_a_hosts_own_limits_come_before_its_providers() -> None:
    limits = Limits({"openai-compatible": {"concurrency": 5}, "models.lan:8000": {"requests_per_minute": 60}})
    assert limits.limit(Source(provider="openai-compatible", host="models.lan:8000")) == Limit(requests_per_minute=60)
    assert limits.limit(Source(provider="openai-compatible", host="other:1")) == Limit(concurrency=5)
    assert limits.limit(OPENAI) == Limit()


@pytest.mark.parametrize(
    "source",
    [
        LOCAL,
        source_at("openai-compatible", "http://localhost:8080/v1"),
        source_at("openai-compatible", "http://[::1]:8080/v1"),
        source_at("openai", "http://127.0.0.53:1/v1"),
        source_at("openai", "http://0.0.0.0:8000/v1"),
        source_at("ollama", "http://127.0.0.1:11434/v1"),
        source_at("ollama", ""),
        source_at("anthropic", "http://127.0.0.1/v1"),
    ],
)
def test_a_model_on_this_machine_is_called_twice_at_once_unless_somebody_says_otherwise(source: Source) -> None:
    assert Limits().limit(source) == Limit(concurrency=2)
    assert Limits().of(source).concurrency == 2
    assert Limits({source.provider: {"tokens_per_minute": 9}}).limit(source).concurrency == 2
    assert Limits({source.provider: {"concurrency": 7}}).limit(source).concurrency == 7
    host = source.host or "127.0.0.1:11434"
    given = {host: {"concurrency": 1}, source.provider: {"concurrency": 7}}
    assert Limits(given).limit(source).concurrency == 1


@pytest.mark.parametrize(
    "source",
    [
        OPENAI,
        source_at("openai", "https://models.lan:8000/v1"),
        source_at("openai-compatible", "http://10.0.0.7:8000/v1"),
        source_at("openai-compatible", "http://localhost.example:8000/v1"),
        source_at("ollama", "http://gpu:11434"),
        Source(provider="google"),
    ],
)
def test_a_model_elsewhere_is_called_as_often_as_it_bears(source: Source) -> None:
    assert Limits().limit(source) == Limit()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"opneai": {}}, "limits for 'opneai' do not apply to anything; did you mean 'openai'?"),
        ({"openai": 5}, "the limits for 'openai' are not a table"),
        ({"openai": {"request_per_minute": 5}}, "did you mean 'requests_per_minute'?"),
        ({"openai": {"concurrency": 0}}, "concurrency=0 for 'openai' is not usable; expected a whole number"),
        ({"openai": {"concurrency": 1.5}}, "expected a whole number greater than 0"),
        ({"openai": {"tokens_per_minute": True}}, "expected a number greater than 0"),
        ({"openai": {"tokens_per_minute": float("inf")}}, "expected a number greater than 0"),
    ],
)
def test_limits_that_make_no_sense_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        Limits(settings)
    assert words in str(caught.value)
