"""Secrets out of whatever leaves us."""

from __future__ import annotations

import base64
import html
import json
import re
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.redaction import (
    beginning,
    ending,
    keep_secret,
    remember_secrets,
    without_credentials,
    without_known,
    without_secrets,
)
from proctor.redaction.known import Secrets
from proctor.redaction.nouns import scrub_noun
from proctor.transcript import Reply, ToolCall
from proctor.usage import Usage


@pytest.mark.parametrize("ending", ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASS", "PAT", "AUTH", "CREDENTIALS"])
def test_a_variable_named_like_a_secret_is_scrubbed(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"SOME_{ending}", "hush-hush-hush")
    assert without_secrets("it is hush-hush-hush!") == f"it is $SOME_{ending}!"


def test_a_variable_of_any_name_is_scrubbed_once_it_is_kept_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_ENTRANCE", "open-sesame")
    assert without_secrets("say open-sesame") == "say open-sesame"
    keep_secret("SOME_ENTRANCE")
    assert without_secrets("say open-sesame") == "say $SOME_ENTRANCE"


def test_a_secret_that_holds_another_is_scrubbed_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "hush-hush")
    monkeypatch.setenv("B_TOKEN", "hush-hush-and-more")
    assert without_secrets("hush-hush-and-more, hush-hush") == "$B_TOKEN, $A_TOKEN"


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("http://user:hunter2@127.0.0.1:1/ask", "http://…@127.0.0.1:1/ask"),
        ("http://127.0.0.1:1/ask?api_key=hunter2", "http://127.0.0.1:1/ask?…"),
        ("openai-compatible:tiny@http://u:p@host/v1", "openai-compatible:tiny@http://…@host/v1"),
        ("openai-compatible:tiny@http://host/v1", "openai-compatible:tiny@http://host/v1"),
        ("python:my_agent:answer", "python:my_agent:answer"),
    ],
)
def test_a_spec_is_shown_without_what_may_be_a_secret(spec: str, shown: str) -> None:
    assert without_credentials(spec) == shown


@given(before=st.text("ab", max_size=40), after=st.text("ab", max_size=40), length=st.integers(0, 60))
def test_a_text_is_never_cut_within_a_secret(before: str, after: str, length: int) -> None:
    secret = "abab-babab"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOME_KEY", secret)
        patch.setenv("OTHER_KEY", "bab-babab-abab")
        text = before + secret + after
        first, last = beginning(text, length), ending(text, length)
    assert text.startswith(first)
    assert text.endswith(last)
    assert len(first) <= length
    assert len(last) <= length
    assert "-" not in first.replace(secret, "")
    assert "-" not in last.replace(secret, "")


# known for good ---------------------------------------------------------------------------------------


def test_a_secret_stays_known_when_it_is_taken_out_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRM_TOKEN", "hush-hush-hush")
    remember_secrets()
    monkeypatch.delenv("CRM_TOKEN")
    assert without_secrets("it is hush-hush-hush") == "it is $CRM_TOKEN"


LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
BEGIN, END = "-----BEGIN EC PRIVATE KEY-----", "-----END EC PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("variable", "value", "secret"),
    [
        ("DB_URL", "postgresql://app:hunter2-hunter2@db:5432/crm", "hunter2-hunter2"),
        ("DB_URL", "postgresql://app:hunter%2Fhunter@db/crm", "hunter/hunter"),
        ("BROKER", "amqps://u:hunter2-hunter2@one,amqps://u:other-hunter@two", "other-hunter"),
        ("SENTRY", "https://0a1b2c3d4e5f60718293@sentry.example/1", "0a1b2c3d4e5f60718293"),
        ("DSN", "host=db user=app password=hunter2-hunter2 dbname=crm", "hunter2-hunter2"),
        ("CONNECTION", "Server=db;Database=crm;User Id=app;Password=hunter2-hunter2;", "hunter2-hunter2"),
        ("CONNECTION", "Server=db;User Id=app;Pwd=hunter2-hunter2", "hunter2-hunter2"),
        ("CONNECTION", "DRIVER={x};SERVER=db;UID=app;PWD=hunter2-hunter2", "hunter2-hunter2"),
        ("DB_URL", "postgres://app:hunter2/hunter:2@db/crm", "hunter2/hunter:2"),
        ("SVC_JSON", '{"type": "service_account", "private_key": "hunter2-hunter2"}', "hunter2-hunter2"),
        ("ACCOUNTS", '{"all": [{"name": "one", "client_secret": "hunter2-hunter2"}]}', "hunter2-hunter2"),
        ("SIGNER", f"{BEGIN}\\nhunter2\\nhunter2\\n{END}", f"{BEGIN}\nhunter2\nhunter2\n{END}"),
        ("SIGNER", f"first\n{BEGIN}\nhunter2\nhunter2\n{END}\n", f"{BEGIN}\nhunter2\nhunter2\n{END}"),
        ("CALLBACK", "https://hooks.example/in?site=3&sig=hunter2-hunter2", "hunter2-hunter2"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=acme,authorization=Bearer%20hunter2-hunter2", "hunter2-hunter2"),
        ("PROXY_AUTHORIZATION", "Bearer hunter2-hunter2", "hunter2-hunter2"),
        ("GOOGLE_CREDENTIALS", '{"type": "service_account", "private_key": "hunter2-hunter2"}', "hunter2-hunter2"),
        ("SECRET_KEY_BASE", "hunter2-hunter2", "hunter2-hunter2"),
        ("STRIPE_API_KEY_2", "hunter2-hunter2", "hunter2-hunter2"),
        ("PGPASSWORD", "hunter2-hunter2", "hunter2-hunter2"),
        ("MYSQL_PWD", "hunter2-hunter2", "hunter2-hunter2"),
        ("slackBotToken", "hunter2-hunter2", "hunter2-hunter2"),
        ("LLM", f"sk-proj-{LETTERS}", f"sk-proj-{LETTERS}"),
        ("GH", f"ghp_{LETTERS}", f"ghp_{LETTERS}"),
        ("NOTIFY", f"https://hooks.slack.com/services/T00000000/B00000000/{LETTERS}", LETTERS),
        ("BOT", f"https://api.telegram.org/bot123456789:AA{LETTERS}/send", f"AA{LETTERS}"),
        ("HEADERS", "Authorization: Bearer hunter2-hunter2", "hunter2-hunter2"),
        ("KUBE", "users:\n- user:\n    token: hunter2-hunter2\n", "hunter2-hunter2"),
        ("LOGIN_COOKIE", "session=hunter2-hunter2; Path=/; Domain=example.org", "hunter2-hunter2"),
        ("SIGNER", f"{BEGIN}\\n{LETTERS}\\n{END}", LETTERS),
        ("LDAP_BIND_PW", "hunter2-hunter2", "hunter2-hunter2"),
        ("WAREHOUSE_CREDS", "hunter2-hunter2", "hunter2-hunter2"),
        ("PROXY_AUTH", "admin:hunter2-hunter2", "hunter2-hunter2"),
        ("RING_SECRET", "first4-first4\nhunter2-hunter2\n", "hunter2-hunter2"),
        ("POOL_API_KEYS", "first4-first4,hunter2-hunter2", "hunter2-hunter2"),
        ("SERVICE_TOKENS", "one:first4-first4 two:hunter2-hunter2", "hunter2-hunter2"),
        ("DB_URL", "jdbc:oracle:thin:scott/hunter2-hunter2@db:1521:crm", "hunter2-hunter2"),
    ],
)
def test_secrets_are_found_in_variables_of_many_kinds(
    variable: str, value: str, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    assert without_secrets(f"it is {secret}!") == f"it is ${variable}!"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MAX_TOKENS", "100000000"),
        ("TOKEN_LIMIT", "100000000"),
        ("TOKENIZERS_PARALLELISM", "disabled-here"),
        ("PWD", "a-folder-of-mine"),
        ("TOKEN_URL", "login.example/token"),
        ("BEFORE", "PWD=/srv/somewhere"),
        ("SETTINGS_JSON", '{"token_limit": "hunter2-hunter2", "name": "a-name-of-ours"}'),
        ("PAGE", "https://example.org:8443/some/path/@somebody"),
        ("AUTHOR", "Ada Lovelace"),
        ("KEYBOARD_LAYOUT", "dvorak-intl"),
        ("SOME_TOKEN", "short"),
        ("PGPASSWORD", "postgres"),
        ("PLAIN_URL", "https://example.org/some/path?site=somewhere"),
    ],
)
def test_what_is_no_secret_or_cannot_be_told_from_other_words_is_left_alone(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    assert without_known(f"it is {value}") == f"it is {value}"


def test_a_path_is_no_secret_even_if_it_leads_to_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLS_KEY", str(tmp_path))
    assert without_secrets(f"cannot read {tmp_path}") == f"cannot read {tmp_path}"


@given(before=st.binary(max_size=7), after=st.binary(max_size=7), secret=st.binary(min_size=8, max_size=40))
def test_a_secret_is_found_in_base64_wherever_it_starts(before: bytes, after: bytes, secret: bytes) -> None:
    known = Secrets()
    known.add(secret.decode("latin-1"), "IT")
    whole = before + secret.decode("latin-1").encode() + after
    assert known.are_in(base64.b64encode(whole).decode())
    assert known.are_in(base64.urlsafe_b64encode(whole).decode())


@given(middle=st.text(min_size=6, max_size=40))
def test_a_secret_is_found_quoted_escaped_and_represented(middle: str) -> None:
    secret, known = f"7{middle}7", Secrets()
    known.add(secret, "IT")
    forms = [quote(secret, safe=""), quote_plus(secret), json.dumps({"a": [secret]}), repr([secret]), ascii(secret)]
    forms += [html.escape(secret), html.escape(secret).replace("&#x27;", "&apos;"), repr(secret.encode())]
    forms += [quote(quote(secret, safe=""), safe=""), json.dumps(json.dumps(secret)), secret.encode().hex()]
    forms += [re.sub("%..", lambda escape: escape[0].lower(), quote(secret, safe=""))]
    for form in forms:
        assert known.are_in(form), form


def test_addresses_in_errors_lose_their_logins_and_what_their_queries_name_like_a_secret() -> None:
    told = without_secrets("cannot reach https://me:pw@db/x?site=3&token=abc&q=1 or redis://:pw@cache")
    assert told == "cannot reach https://…@db/x?site=3&token=…&q=1 or redis://…@cache"


def test_what_a_reply_says_of_addresses_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRM_TOKEN", "hush-hush-hush")
    reply = Reply(text="ask https://me:pw@db/?token=1")
    assert scrub_noun(reply) is reply


def test_a_reply_is_scrubbed_in_all_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRM_TOKEN", "1234567890")
    call = ToolCall(name="login", arguments={"pin": 1234567890, "1234567890": ["a1234567890z"]}, result=None)
    reply = scrub_noun(Reply(text="1234567890", tool_calls=(call,), usage=Usage(input_tokens=3)))
    assert reply.text == "$CRM_TOKEN"
    assert reply.tool_calls[0].arguments == {"pin": "$CRM_TOKEN", "$CRM_TOKEN": ["a$CRM_TOKENz"]}
    assert reply.tool_calls[0].result is None
    assert reply.usage == Usage(input_tokens=3)


def test_a_number_that_is_counted_with_stays_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRM_TOKEN", "1234567890")
    call = ToolCall(name="1234567890", arguments={})
    reply = scrub_noun(Reply(text="", tool_calls=(call,), usage=Usage(input_tokens=1234567890)))
    assert reply.tool_calls[0].name == "$CRM_TOKEN"
    assert reply.usage == Usage(input_tokens=1234567890)


def test_a_variable_that_is_set_while_a_run_goes_on_is_known_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scrub_noun(Reply(text="hush-hush-hush"))
    monkeypatch.setenv("LATE_TOKEN", "hush-hush-hush")
    assert scrub_noun(Reply(text="hush-hush-hush")).text == "$LATE_TOKEN"
