from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reviewers.checks.asking import asked, outcome

from proctor.reading.text.phrases import prepare
from proctor.reviewers.checks.answer import PATTERN, exclusions, keywords

STANDS = {
    "whatever the case": ("POLICY", "the Policy says"),
    "quotes of another style": ("don't know", "I don’t know"),
    "full width": ("policy 7", "ＰＯＬＩＣＹ ７"),
    "composed and decomposed": ("café", "the cafe\u0301"),
    "sharp s": ("strasse", "Hauptstraße, die Straße"),
    "dashes": ("2020-2024", "2020–2024"),
    "white space of any kind": ("remote work", "remote\n  work"),
    "soft hyphens and zero width": ("policy", "po\u00adli\u200bcy"),
    "at the start": ("policy", "policy"),
    "before punctuation": ("policy", "(policy)."),
    "possessive": ("Python", "Python's"),
    "ends in punctuation": ("C++", "in C++ it is"),
    "ends in punctuation, at the end": ("e.g.", "say, e.g."),
    "starts with punctuation": (".NET", "the .NET runtime"),
    "only punctuation": ("→", "a→b"),
    "only punctuation, beside a control character": ("`", "` \x80"),
    "percent": ("50%", "about 50% of"),
    "Chinese": ("远程工作", "本政策涵盖远程工作。"),
    "Japanese": ("東京", "東京都に"),
    "Korean with a particle": ("정책", "정책은"),
    "Chinese beside Latin": ("policy", "本policy适用"),
    "Thai": ("นโยบาย", "ตามนโยบายนี้"),
    "a number at the end of a sentence": ("30", "It is 30."),
    "a number in a list": ("30", "10,30,50"),
    "with emphasis inside": ("28 days", "You have **28** days."),
    "with emphasis over its end": ("I don't know", "**I don't** know"),
    "with code inside": ("run proctor check", "then run `proctor check`"),
    "the second of two places": ("art", "a party of art"),
    "a phrase whose first place is no whole word": ("art of", "the start of the art of it"),
}
STANDS_NOT = {
    "inside a word": ("art", "a party"),
    "at the start of a word": ("policy", "policymaker"),
    "in an identifier": ("search", "search_knowledge"),
    "inside an accented word": ("caf", "café"),
    "inside a Devanagari word": ("हिन", "हिन्दी"),
    "inside thousands": ("300", "1,300"),
    "before thousands": ("30", "30,000"),
    "before a decimal": ("3", "3.5 days"),
    "after a decimal point": ("5", "3.5 days"),
    "another accent": ("resume", "résumé"),
    "across a sign between two words": ("53", "5*3 is 15"),
    "words apart": ("remote work", "remote and office work"),
    "nothing was said": ("policy", ""),
}


INFLECTED = {
    "a plural": ("vacation", "Two VACATIONS a year.", "vacations"),
    "a singular": ("vacations", "One vacation.", "vacation"),
    "a past": ("refund", "It was refunded.", "refunded"),
    "another form of the same verb": ("approved", "They approve it.", "approve"),
    "the last word of a phrase": ("remote work", "on remote\nworking days", "remote working"),
    "the number of another": ("policy violation", "policies violations", "policies violations"),
    "a verb before its particle": ("log in", "Once logged in, wait.", "logged in"),
    "after a place where it is no whole word": ("error", "errorsome errors", "errors"),
}


@pytest.mark.parametrize(("phrase", "text", "form"), INFLECTED.values(), ids=INFLECTED)
def test_plain_inflections_stand_for_a_phrase_and_the_form_is_told(phrase: str, text: str, form: str) -> None:
    found = outcome(keywords, text, keywords=(phrase,))
    assert found.passed is True
    assert found.evidence.startswith(f"“{phrase}” as “{' '.join(form.split())}” in “")
    assert outcome(exclusions, text, exclusions=(phrase,)).passed is False
    assert outcome(keywords, text, keywords=(f"={phrase}",)).passed is False
    assert outcome(exclusions, text, exclusions=(f"={phrase}",)).passed is True


