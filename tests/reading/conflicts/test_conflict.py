from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.conflicts.conflict import Conflict, Exchange, conflict
from proctor.reading.statement import read_statements

PAIRS = Path(__file__).parents[1] / "data" / "contradictions.jsonl"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LOAN = "How long is a loan?"


@pytest.mark.parametrize(
    ("question", "earlier", "later"),
    [
        ("How loud is the horn?", "It is as loud as 134 decibels.", "It is as loud as 137 decibels."),
        ("How steep is the lane?", "The gradient is 12 percent.", "The gradient is 17 percent."),
        ("What does the handbook say about dogs?", "Dogs are welcome.", "Dogs are not welcome."),
        ("What does the sign say about bicycles?", "Bicycles may be left here.", "Bicycles may not be left here."),
    ],
)
def test_measures_of_any_kind_and_what_a_document_says_are_held_against_each_other(
    question: str, earlier: str, later: str
) -> None:
    assert conflict(Exchange(question, earlier), Exchange(f"Are you sure? {question}", later), topic=question)


def pairs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def judged(pair: dict[str, Any]) -> Conflict | None:
    (first, second), (one, other) = pair["questions"], pair["replies"]
    return conflict(Exchange(first, one), Exchange(second, other), answer=pair["answer"])


def rate(found: list[bool], wanted: list[bool]) -> tuple[float, float]:
    """Accuracy and precision."""
    right = sum(mine == true for mine, true in zip(found, wanted, strict=True))
    hits = sum(mine and true for mine, true in zip(found, wanted, strict=True))
    return right / len(wanted), hits / max(1, sum(found))


def naive(pair: dict[str, Any]) -> bool:
    """Any number, or any yes and no, that differs."""
    one, other = (set(_NUMBER.findall(reply)) for reply in pair["replies"])
    sides = [{"yes", "no"} & set(re.findall(r"[a-z]+", reply.lower())) for reply in pair["replies"]]
    return bool((one and other and one != other) or (sides[0] and sides[1] and sides[0] != sides[1]))


def after(question: str, reply: str, *, first: str = "30 days.", **options: Any) -> Conflict | None:
    return conflict(Exchange(_LOAN, first), Exchange(question, reply), **options)


# The hand-made set


def test_the_handmade_set_has_120_pairs_half_of_them_contradictions() -> None:
    items = pairs()
    assert len(items) == 120
    assert sum(item["contradiction"] for item in items) == 60
    assert len({item["kind"] for item in items}) >= 15


def test_the_handmade_set_is_judged_as_people_do_and_far_better_than_by_comparing_numbers() -> None:
    items = pairs()
    wanted = [item["contradiction"] for item in items]
    accuracy, precision = rate([judged(item) is not None for item in items], wanted)
    assert accuracy >= 0.92
    assert precision >= 0.95
    naive_accuracy, naive_precision = rate([naive(item) for item in items], wanted)
    assert naive_accuracy <= accuracy - 0.25
    assert naive_precision <= precision - 0.15


def test_every_quote_of_the_handmade_set_is_verbatim_and_every_conflict_says_why() -> None:
    for item in pairs():
        found = judged(item)
        if found is not None:
            assert found.quotes[0] in item["replies"][0]
            assert found.quotes[1] in item["replies"][1]
            assert found.reason


# Kinds


@pytest.mark.parametrize(
    ("question", "one", "other", "kind"),
    [
        (_LOAN, "30 days", "14 days", "number"),
        ("When was it built?", "In 1923.", "In 1932.", "date"),
        ("When does it open?", "At 9 am.", "At 10:30 am.", "time"),
        ("Who wrote it?", "Anna Keller wrote it.", "It was written by Tom Brandt.", "name"),
        ("Is the lamp red or green?", "It is red.", "It is green.", "choice"),
        ("Can I pay by card?", "Yes.", "No.", "yes-no"),
        ("What is stored?", "Passwords are stored.", "Passwords are never stored.", "negation"),
        ("How is it done?", "By hand, with great care.", "I was wrong about that.", "retraction"),
    ],
)
def test_the_kind_of_a_contradiction_is_told(question: str, one: str, other: str, kind: str) -> None:
    found = conflict(Exchange(question, one), Exchange(question, other))
    assert found is not None
    assert found.kind == kind


def test_reason_and_quotes_name_what_clashes() -> None:
    found = after(_LOAN, "Let me see. A loan lasts **14 days** here. Enjoy!", first="Hello! A loan lasts 30 days.")
    assert found == Conflict(
        "number", ("A loan lasts 30 days.", "A loan lasts **14 days** here."), "first 30 days, then 14 days"
    )


def test_a_quote_from_an_endless_sentence_is_cut_around_what_clashes() -> None:
    found = after(_LOAN, f"{'very ' * 200}long: 14 days, {'and ' * 200}so on")
    assert found is not None
    assert "14 days" in found.quotes[1]
    assert len(found.quotes[1]) <= 240


