"""proctor sync, from the command line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from aiohttp import web
from tests.cli.desk import Desk
from tests.exporters.background import in_background
from tests.exporters.langfuse_stub import PUBLIC, SECRET, LangfuseStub

from proctor.exporters import sender as courier


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LangfuseStub]:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", PUBLIC)
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    monkeypatch.setattr(courier, "BACKOFF", 0.0)
    made = LangfuseStub()
    with in_background(made.answer) as server:
        made.url = server.url
        monkeypatch.setenv("LANGFUSE_BASE_URL", server.url)
        yield made


@pytest.fixture
def ran(desk: Desk) -> Desk:
    """A desk with a run of three cases, of which two pass."""
    agent = desk.agent('def answer(question):\n    return "no" if question.endswith("3") else "yes"\n')
    assert desk.run(agent, "--reviewer", "exact").code == 0
    return desk


def test_all_sent_is_exit_0_and_a_table(ran: Desk, stub: LangfuseStub) -> None:
    said = ran("sync", "langfuse", "last")
    assert said.code == 0
    assert f"to langfuse at {stub.url}" in said.out
    words = [line.split() for line in said.out.splitlines()]
    assert ["sent", "unchanged"] in words
    assert ["attempts", "3", "0"] in words
    assert len(stub.items) == 3


def test_a_second_time_nothing_is_sent(ran: Desk, stub: LangfuseStub) -> None:
    ran("sync", "langfuse", "last")
    before = stub.kept()
    said = ran("sync", "langfuse", "last", "--json")
    assert said.code == 0
    (told,) = said.json["destinations"]
    assert told["attempts"]["unchanged"] == 3
    assert told["complete"] is True
    assert stub.kept() == before


def test_json_tells_of_every_item(ran: Desk, stub: LangfuseStub) -> None:
    told = ran("sync", "langfuse", "last", "--json").json
    (there,) = told["destinations"]
    assert (there["destination"], there["where"]) == ("langfuse", stub.url)
    assert there["attempts"] == {
        "sent": 3, "unchanged": 0, "rejected": 0, "unsent": 0, "unknown": 0, "pending": 0,
    }  # fmt: skip
    attempts = [item for item in there["items"] if "case" in item]
    assert {(item["trial"], item["state"], item["reason"]) for item in attempts} == {(1, "sent", "")}
    assert "pass_rate" in {item["score"] for item in there["items"] if "score" in item}


def test_trouble_is_exit_4_and_one_sentence_for_each_kind(
    ran: Desk, stub: LangfuseStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-not-this-one")
    said = ran("sync", "langfuse", "last")
    assert said.code == 4
    flat = " ".join(said.out.split())
    assert "401 Unauthorized" in flat
    assert " (attempts and run scores): " in flat
    assert "check the keys in the environment" in flat
    assert "Continue with: proctor sync --resume" in flat
    assert "sk-lf-not-this-one" not in said.out + said.err


def test_resuming_needs_only_the_run(ran: Desk, stub: LangfuseStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-not-this-one")
    ran("sync", "langfuse", "last", "--redact", "q 1")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    said = ran("sync", "--resume", "last", "--json")
    assert said.code == 0
    assert said.json["destinations"][0]["attempts"]["sent"] == 3
    assert {item["input"]["question"] for item in stub.items.values()} == {"[redacted]", "q 2", "q 3"}


def test_any_otlp_backend_by_its_endpoint(ran: Desk) -> None:
    async def take(_: web.Request) -> web.StreamResponse:
        return web.Response()

    with in_background(take) as server:
        said = ran("sync", "otlp", "last", "--endpoint", server.url, "--json")
        assert said.code == 0
        assert said.json["destinations"][0]["attempts"]["sent"] == 3
        assert server.requests == ["POST /v1/traces"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("langfuse",), "expected a destination and a run"),
        (("langfuze", "last"), "there is no destination 'langfuze'; did you mean 'langfuse'?"),
        (
            ("otlp", "last"),
            "no address to send to; set OTEL_EXPORTER_OTLP_ENDPOINT in the environment, such as",
        ),
        (("langfuse", "nobody"), "nobody"),
        (("langfuse", "last", "--redact", "("), "--redact '(' is not a valid regular expression"),
        (("langfuse", "last", "--endpoint", "http://here"), "--endpoint is not for langfuse"),
        (("--resume", "last", "--redact", "x"), "--resume takes --endpoint and --redact from the last time"),
        (("--resume", "last"), "has not been sent yet"),
    ],
)
def test_wrong_usage_is_exit_2_and_one_sentence(
    ran: Desk, stub: LangfuseStub, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    said = ran("sync", *arguments)
    assert said.code == 2
    assert sentence in said.error
    assert not stub.requests


@pytest.mark.parametrize("agent", ["demo:librarian", "demo:orchestrator"])
def test_what_was_sent_while_the_run_went_on_is_not_sent_again(desk: Desk, stub: LangfuseStub, agent: str) -> None:
    assert desk.run(agent, "--sync", "langfuse", "--trials", "2").code == 0
    before = stub.kept()
    (told,) = desk("sync", "langfuse", "last", "--json").json["destinations"]
    assert told["attempts"]["unchanged"] == 6
    assert told["run_scores"]["sent"] == 0
    assert stub.kept() == before


def test_reports_tell_where_the_run_can_be_looked_at(ran: Desk, stub: LangfuseStub) -> None:
    link = ran("sync", "langfuse", "last", "--json").json["destinations"][0]["link"]
    assert link.startswith(f"{stub.url}/project/")
    assert f"langfuse:{link}" in "".join(ran("show", "last").out.split())
    assert ran("show", "last", "--json").json["sent"] == {"langfuse": link}
    assert ran("export", "last", "--format", "html", "-o", "report.html").code == 0
    assert f'<a href="{link}"' in (ran.folder / "report.html").read_text()


def test_run_sync_in_the_file_sends_whoever_plays(desk: Desk, stub: LangfuseStub) -> None:
    agent = desk.agent('def answer(question):\n    return "yes"\n')
    (desk.folder / "proctor.toml").write_text('[run]\nsync = ["langfuse"]\n')
    assert "langfuse: 3 of 3 attempts sent." in desk.run(agent, "--reviewer", "exact").err
    before = len(stub.spans)
    said = desk("resume", "last", "--trials", "2")
    assert "langfuse: 6 of 6 attempts sent." in said.err
    assert len(stub.spans) == 2 * before