def test_an_exact_form_is_met_by_itself_alone() -> None:
    assert outcome(keywords, "An Error occurred.", keywords=("=error",)).passed is True
    assert outcome(keywords, "Errors occurred.", keywords=("=error",)).passed is False
    assert outcome(exclusions, "Errors occurred.", exclusions=("= error",)).passed is True
    assert outcome(keywords, "a = b", keywords=("=",)).passed is True


def test_other_words_are_no_inflections() -> None:
    assert outcome(exclusions, "The evening news, in a password.", exclusions=("new", "even", "pass")).passed is True


@pytest.mark.parametrize(("phrase", "text"), STANDS.values(), ids=STANDS)
def test_a_phrase_stands_in_the_reply(phrase: str, text: str) -> None:
    assert outcome(keywords, text, keywords=(phrase,)).passed is True
    assert outcome(exclusions, text, exclusions=(phrase,)).passed is False


@pytest.mark.parametrize(("phrase", "text"), STANDS_NOT.values(), ids=STANDS_NOT)
def test_a_phrase_does_not_stand_in_the_reply(phrase: str, text: str) -> None:
    assert outcome(keywords, text, keywords=(phrase,)).passed is False
    assert outcome(exclusions, text, exclusions=(phrase,)).passed is True


@given(st.text(), st.text().filter(lambda phrase: prepare(phrase) and not phrase.startswith(PATTERN)), st.text())
def test_a_phrase_between_blanks_is_found_whatever_it_is(before: str, phrase: str, after: str) -> None:
    assert outcome(keywords, f"{before} {phrase} {after}", keywords=(phrase,)).passed is True


def test_nothing_is_said_where_nothing_is_asked() -> None:
    assert asked(keywords, "any") is None
    assert asked(exclusions, "any") is None


def test_evidence_shows_where_a_keyword_stands_as_it_was_written() -> None:
    text = f"{'x ' * 40}Under the Remote Work POLICY of 2024 staff may{' y' * 40}"
    found = outcome(keywords, text, keywords=("policy",))
    assert "the Remote Work POLICY of 2024 staff may" in found.evidence
    assert len(found.evidence) < 120
    assert found.evidence.startswith("“policy” in “…")
    assert found.evidence.endswith("…”")


@pytest.mark.parametrize(
    ("keyword", "text", "nearest"),
    [
        ("=policy", "two policies apply", "the nearest is “policies”"),
        ("policy", "two polices apply", "the nearest is “polices”"),
        ("refund", "a refnd is due", "the nearest is “refnd”"),
        ("art", "a party", "it is only inside “a party”"),
        ("remote work", "remote and office work", "all its words are there, but not together"),
        ("remote work", "a remote task", "is missing: only “remote” is there"),
        ("my remote work", "my remote task", "is missing: only “my”, “remote” are there"),
        ("policy", "nothing like it", "is missing"),
    ],
)
def test_a_missing_keyword_names_the_nearest_miss(keyword: str, text: str, nearest: str) -> None:
    found = outcome(keywords, text, keywords=(keyword,))
    assert found.passed is False
    assert nearest in found.evidence


def test_every_keyword_has_to_stand_there_and_the_share_is_told() -> None:
    found = outcome(keywords, "one and two", keywords=("one", "two", "three", "four"))
    assert (found.passed, found.value) == (False, 0.5)
    assert found.evidence.index("“three” is missing") < found.evidence.index("“one” in")


def test_an_exclusion_that_stands_there_is_quoted() -> None:
    found = outcome(exclusions, "I am, as an AI, unsure.", exclusions=("sorry", "as an AI"))
    assert found.passed is False
    assert "“as an AI” in “I am, as an AI, unsure.”" in found.evidence