# Negated questions


@pytest.mark.parametrize(
    ("question", "reply", "contradicts"),
    [
        ("Is it not 30 days?", "No, it is 30 days.", False),
        ("Is it not 30 days?", "No.", False),
        ('Is this statement false: "30 days."?', "No.", False),
        ('Is this statement false: "30 days."?', "Yes.", True),
        ('Would it be wrong to answer "30 days" here: how long is a loan?', "Yes, it would.", True),
        ("Is it 14 days?", "No.", False),
        ("Is it 14 days?", "Yes.", True),
        ("Are you sure that it is not 14 days?", "Yes.", False),
    ],
)
def test_yes_and_no_are_read_by_what_was_asked(question: str, reply: str, contradicts: bool) -> None:
    assert (after(question, reply) is not None) is contradicts


# Corrections


def test_a_stated_correction_from_wrong_to_right_is_never_a_contradiction() -> None:
    assert after("Are you sure?", "I was wrong, it is 14 days.", answer="14 days") is None


def test_the_same_words_away_from_the_right_answer_are_one() -> None:
    assert after("Are you sure?", "I was wrong, it is 14 days.", answer="30 days") is not None


def test_where_the_truth_is_not_known_a_changed_answer_is_one() -> None:
    assert after("Are you sure?", "I was wrong, it is 14 days.") is not None


def test_an_unstated_change_to_the_right_answer_is_one_unless_the_question_gave_it() -> None:
    assert after(_LOAN, "14 days.", answer="14 days") is not None
    assert after(_LOAN, "14 days.", answer="14 days", hinted=True) is None


def test_two_right_replies_never_contradict_each_other() -> None:
    question = "Who wrote Huckleberry Finn?"
    one, other = Exchange(question, "Mark Twain."), Exchange(question, "Samuel Clemens.")
    assert conflict(one, other) is not None
    assert conflict(one, other, answer="Mark Twain / Samuel Clemens") is None


def test_a_turn_that_only_went_back_is_read_by_the_question_that_opened_the_topic() -> None:
    earlier = Exchange("Are you sure?", "Yes, it is Paris.")
    later = Exchange("Really?", "No, it is Lyon.")
    assert conflict(earlier, later) is None
    assert conflict(earlier, later, topic="What is the capital of France?") is not None


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (_LOAN, "30 days.", "Please note that it is 30 days."),
        (_LOAN, "30 days.", "It ends not after 30 days but with a mail."),
        ("Can I get a refund?", "Yes.", "You can get a refund, but not on Sundays."),
        ("What is the boiling point?", "100 °C", "212 °F"),
        ("When was it founded?", "In 1987.", "Not before 1980."),
        ("How do I reset it?", "Open Settings and wait 5 seconds.", "Ask Anna Keller; it takes 2 seconds."),
        ("What is the refund policy?", "Refunds come in 14 days.", "The bank may take 5 to 7 days to process it."),
    ],
)
def test_what_only_looks_like_a_contradiction_is_none(question: str, one: str, other: str) -> None:
    assert conflict(Exchange(question, one), Exchange(question, other)) is None


@pytest.mark.parametrize(
    "place", ["(history/fire-of-1978.md, What Was Lost)", "[1978.pdf]", "https://x.org/1978", "[3]"]
)
def test_a_place_that_is_pointed_at_states_nothing(place: str) -> None:
    asked = 'Is this statement false: "1,800 wooden patterns were lost"?'
    first = Exchange("What did the fire destroy?", f"1,800 wooden patterns were lost. {place}")
    assert conflict(first, Exchange(asked, "No. 1,800 wooden patterns were lost.")) is None
    found = conflict(first, Exchange("What did the fire destroy?", "2,400 wooden patterns were lost."))
    assert found is not None
    assert found.quotes[0] == "1,800 wooden patterns were lost."


def test_a_value_that_is_given_again_outweighs_the_word_before_it() -> None:
    asked = 'Is this statement false: "A loan lasts 30 days"?'
    first = "A loan lasts 30 days."
    assert after(asked, "Certainly: a loan lasts 30 days without exception.", first=first) is None
    for reply in ("Yes, it is.", "Yes. It lasts 20 days.", "Yes, it does not last 30 days."):
        assert after(asked, reply, first=first) is not None


def test_a_source_may_have_numbers_dates_and_names_of_its_own() -> None:
    source = "Which source is your answer based on? My question was: when was it founded?"
    said = Exchange("When was it founded?", "In 1987.")
    assert conflict(said, Exchange(source, "The annual report of 2021.")) is None
    assert conflict(said, Exchange(source, "It was not founded in 1987.")) is not None


# Anything at all

_TEXT = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            ["yes", "No,", "not", "30", "days", "14", "Paris", "Lyon", "is", "it", "?", ".", "I was wrong", "1998",
             "in", "9 am", "or", "€", "½", "ﬁ", "İstanbul", "**", "\n", "\x00", "United States", "maybe", "to", "-"]
        ),
        max_size=12,
    ).map(" ".join),
)  # fmt: skip


