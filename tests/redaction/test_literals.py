"""Secrets that stand where only their names should."""

from __future__ import annotations

from typing import Any

import pytest

from proctor.errors import InputError
from proctor.redaction.literals import in_options, in_spec, password_in, refuse


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"headers": {"Authorization": "Bearer abc"}}, "headers.Authorization"),
        ({"headers": {"authorization": "abc"}}, "headers.authorization"),
        ({"headers": {"X-Api-Key": "abc"}}, "headers.X-Api-Key"),
        ({"headers": {"X-Key": "abc"}}, "headers.X-Key"),
        ({"headers": {"Ocp-Apim-Subscription-Key": "abc"}}, "headers.Ocp-Apim-Subscription-Key"),
        ({"headers": {"X-Auth-Token": "abc"}}, "headers.X-Auth-Token"),
        ({"headers": {"Cookie": "session=abc"}}, "headers.Cookie"),
        ({"headers": {"X-Other": "Bearer abcdefgh"}}, "headers.X-Other"),
        ({"query": {"key": "abc"}}, "query.key"),
        ({"query": {"sig": "abc"}}, "query.sig"),
        ({"cookies": {"sid": "abc"}}, "cookies.sid"),
        ({"api_key": "sk-abc"}, "api_key"),
        ({"apiKey": "abc"}, "apiKey"),
        ({"apikey": "abc"}, "apikey"),
        ({"client_secret": "abc"}, "client_secret"),
        ({"password": "abc"}, "password"),
        ({"password": 12345678}, "password"),
        ({"auth": ["me", "abc"]}, "auth"),
        ({"auth": {"user": "me", "password": "abc"}}, "auth.password"),
        ({"parameters": {"deep": [{"token": "abc"}]}}, "parameters.deep.token"),
        ({"body": {"question": "{{question}}", "access_token": "abc"}}, "body.access_token"),
        ({"body": '{"question": "{{question}}", "access_token": "abc"}'}, "body.access_token"),
        ({"base_url": "https://me:abc@host/v1"}, "base_url"),
        ({"base_url": "https://host/v1?api_key=abc"}, "base_url"),
        ({"anything": "sk-proj-abcdefghijklmnop"}, "anything"),
        ({"anything": "ghp_abcdefghijklmnopqrstuv"}, "anything"),
        ({"token": "$TOKEN"}, "token"),
        ({"dsn": "host=db user=app password=hunter22"}, "dsn"),
        ({"connection": "Server=db;Uid=app;Pwd=hunter22;"}, "connection"),
        ({"storage": "AccountName=a;AccountKey=hunter2hunter2=="}, "storage"),
        ({"report": "https://0a1b2c3d4e5f60718293@sentry.example/1"}, "report"),
        ({"args": ["serve", "--api-key", "hunter22"]}, "args"),
        ({"args": ["serve", "--api-key=hunter22"]}, "args"),
        ({"env": ["CRM_TOKEN=hunter22"]}, "env"),
        ({"passcode": "998877"}, "passcode"),
        ({"system": "Log in to the shop with password=hunter22 and go on."}, "system"),
        ({"system": "Call the shop with access_token=hunter22 and go on."}, "system"),
        ({"system": "Call the shop with token=a8Fk20dLw93mXz7q (it is new)."}, "system"),
        ({"start": "prog that serves --token=hunter22"}, "start"),
        ({"start": "CRM_TOKEN=hunter22 prog that serves"}, "start"),
        ({"note": "token=hunter22"}, "note"),
        ({"params": "key=hunter22"}, "params"),
        ({"args": ["run", "-p3306:3306", "mysql", "-phunter22"]}, "args"),
        ({"args": ["docker", "run", "-u", "me:hunter22", "tool"]}, "args"),
    ],
)
def test_a_secret_that_is_written_out_is_found(options: dict[str, Any], place: str) -> None:
    assert in_options(options) == place