def test_patterns_search_the_reply_as_it_was_written_whatever_the_case() -> None:
    assert outcome(keywords, "within 30 DAYS", keywords=(r"re:\b\d+ days\b",)).passed is True
    assert outcome(keywords, "within thirty days", keywords=(r"re:\b\d+ days\b",)).passed is False
    assert outcome(exclusions, "call 555-0199", exclusions=(r"re:\d{3}-\d{4}",)).passed is False
    assert outcome(keywords, "ABC", keywords=("re:(?-i:abc)",)).passed is False


@pytest.mark.parametrize("phrase", ["", "  ", "re:", "re: ", "\u200b", "re:(", "re:a{99999999999}"])
def test_what_cannot_be_looked_for_is_not_checkable(phrase: str) -> None:
    for found in (outcome(keywords, "any", keywords=(phrase,)), outcome(exclusions, "any", exclusions=(phrase,))):
        assert found.passed is None
        assert "cannot be looked for" in found.evidence


def test_a_keyword_that_is_missing_fails_beside_one_that_cannot_be_looked_for() -> None:
    assert outcome(keywords, "any", keywords=("re:(", "some")).passed is False
    assert outcome(exclusions, "any", exclusions=("re:(", "any")).passed is False


def test_a_long_reply_takes_no_longer_than_a_breath() -> None:
    text = " ".join(f"po{number}licy{number % 97}" for number in range(5_000))
    started = time.process_time()
    outcome(keywords, text, keywords=("policy", "remote work"))
    outcome(keywords, "po" * 25_000, keywords=("popopop",))
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("10:30", "at 10:30am"),
        ("10:30 am", "at 10:30 a.m."),
        ("9:15", "at 09:15"),
        ("16 GB", "16GB of memory"),
        ("16GB", "a 16 GB module"),
        ("16", "16GB"),
        ("90 minutes", "a 90-minute film"),
        ("20%", "some 20 % of it"),
        ("20%", "20 percent of it"),
        ("1000", "1,000 people"),
        ("1,000", "1000 people"),
        ("1000000", "1 000 000"),
        ("$1000", "it is $1,000"),
        ("€20", "€ 20"),
        ("2.4.1", "since v2.4.1"),
        ("v2.4.1", "since version 2.4.1"),
        ("-5", "-5 °C"),
        ("5", "3-5 days"),
        ("5", "10 minus 5"),
    ],
)
def test_a_number_is_found_in_whatever_dress(wanted: str, said: str) -> None:
    assert outcome(keywords, said, keywords=[wanted]).passed is True
    assert outcome(exclusions, said, exclusions=[wanted]).passed is False


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("5", "-5 °C"),
        ("5", "minus 5 degrees"),
        ("-5", "10-5"),
        ("$5", "a balance of -$5"),
        ("9:15", "at 19:15"),
        ("16 GB", "116GB"),
        ("16 GB", "16GBit"),
        ("20%", "20 percentage points"),
        ("1000", "21,000"),
        ("1000", "1,000,000"),
        ("1000", "1,000.5"),
        ("2.4.1", "v2.4.10"),
        ("2.4.1", "v2.4.1.3"),
        ("40 km", "40 kmh"),
        ("12A", "12 a day"),
        ("=1000", "1,000"),
        ("=16 GB", "16GB"),
    ],
)
def test_another_number_is_not_found(wanted: str, said: str) -> None:
    assert outcome(keywords, said, keywords=[wanted]).passed is False
    assert outcome(exclusions, said, exclusions=[wanted]).passed is True


@pytest.mark.parametrize("flood", ["1", "1 ", "1,000,", "16 ", "-5", "minus 5 ", "v2.4.", "10:3"])
def test_numbers_are_looked_for_in_a_moment(flood: str) -> None:
    text = (flood * 100_000)[:100_000]
    started = time.process_time()
    outcome(keywords, text, keywords=["1000", "16 GB", "10:30", "2.4.1", "20%", "-7"])
    assert time.process_time() - started < 2.0
