"""Judges that are asked by our own client: OpenAI, servers that speak like it, and Ollama, on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel
from tests.models.openai_api import TOKENS, Api, Refused, Said, api
from tests.models.verdict import Verdict
from tests.net.serving import serving

from proctor.errors import AgentFault, EnvironmentFault, InputError, Misconfigured
from proctor.models.load import load_model
from proctor.models.openai_model import OpenAIModel
from proctor.models.structured import StructuredAnswer, UnusableAnswer, ask
from proctor.spending.prices import Price
from proctor.spending.providers import COMPATIBLE_KEY, Source

GOOD = '{"score": 0.5, "why": "so"}'
VARIABLES = (
    "OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "OPENAI_PROJECT_ID",
    "OPENAI_PROXY", "OLLAMA_HOST", "OLLAMA_API_KEY", COMPATIBLE_KEY,
)  # fmt: skip


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


async def put(model: Any, **options: Any) -> StructuredAnswer[Any]:
    return await ask(model, **{"system": "You judge.", "user": "Judge this.", "schema": Verdict, **options})


def compatible(server: Api, **options: Any) -> Any:
    return load_model(f"openai-compatible:m@{server.url}", **options)


def openai(server: Api, monkeypatch: pytest.MonkeyPatch, model: str = "gpt-4o", **options: Any) -> Any:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return load_model(f"openai:{model}", **options)


# What is sent


async def test_the_line_break_after_a_key_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COMPATIBLE_KEY, " sk-of-a-file\n")
    async with api(Said(text=GOOD)) as server:
        await put(compatible(server))
    assert server.headers[0]["Authorization"] == "Bearer sk-of-a-file"


def test_a_key_that_no_header_can_carry_is_refused_before_anybody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COMPATIBLE_KEY, "sk-one\nsk-two")
    with pytest.raises(InputError, match=f"{COMPATIBLE_KEY}: it holds a line break") as caught:
        load_model("openai-compatible:m@http://127.0.0.1:1/v1")
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("model", ["llama3", "@cf/meta/llama", "org/model:latest"])
async def test_a_compatible_server_is_asked_by_model_and_address_without_a_key(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-openai")
    async with api(Said(text=GOOD)) as server:
        await put(load_model(f"openai-compatible:{model}@{server.url}"))
    assert (server.bodies[0]["model"], server.paths) == (model, ["/v1/chat/completions"])
    assert "of-openai" not in json.dumps(server.headers)


async def test_a_compatible_server_gets_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COMPATIBLE_KEY, "the-servers-own")
    async with api(Said(text=GOOD)) as server:
        await put(compatible(server))
    assert server.headers[0]["Authorization"] == "Bearer the-servers-own"


@pytest.mark.parametrize("variable", ["OPENAI_API_BASE", "OPENAI_BASE_URL"])
async def test_openai_is_asked_as_the_environment_says(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"OPENAI_API_KEY": "sk-1", "OPENAI_ORG_ID": "org-1", "OPENAI_PROJECT_ID": "proj-1"}
    async with api(Said(text=GOOD)) as server:
        for name, value in {**told, variable: server.url}.items():
            monkeypatch.setenv(name, value)
        await put(load_model("openai:gpt-4o"))
    sent = server.headers[0]
    assert (sent["Authorization"], sent["OpenAI-Organization"], sent["OpenAI-Project"]) == (
        "Bearer sk-1", "org-1", "proj-1",
    )  # fmt: skip


@pytest.mark.parametrize("variable", ["OPENAI_PROXY", "http_proxy"])
async def test_a_proxy_of_the_environment_is_used(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with api(Said(text=GOOD)) as server:
        monkeypatch.setenv(variable, server.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://judge.invalid/v1")
        await put(
            load_model("openai:gpt-4o" if variable == "OPENAI_PROXY" else "openai-compatible:m@http://judge.invalid/v1")
        )
    assert server.headers[0]["Host"] == "judge.invalid"


async def test_a_proxy_for_openai_is_not_used_for_any_other_server(monkeypatch: pytest.MonkeyPatch) -> None:
    async with api(Said(text=GOOD)) as server:
        monkeypatch.setenv("OPENAI_PROXY", "http://127.0.0.1:9")
        await put(load_model(f"openai-compatible:m@{server.url}"))
    assert len(server.bodies) == 1


async def test_ollama_is_found_where_its_own_programs_find_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with api(Said(text=GOOD)) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url.removeprefix("http://").removesuffix("/v1"))
        model = load_model("ollama:llama3:8b", temperature=0.0, max_output_tokens=99)
        await put(model)
    sent = server.bodies[0]
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("llama3:8b", 0.0, 99)
    assert sent["response_format"]["json_schema"]["schema"]["properties"]["score"]["type"] == "number"
    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize(
    ("host", "source"),
    [
        ("", Source(provider="ollama")),
        ("127.0.0.1", Source(provider="ollama")),
        (":11434", Source(provider="ollama")),
        ("big", Source(provider="ollama", host="big:11434")),
        ("big:8000/", Source(provider="ollama", host="big:8000")),
        ("https://big.example", Source(provider="ollama", host="big.example")),
    ],
)
def test_ollamas_host_is_read_as_its_own_programs_do(
    host: str, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    model = load_model("ollama:m")
    assert isinstance(model, OpenAIModel)
    assert model.source == source


@pytest.mark.parametrize(
    ("model", "role", "sent"),
    [
        ("gpt-4o", "system", {"temperature": 0.0, "max_completion_tokens": 99}),
        ("o3", "developer", {"temperature": 0.0, "max_completion_tokens": 99}),
        ("gpt-5-mini", "system", {"max_completion_tokens": 99}),
        ("gpt-5-chat-latest", "system", {"temperature": 0.0, "max_completion_tokens": 99}),
    ],
)
async def test_each_family_of_models_is_given_the_fields_that_it_takes(
    model: str, role: str, sent: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with api(Said(text=GOOD)) as server:
        await put(openai(server, monkeypatch, model, temperature=0.0, max_output_tokens=99))
    body = server.bodies[0]
    assert {name: body[name] for name in body if name not in ("model", "messages", "response_format")} == sent
    assert [message["role"] for message in body["messages"]] == [role, "user"]


@pytest.mark.parametrize("model", ["gpt-5-pro", "gpt-5.1-codex"])
async def test_a_model_that_speaks_only_responses_is_asked_there(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with api(Said(text=GOOD)) as server:
        answer = await put(openai(server, monkeypatch, model, max_output_tokens=99), price=Price(input=1, output=1))
    assert (answer.value.score, answer.usage.input_tokens) == (0.5, TOKENS[0])
    assert server.paths == ["/v1/responses"]
    body = server.bodies[0]
    assert (body["store"], body["max_output_tokens"], body["text"]["format"]["name"]) == (False, 99, "Verdict")


async def test_a_name_that_the_api_does_not_take_is_made_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Größe(BaseModel):
        score: float

    async with api(Said(text=GOOD)) as server:
        await put(compatible(server), schema=Größe)
    assert server.bodies[0]["response_format"]["json_schema"]["name"] == "Gr__e"


# What comes back


async def test_tokens_in_the_providers_prompt_cache_cost_what_they_cost_there() -> None:
    async with api(Said(text=GOOD)) as server:
        answer = await put(compatible(server), price=Price(input=10.0, output=100.0, cached_input=1.0))
    assert answer.usage.cost == pytest.approx((20 * 10 + 50 * 1 + 30 * 100) / 1e6)


async def test_without_usage_tokens_and_cost_stay_unknown() -> None:
    async with api(Said(text=GOOD, counted=False)) as server:
        answer = await put(compatible(server), price=Price(input=1, output=1))
    assert (answer.usage.calls, answer.usage.cost) == (1, None)


async def test_an_answer_that_was_cut_off_is_not_asked_for_again() -> None:
    async with api(Said(text='{"score": 0.', cut_off=True)) as server:
        with pytest.raises(UnusableAnswer, match="cut off at the model's output limit") as caught:
            await put(compatible(server))
    assert caught.value.usage.calls == 1


@pytest.mark.parametrize("path", ["chat", "responses"])
async def test_a_refusal_is_named_as_the_reason(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: dict[str, Any] = {"refusal": "I cannot judge this", "content": None}
    bodies = {
        "chat": {"choices": [{"message": said, "finish_reason": "stop"}]},
        "responses": {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": said["refusal"]}]}]},
    }
    refused = Refused(status=200, text=json.dumps(bodies[path]))
    async with api(plays=lambda _: refused) as server:
        model = openai(server, monkeypatch, "gpt-5-pro" if path == "responses" else "gpt-4o")
        with pytest.raises(UnusableAnswer, match="the model refused: I cannot judge this"):
            await put(model)
    assert len(server.bodies) == 2, "it is asked to repair it"


async def test_arguments_of_a_tool_call_that_nobody_offered_are_an_answer_too() -> None:
    async with api(Said(calls=(("Verdict", {"score": 0.5, "why": "so"}),))) as server:
        assert (await put(compatible(server))).value.score == 0.5


# What goes wrong


@pytest.mark.parametrize("status", [400, 422])
async def test_a_server_that_refuses_the_format_is_asked_in_words_from_then_on(status: int) -> None:
    async with api(Refused(status=status, error={"message": "no"}), Said(text=GOOD), Said(text=GOOD)) as server:
        model = compatible(server)
        assert (await put(model)).usage.calls == 2
        assert (await put(model)).usage.calls == 1
    assert ["response_format" in body for body in server.bodies] == [True, False, False]
    assert "as this example" in server.bodies[1]["messages"][0]["content"]


@pytest.mark.parametrize(
    "error", [{"code": "context_length_exceeded", "message": "no"}, {"message": "the prompt is too long"}]
)
async def test_a_prompt_that_is_too_long_is_unusable_and_not_asked_in_words(error: dict[str, Any]) -> None:
    async with api(Refused(status=400, error=error)) as server:
        with pytest.raises(UnusableAnswer, match="the prompt is too long for the model"):
            await put(compatible(server))


@pytest.mark.parametrize(
    ("status", "doing"),
    [(401, "refused the key"), (403, "refused access"), (404, "knows no such model or address")],
)
async def test_a_wrong_key_name_or_address_stops_the_run(
    status: int, doing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Refused(status=status, error={"message": "not with sk-secret-of-the-test"})
    async with api(refused) as server:
        with pytest.raises(Misconfigured) as caught:
            await put(openai(server, monkeypatch))
    told = str(caught.value)
    assert told.startswith(f"the model {doing}: http://127.0.0.1:")
    assert told.endswith("; check its name, its address and its key")
    assert "sk-secret" not in told


async def test_an_account_without_credit_stops_the_run() -> None:
    error = {"code": "insufficient_quota", "message": "You exceeded your quota"}
    async with api(Refused(status=429, error=error)) as server:
        with pytest.raises(Misconfigured, match="has no credit left"):
            await put(compatible(server))


async def test_an_option_that_the_model_does_not_take_stops_the_run() -> None:
    error = {"code": "unsupported_value", "param": "temperature", "message": "Only the default is supported"}
    async with api(plays=lambda _: Refused(status=400, error=error)) as server:
        with pytest.raises(Misconfigured, match="change or remove that option of the model"):
            await put(compatible(server, temperature=0.0))


@pytest.mark.parametrize("status", [429, 500, 503, 529])
async def test_a_busy_or_broken_server_is_the_environments_and_asked_once(status: int) -> None:
    async with api(Refused(status=status, error={"message": "later"}, headers={"Retry-After": "3"})) as server:
        with pytest.raises(EnvironmentFault, match=r"the model did not answer: http.* later") as caught:
            await put(compatible(server))
    assert (caught.value.retry_after, len(server.bodies)) == (3.0, 1)
    assert caught.value.host == server.url.split("/")[2]


async def test_a_connection_that_is_dropped_is_the_environments() -> None:
    async def drop(request: Any) -> Any:
        request.transport.close()

    async with serving(drop) as server:
        with pytest.raises(EnvironmentFault, match="dropped the connection") as caught:
            await put(load_model(f"openai-compatible:m@{server.url}/v1"))
    assert caught.value.kind == "dropped"


async def test_a_page_for_people_is_no_answer() -> None:
    async with api(Refused(status=200, text="<html>Welcome</html>", kind="text/html")) as server:
        with pytest.raises(AgentFault, match="not valid JSON"):
            await put(compatible(server))


@pytest.mark.parametrize("name", ["openai-compatible:m@http://host:99999/v1", "openai-compatible:m@http://:80/v1"])
def test_an_address_that_nobody_could_call_is_refused_before_the_run(name: str) -> None:
    with pytest.raises(InputError):
        load_model(name)


# What its answers depend on


def test_its_identity_holds_all_but_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
    spec = "openai-compatible:m@http://127.0.0.1:8000/v1"
    models: list[Any] = [
        load_model("openai:m"),
        load_model("openai:n"),
        load_model("openai:m", temperature=0.5),
        load_model("openai:m", max_output_tokens=5),
        load_model(spec),
    ]
    assert len({model.identity for model in models}) == len(models)
    monkeypatch.setenv(COMPATIBLE_KEY, "another")
    again: Any = load_model(spec)
    assert again.identity == models[-1].identity
    assert "secret" not in "".join(model.identity for model in models)
