"""Secrets are found by their looks, by the name before them and in addresses, and prose stays prose."""

from __future__ import annotations

from typing import Any

import pytest

from proctor.redaction.personal import PersonalData
from proctor.redaction.shapes import holds_secret, mask_secrets

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
_HEX = "0123456789abcdef" * 4
# Made up in the form in which services hand them out; in two pieces, so that no scanner takes them for real ones.
ZOO = (
    ("sk-", _LETTERS), ("sk-proj-", _LETTERS), ("sk-ant-", "api03-" + _LETTERS), ("sk-or-v1-", _HEX),
    ("sk-lf-", "1234abcd-12ab-34cd-56ef-1234567890ab"), ("pk-lf-", "1234abcd-12ab-34cd-56ef-1234567890ab"),
    ("sk_live_", _LETTERS[:24]), ("rk_live_", _LETTERS[:24]), ("sk_test_", _LETTERS[:24]), ("whsec_", _LETTERS),
    ("ghp_", _LETTERS), ("gho_", _LETTERS), ("github_pat_", _LETTERS), ("glpat-", _LETTERS[:20]),
    ("xoxb-", "123456789012-" + _LETTERS), ("xapp-", "1-A0123-456-" + _HEX),
    ("hooks.slack.com/", "services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
    ("discord.com/", "api/webhooks/123456789012345678/" + _LETTERS), ("110201543:", "AA" + _LETTERS[:33]),
    ("AKIA", "IOSFODNN7EXAMPLE"), ("ASIA", "IOSFODNN7EXAMPLE"), ("AIza", _LETTERS[:35]), ("ya29.", "a0" + _LETTERS),
    ("GOCSPX-", _LETTERS[:28]), ("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcDEF123"),
    ("hf_", _LETTERS[:34]), ("lsv2_pt_", _HEX[:32] + "_" + _HEX[:10]), ("lsv2_sk_", _HEX[:32] + "_" + _HEX[:10]),
    ("gsk_", _LETTERS), ("csk-", _LETTERS), ("r8_", _LETTERS[:37]), ("xai-", _LETTERS), ("pplx-", _LETTERS),
    ("nvapi-", _LETTERS), ("pcsk_", _LETTERS), ("tvly-", "dev-" + _LETTERS[:32]), ("fw_", _LETTERS[:24]),
    ("llx-", _LETTERS), ("jina_", _LETTERS), ("e2b_", _HEX[:40]), ("fc-", _HEX[:32]), ("sk_", _HEX[:48]),
    ("npm_", _LETTERS[:36]), ("pypi-", "AgEIcHlwaS5vcmcCJDEyMzQ1Njc4LTEyMzQ"), ("dckr_pat_", _LETTERS[:27]),
    ("dop_v1_", _HEX), ("hvs.", _LETTERS), ("dapi", _HEX[:32]), ("SG.", _LETTERS[:22] + "." + _LETTERS[:43]),
    ("key-", _HEX[:32]), (_HEX[:32], "-us12"), ("SK", _HEX[:32]), ("shpat_", _HEX[:32]), ("sq0csp-", _LETTERS),
    ("ntn_", _LETTERS), ("lin_api_", _LETTERS[:40]), ("pat", _LETTERS[:14] + "." + _HEX), ("figd_", _LETTERS),
    ("glsa_", _LETTERS[:32] + "_" + _HEX[:8]), ("sbp_", _HEX[:40]), ("AGE-SECRET-KEY-1", _LETTERS.upper()[:36] * 2),
)  # fmt: skip
ORDINARY = (
    "What basic principles hold?", "basic knowledge101 of algebra", "the bearer presents documents",
    "a task-based plan",
    "the bearer of 2024-01-15", "sk-learn-contrib-imbalanced", "scikit-learn and pypi-package-with-a-long-name",
    "ASIAPACIFICREGIONALHQ", "jina_embeddings_and_other_long_names_of_models", "npm_config_registry", "hf_transfer",
    "The key: practice makes perfect.", "press key=Enter, then key=Escape", "answer_key=B", "sort_key=created_at",
    "Password: 8-16 characters", "password=password", "token=tokenizer.encode(text)", "api_key=os.environ['KEY']",
    "password = user.password", "api_key=${API_KEY}", "password=<your password>", "token: {{token}}",
    "postgres://user:password@localhost/db", "redis://:${PW}@db", "https://example.org:8080/a@b", "next token: 50256",
    "max_tokens=4096, token_count: 12345678", "the secret: never_give_up", "auth: basic", "pass=true",
    "the password is required and was forgotten",
    "commit 0123456789abcdef0123456789abcdef01234567", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "2026-11-16T10:00:00Z",
    '{"key1": "value1", "key2": "value2"}', "username, password = value", "password=parts['password']",
    "https://user:pass@example.org",
    "connect(url, credentials=credentials)", "api_key=settings_api_key", '{"pass": "#1a7f4b", "fail": "#b42318"}',
    "def login(password: str, token: Optional[str]) -> bool:", "Set password: string and token: required",
    "https://docs.example.org/a/very/long/path/that-is-no-secret?version=3&page=17",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
)  # fmt: skip


@pytest.mark.parametrize("key", ["".join(each) for each in ZOO])
def test_keys_of_services_are_masked_whole_wherever_they_stand(key: str) -> None:
    assert mask_secrets(f"Use {key}, please.") == ("Use [secret], please.", 1)
    assert mask_secrets(f'{{"v":"{key}"}}') == ('{"v":"[secret]"}', 1)
    assert key not in PersonalData().mask(f"Use {key}, please.")


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert mask_secrets(text) == (text, 0)
    assert "[key" not in PersonalData().mask(text)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abc123def456", "Authorization: [secret]"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: [secret]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY----- end", "[secret] end"),
        ("-----BEGIN PRIVATE KEY-----\nMIIB and no end", "[secret]"),
        ("password: Tr0ub4dor&3", "password: [secret]"),
        ("my password is hunter2 now", "my password is [secret] now"),
        ("?token=abc123def&page=2", "?token=[secret]&page=2"),
        ("password=hunter2 and more", "password=[secret] and more"),
        ("DB_PASSWORD='correct horse1'", "DB_PASSWORD='correct horse1'"),
        ("AccountKey=abcdEFGH1234567890abcdEFGH==;EndpointSuffix=x", "AccountKey=[secret];EndpointSuffix=x"),
        ('{\\"api_key\\": \\"a1b2c3d4\\"}', '{\\"api_key\\": \\"[secret]\\"}'),
        ("postgres://bob:s3cretpw@db/x", "postgres://bob:[secret]@db/x"),
        (
            "https://s3.example/x?X-Amz-Signature=abc123def456abc123def456",
            "https://s3.example/x?X-Amz-Signature=[secret]",
        ),
    ],
)
def test_what_a_name_or_an_address_gives_away_is_masked(text: str, masked: str) -> None:
    assert mask_secrets(text) == (masked, int(masked != text))
    assert mask_secrets(masked) == (masked, 0)


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("api_key", "hunter2xyz9", True), ("password", "Tr0ub4dor3", True), ("password", "correcthorse", True),
        ("password", 12345678, True), ("client_secret", "abcdefghij", True), ("Authorization", "Bearer abcdefgh", True),
        ("access_token", "abcdefgh", True), ("token", "a1b2c3d4", True), ("token", "Paris", False),
        ("pass", "yes", False),        ("pass", True, False), ("secret", "the plan is simple", False),
        ("answer_key", "B-17xyz", False),
        ("key", "fr-0001", False), ("password", "string", False), ("password", "${PW}", False),
        ("author", "Ada1815", False),        ("max_tokens", 4096000, False), ("predicted_token", "Paris", False),
    ],
)  # fmt: skip
def test_a_value_is_a_secret_where_its_name_says_so_and_it_looks_it(name: str, value: Any, secret: bool) -> None:
    assert holds_secret(name, value) is secret
