from __future__ import annotations

import pytest

from proctor.reviewers.checks.sources import missing_part, near_miss, parts, plain

SOURCE = plain(
    "# Remote work\n\nStaff may work **from home** up to\nthree days a week — “core hours” are 10–15.\n"
    "Requests go to the manager, who answers within 5 days...\n日本語の文書です。"
)
STANDS = {
    "as it is": "Staff may work",
    "over a line's end": "up to three days a week",
    "without the emphasis": "work from home up",
    "with the emphasis": "work **from home**",
    "in quotes": "“three days a week”",
    "another dash": 'a week - "core hours" are 10-15',
    "a final stop that is not there": "three days a week.",
    "something left out": "Staff may work … three days a week",
    "three dots": "Staff may work ... core hours",
    "dots in brackets": "Staff may work [...] core hours […] the manager",
    "dots at both ends": "…three days a week…",
    "dots that are there": "within 5 days...",
    "another case": "staff MAY work",
    "Japanese": "日本語",
}
STANDS_NOT = {
    "another word": "Staff can work",
    "part of a word": "taff may wor",
    "a word left out without saying so": "Staff work from home",
    "parts in the wrong order": "three days a week … Staff may work",
    "part of a number": "within 5 days 0",
    "invented": "Staff must be in the office",
}


@pytest.mark.parametrize("quote", STANDS.values(), ids=STANDS)
def test_a_quote_that_stands_in_the_source(quote: str) -> None:
    assert missing_part(parts(quote), SOURCE) is None


@pytest.mark.parametrize("quote", STANDS_NOT.values(), ids=STANDS_NOT)
def test_a_quote_that_does_not(quote: str) -> None:
    assert missing_part(parts(quote), SOURCE) is not None


@pytest.mark.parametrize("quote", ["", "  ", "…", "[...]", "“”", '"."', "**", "\u200b"])
def test_a_quote_of_nothing_has_no_parts(quote: str) -> None:
    assert parts(quote) == []


def missed(quote: str) -> str:
    missing = missing_part(parts(quote), SOURCE)
    assert missing is not None
    return near_miss(missing[0], SOURCE, missing[1])


def test_the_nearest_miss_tells_how_far_the_quote_agrees() -> None:
    assert missed("up to three days a month") == (
        'its first 5 words are there, going on “week - "core hours" are 10-15. requests go to the manager, …”'
    )
    assert (
        missed("staff must")
        == 'its first word is there, going on “may work from home up to three days a week - "core hours" a…”'
    )
    assert missed("three days a week … staff may work") == "it is there only before what is quoted before it"
    assert missed("nothing of the kind") == ""
