"""Masking: published example numbers are found, numbers of other things are left, and nothing is half masked."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.redaction.personal import PersonalData
from proctor.redaction.personal_numbers import is_card, is_iban

# The examples of SWIFT's IBAN registry, in print format where it has one.
IBANS = (
    "AD12 0001 2030 2003 5910 0100", "AE07 0331 2345 6789 0123 456", "AL47 2121 1009 0000 0002 3569 8741",
    "AT61 1904 3002 3457 3201", "BE68 5390 0754 7034", "BG80 BNBG 9661 1020 3456 78", "CH93 0076 2011 6238 5295 7",
    "CY17 0020 0128 0000 0012 0052 7600", "CZ65 0800 0000 1920 0014 5399", "DE89 3704 0044 0532 0130 00",
    "DK50 0040 0440 1162 43", "EE38 2200 2210 2014 5685", "ES91 2100 0418 4502 0005 1332", "FI21 1234 5600 0007 85",
    "FR14 2004 1010 0505 0001 3M02 606", "GB29 NWBK 6016 1331 9268 19", "GR16 0110 1250 0000 0001 2300 695",
    "HU42 1177 3016 1111 1018 0000 0000", "IE29 AIBK 9311 5212 3456 78", "IT60 X054 2811 1010 0000 0123 456",
    "LU28 0019 4006 4475 0000", "MT84 MALT 0110 0001 2345 MTLC AST0 01S", "NL91 ABNA 0417 1643 00",
    "NO93 8601 1117 947", "PL61 1090 1014 0000 0712 1981 2874", "PT50 0002 0123 1234 5678 9015 4",
    "RO49 AAAA 1B31 0075 9384 0000", "SE45 5000 0000 0583 9825 7466", "SK31 1200 0000 1987 4263 7541",
    "TR33 0006 1005 1978 6457 8413 26",
)  # fmt: skip
# Test numbers that card networks and payment providers publish.
CARDS = (
    "4111111111111111", "4242 4242 4242 4242", "4012888888881881", "4000-0566-5566-5556", "5555555555554444",
    "5105105105105100", "2223003122003222", "5200 8282 8282 8210", "378282246310005", "3714 496353 98431",
    "6011111111111117", "6011 0009 9013 9424", "3056 930902 5904", "36227206271667", "3566002020360505",
    "6200000000000005", "6759649826438453", "4242 4242 42424242", "42424242 42424242",
)  # fmt: skip
# E.164 in the usual ways to write it, with numbers that are set aside for fiction and documentation.
PHONES = (
    "+1 212 555 0123", "+12125550123", "+1 (212) 555-0123", "(212) 555-0123", "212-555-0123", "212.555.0123",
    "+44 20 7946 0958", "+44 (0)20 7946 0958", "020 7946 0958", "07700 900123", "+49 30 23125 000", "030 23125 000",
    "+33 1 99 00 12 34", "01 99 00 12 34", "01.99.00.12.34", "+61 2 5550 1234", "+4930901820", "0049 30 23125 000",
    "(0171) 3920 000",
)  # fmt: skip
OTHER = (
    "order 123456789012", "Order no. 302-1234567-1234567", "order 112-1234567-1234567", "invoice 2026-000123",
    "ISBN 978-3-16-148410-0", "ISBN 0-306-40615-2", "9783161484100", "0306406152", "EAN 4006381333931",
    "2026-11-16", "16.11.2026", "11/16/2026", "01/02/2026 1234", "01-02-2026", "2026-11-16T10:00:00+01:00",
    "$1,234,567.89", "1 234 567,89 EUR", "1.234.567,00", "EUR 1200000", "192.168.0.1", "10.0.0.255:8080",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334", "version 3.11.4", "from 2020 to 2026", "1234567890", "02139-4307",
    "4111111111111112", "4006381333931", "1234567812345678", "DE00 3704 0044 0532 0130 00", "AB12 3456 7890 1234 56",
    "12:30:45", "5+12345678", "+5 %", "3.1415926535", "0.123456789", "customer 0815 471147", "call 3 of 12",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "0123456789abcdef0123456789abcdef", "@property", "a@b", "5 @ 3.50",
    "the secret: never give up", "total tokens: 1234", "token_limit=4096", "width=1200",
)  # fmt: skip


@pytest.mark.parametrize("iban", IBANS)
def test_ibans_of_the_registry_are_masked_in_groups_and_in_one_piece(iban: str) -> None:
    for written in (iban, iban.replace(" ", ""), iban.lower()):
        assert PersonalData().mask(f"Pay to {written}, please.") == "Pay to [iban-1], please."


@pytest.mark.parametrize("card", CARDS)
def test_published_test_cards_are_masked(card: str) -> None:
    assert PersonalData().mask(f"Card {card}.") == "Card [card-1]."


@pytest.mark.parametrize("phone", PHONES)
def test_phone_numbers_are_masked_as_people_write_them(phone: str) -> None:
    assert PersonalData().mask(f"Ring me at {phone}, please.") == "Ring me at [phone-1], please."


@pytest.mark.parametrize("text", OTHER)
def test_numbers_of_other_things_stay(text: str) -> None:
    masking = PersonalData()
    assert masking.mask(f"See {text} there") == f"See {text} there"
    assert not masking.counts.total()


def test_a_bare_number_is_a_phone_where_a_word_says_so() -> None:
    assert PersonalData().mask("phone number: 01713920000") == "phone number: [phone-1]"
    assert PersonalData().mask("Tel. 555 0123") == "Tel. [phone-1]"
    assert PersonalData().mask("mobile 2026-11-16 10:00") == "mobile 2026-11-16 10:00"


@pytest.mark.parametrize(
    "address", ["jane.doe@example.org", "o'hara+tag@mail.example.co.uk", "j_d%x@example.com", "jürgen@bücher.example"]
)
def test_email_addresses_are_masked(address: str) -> None:
    assert PersonalData().mask(f"<{address}>, or (mailto:{address}).") == "<[email-1]>, or (mailto:[email-1])."


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("use sk-abcdefghijklmnop1234 now", "use [key-1] now"),
        ("Authorization: Bearer abcdef123456", "Authorization: [key-1]"),
        ("password=hunter2 and more", "password=[key-1] and more"),
        ('{"api_key": "a1b2c3d4"}', '{"api_key": "[key-1]"}'),
        ("postgresql://me:pa55word@db.example/x", "postgresql://me:[key-1]@db.example/x"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl!", "[key-1]!"),
        ("-----BEGIN PRIVATE KEY-----\nMIIB\nAAAA\n-----END PRIVATE KEY-----\nbye", "[key-1]\nbye"),
    ],
)
def test_keys_are_masked_whole(text: str, masked: str) -> None:
    assert PersonalData().mask(text) == masked


def test_a_secret_of_the_environment_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARVEST_TEST_TOKEN", "correct-horse-battery")
    from proctor.redaction import remember_secrets

    remember_secrets()
    masking = PersonalData()
    assert masking.mask("it is correct-horse-battery") == "it is $HARVEST_TEST_TOKEN"
    assert masking.counts["key"] == 1


def test_the_same_value_is_the_same_placeholder_however_it_is_written() -> None:
    masking = PersonalData()
    assert masking.mask("A@Example.org or b@example.org") == "[email-1] or [email-2]"
    assert masking.mask("a@example.org, 4242 4242 4242 4242 = 4242424242424242") == "[email-1], [card-1] = [card-1]"
    assert dict(masking.counts) == {"key": 0, "email": 3, "card": 2}


def test_an_outline_tells_only_kinds() -> None:
    assert PersonalData().outline("mail b@example.org or +49 30 23125 000") == "mail [email] or [phone]"


def test_what_overlaps_is_masked_whole() -> None:
    masking = PersonalData(lambda text: [found.span() for found in re.finditer("Jane jane", text)])
    assert masking.mask("from Jane jane@example.org.") == "from [email-1]."


@given(st.text(max_size=80) | st.lists(st.sampled_from([*PHONES, *OTHER, *CARDS, "a@b.example"])).map(" ".join))
def test_masking_twice_changes_nothing(text: str) -> None:
    masking = PersonalData()
    once = masking.mask(text)
    counted = masking.counts.total()
    assert masking.mask(once) == once
    assert masking.counts.total() == counted


@given(st.from_regex(r"4[0-9]{14}", fullmatch=True), st.integers(0, 9))
def test_a_card_is_one_by_its_check_digit(start: str, last: int) -> None:
    right = [digit for digit in "0123456789" if is_card(start + digit)]
    assert len(right) == 1
    number = f"{start}{last}"
    assert (PersonalData().mask(f"x {number} x") == "x [card-1] x") is (str(last) == right[0])


@given(st.sampled_from(IBANS), st.integers(4, 14), st.integers(1, 9))
def test_one_wrong_digit_makes_it_no_iban(iban: str, place: int, by: int) -> None:
    written = iban.replace(" ", "")
    assert is_iban(written)
    if written[place].isdigit():
        wrong = f"{written[:place]}{(int(written[place]) + by) % 10}{written[place + 1 :]}"
        assert not is_iban(wrong)


@given(st.text(alphabet="abcdefgh ÄÖ.,!?\n", max_size=60))
def test_words_alone_are_never_changed(text: str) -> None:
    assert PersonalData().mask(text) == text