@pytest.mark.parametrize(
    "options",
    [
        {"headers": {"Authorization": "Bearer ${TOKEN}", "X-Api-Key": "${KEY}", "Content-Type": "text/plain"}},
        {"headers": {"X-Tenant": "acme", "X-Author": "Ada", "X-Session": "{{session}}"}},
        {"max_tokens": 100, "max_output_tokens": 5, "token_limit": 3, "tokens_per_minute": 9, "max_token": "7"},
        {"tokenizer": "o200k", "stop_token": "</s>", "first_token": "x", "author": "Ada", "authority": "x"},
        {"key_env": "MY_KEY", "api_key_env": "MY_KEY", "password_file": "/run/pw", "token_url": "https://x/token"},
        {"body": {"question": "{{question}}", "token": "{{session}}"}, "session": "token", "text": "answer"},
        {"auth": "bearer", "api_key": "none", "token": "", "password": False, "token_count": 4},
        {"tools": [{"parameters": {"properties": {"password": {"type": "string"}}, "required": ["password"]}}]},
        {"prices": {"openai:m": {"input": 1.0}}, "system": "Never tell a password, a token or a secret."},
        {"base_url": "https://host/v1?version=3", "key": "id", "primary_key": "id", "keys": ["a"]},
        {"dsn": "host=db user=app password=${PW}", "args": ["--api-key", "${KEY}", "--max-tokens", "9", "--verbose"]},
        {"system": "Say auth=none, or token=x.y; set max_tokens=500.", "report": "https://somebodys-own-name@host/1"},
        {"system": "Explain that key=value pairs such as token=abc123def are secret."},
        {"system": "Reply with sort_key=name, primary_key=id12345678", "order": "primary_key=id12345678"},
        {"system": "The cache_key=claude-3-5-sonnet-20241022 is no secret"},
        {"args": ["run", "-p3306:3306", "mysql"]},
        {"args": ["-p8080", "docker", "run", "mysql"]},
        {"args": ["run", "--name", "mysql", "-p127.0.0.1:3306:3306/tcp", "mysql:8"]},
        {"args": ["docker", "run", "-u", "1000:1000", "--user=1000:1000", "tool"], "more": ["pip", "-Uhttp://x:1"]},
        {"env": ["CRM_TOKEN=${CRM_TOKEN}", "PATH=/bin"], "names": ["--token-limit", "100", "password"]},
    ],
)
def test_what_only_sounds_like_a_secret_is_let_in(options: dict[str, Any]) -> None:
    assert in_options(options) is None


@pytest.mark.parametrize(
    "spec",
    [
        "command:prog --token X",
        "command:prog --token=X",
        "command:prog -token X --verbose",
        "command:prog --api-key 'X Y'",
        "command:prog --db-password=X",
        "command:env CRM_TOKEN=X prog",
        "command:curl -H 'Authorization: Bearer X' http://h",
        "command:curl --header 'X-Api-Key: X' http://h",
        "command:curl --header='X-Api-Key: X' http://h",
        "command:sh -c 'curl -H \"Authorization: X\" http://h'",
        "command:/bin/bash -ec 'env CRM_TOKEN=X prog | sort'",
        "command:sh -c 'sh -c \"prog --token X\"'",
        "command:curl -u me:X http://h",
        "command:curl -ume:X http://h",
        "command:curl --user=me:X http://h",
        "command:curl '-HAuthorization: X' http://h",
        "command:/usr/bin/mysql -pX -e 'select 1'",
        "command:sshpass -pX ssh host prog",
        "command:prog postgresql://me:X@db/crm",
        "command:prog https://h/?token=X",
        "command:prog sk-abcdefghijklmnopqrst",
        "mcp:server --secret X",
        "agent:command:prog --token X",
        "http://me:X@host/ask",
        "http://host/ask?api_key=X",
        "comand:prog --token X",
    ],
)
def test_a_secret_in_a_spec_is_refused_and_not_repeated(spec: str) -> None:
    with pytest.raises(InputError, match=r"\$\{\w+\}") as caught:  # pytest sets a variable to what is tried
        refuse(spec, {}, whose="the ")
    assert "X" not in str(caught.value).replace("X-Api-Key", "")


@pytest.mark.parametrize(
    "spec",
    [
        "command:prog --token ${TOKEN} --max-tokens 100 --token-limit 5 --password-file /run/pw",
        "command:prog --token=${TOKEN}",
        "command:prog --password-stdin --token --verbose",
        "command:curl -H 'Authorization: Bearer ${TOKEN}' -H 'Accept: text/plain' http://h",
        "command:curl -u me:${TOKEN} http://h",
        "command:curl -ume:${TOKEN} --user=me http://h",
        "command:mysql -p${TOKEN} -e 'select 1'",
        "command:ssh -p2222 host prog",
        "command:sshpass -p${TOKEN} ssh -p2222 host prog",
        "command:ssh -p2222 host mysql",
        "command:sh -c 'curl -H \"Authorization: Bearer $TOKEN\" -u me:$(cat pw) http://h'",
        "command:sh -c 'TOKEN=`cat pw` exec prog --password ${PASSWORD}'",
        "command:wc -c words",
        "command:it's a name with a quote",
        "python:my_agent:answer",
        "openai-compatible:tiny@http://127.0.0.1:8000/v1",
        "http://host/ask?model=tiny",
        "",
    ],
)
def test_a_spec_without_one_is_let_in(spec: str) -> None:
    assert in_spec(spec) is None


def test_a_value_that_a_shell_has_filled_in_is_refused_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CRM_TOKEN", "hush-hush-hush")
    with pytest.raises(InputError, match=r"write \$\{CRM_TOKEN\} in its place") as caught:
        refuse("command:prog hush-hush-hush", {}, whose="the ")
    assert "hush" not in str(caught.value)


def test_the_password_of_an_address_may_be_a_variable_and_nothing_else() -> None:
    assert password_in("postgresql://me:pw@db/runs")
    assert password_in("postgresql://me@db/runs?password=pw")
    assert not password_in("postgresql://me:${PW}@db/runs")
    assert not password_in("postgresql://me@db/runs?sslmode=require")
    assert not password_in(".proctor/proctor.db")
