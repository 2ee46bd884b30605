"""Addresses and secrets."""

from __future__ import annotations

import pytest
from yarl import URL

from proctor.net.addresses import credentials_in, may_follow, scrub_secrets, shown


def test_what_is_shown_of_an_address_holds_no_secret() -> None:
    assert shown("https://user:pass@host:8443/a/b?key=hush#part") == "https://host:8443/a/b"


@pytest.mark.parametrize(
    ("origin", "target", "with_credentials", "without"),
    [
        ("http://a/x", "http://a/y", True, True),
        ("http://a/x", "https://a/y", True, True),
        ("http://A/x", "http://a/y", True, True),
        ("http://a:8000/x", "http://a:8000/y", True, True),
        ("http://a:8000/x", "http://a:9000/y", False, True),
        ("http://a:8000/x", "https://a/y", False, True),
        ("http://a/x", "http://b/x", False, True),
        ("http://a/x", "http://a.b/x", False, True),
        ("https://a/x", "http://a/x", False, False),
    ],
)
def test_where_a_request_may_go_on_to(origin: str, target: str, with_credentials: bool, without: bool) -> None:
    assert may_follow(URL(origin), URL(target), credentials=True) is with_credentials
    assert may_follow(URL(origin), URL(target), credentials=False) is without


def test_every_header_but_the_harmless_may_be_a_secret() -> None:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer hush-hush", "X-Anything": "psst"}
    assert credentials_in(headers) == ["Bearer hush-hush", "psst", "hush-hush"]


def test_scrubbing_takes_the_longest_first() -> None:
    assert scrub_secrets("it was hush-hush, hush", ["hush", "hush-hush", "it"]) == "it was …, …"