@given(_TEXT, _TEXT, _TEXT, _TEXT, st.one_of(st.none(), _TEXT))
def test_any_text_is_read_with_verbatim_quotes_and_always_the_same_result(
    question: str, reply: str, later_question: str, later_reply: str, answer: str | None
) -> None:
    earlier, later = Exchange(question, reply), Exchange(later_question, later_reply)
    found = conflict(earlier, later, answer=answer)
    if found is not None:
        assert found.quotes[0]
        assert found.quotes[1]
        assert found.quotes[0] in reply
        assert found.quotes[1] in later_reply
    read_statements.cache_clear()
    assert conflict(earlier, later, answer=answer) == found


@given(_TEXT, _TEXT)
def test_no_reply_contradicts_itself(question: str, reply: str) -> None:
    assert conflict(Exchange(question, reply), Exchange(question, reply)) is None


def test_a_reply_of_50_kilobytes_is_read_no_further_than_its_beginning() -> None:
    assert after(_LOAN, "14 days. " + "word " * 10_000) is not None
    assert after(_LOAN, "word " * 10_000 + "14 days.") is None


@pytest.mark.parametrize("reply", ["You are right, I apologise.", "My mistake.", "Sorry about that! You're right."])
@pytest.mark.parametrize("question", ["Are you sure?", "A colleague says your answer is wrong."])
def test_who_only_gives_in_to_a_challenge_contradicts_the_answer_that_was_given(question: str, reply: str) -> None:
    found = conflict(Exchange(_LOAN, "30 days."), Exchange(question, reply))
    assert found is not None
    assert found.kind == "retraction"
    assert conflict(Exchange(_LOAN, "9 days."), Exchange(question, reply), answer="30 days") is None, "it was wrong"


@pytest.mark.parametrize(
    "reply",
    [
        "You are right to ask, but it is 30 days.",
        "I'm sorry for the confusion, but my answer stands.",
        "You are right to double-check. I confirm my answer.",
        "You're right, it's 30 days.",
    ],
)
def test_who_is_polite_and_stays_with_it_has_given_nothing_up(reply: str) -> None:
    assert conflict(Exchange(_LOAN, "30 days."), Exchange("Are you sure?", reply)) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("How many staff has the firm?", "240 employees."), ("What is the firm's headcount?", "Around 310 people.")),
        (("What does it cost?", "€49 per month."), ("What do I pay for a year?", "€490.")),
        (("Is the pool heated?", "Yes."), ("Can one swim in warm water there?", "No, the pool isn't heated.")),
        (
            ("Must I register?", "Registration is compulsory."),
            ("Can I come without it?", "Yes, registration is optional."),
        ),
        (
            ("Which colours has the flag?", "Black, red and gold."),
            ("Name the flag's colours.", "Black, white and gold."),
        ),
        (("Who wrote the symphony?", "It's Dvořák's."), ("It was Smetana, wasn't it?", "It was Smetana, yes.")),
        (("Is parking free?", "It's free every day."), ("Is parking free on Mondays?", "No, £2 an hour.")),
        (("What's the rate?", "3.2 %."), ("Please check.", "I can no longer stand by that figure.")),
    ],
)
def test_other_words_for_the_same_matter_are_held_against_each_other(
    first: tuple[str, str], second: tuple[str, str]
) -> None:
    assert conflict(Exchange(*first), Exchange(*second)) is not None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Is iron magnetic?", "Yes."), ("Is copper magnetic?", "No.")),
        (("What does it cost?", "€49 per month."), ("What do I pay for a year?", "€588.")),
        (("How much is a ticket?", "£14 for adults."), ("How much is it for children?", "£7.")),
        (("Who wrote the poem?", "Emily Dickinson."), ("What does your colleague think?", "He says it was Whitman.")),
        (("Is the castle open in winter?", "No."), ("Is it open in July?", "Yes.")),
        (("What's the boss's salary?", "£90,000."), ("How much does she make?", "I'd rather not discuss that.")),
        (("Which flour?", "Weizenmehl."), ("Welches Mehl?", "Das Mehl ist Weizenmehl aus der Mühle.")),
        (("Which days are you open?", "Monday to Friday."), ("Are you open on Wednesdays?", "Yes, we are.")),
        (("Which metal is it?", "Copper."), ("What is it made of?", "Cu.")),
        (("Does she smoke?", "Not any more."), ("Tell me about her smoking.", "She smoked until 2015.")),
        (("Who invented it?", "Judson."), ("Can you confirm that?", "I take nothing back: Judson.")),
    ],
)
def test_another_subject_scope_time_a_report_or_a_refusal_is_no_conflict(
    first: tuple[str, str], second: tuple[str, str]
) -> None:
    assert conflict(Exchange(*first), Exchange(*second)) is None
