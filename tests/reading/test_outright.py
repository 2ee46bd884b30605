from __future__ import annotations

import pytest

from proctor.reading.answer import judge
from proctor.reading.outright import outright
from proctor.reading.polarity import read_polarity
from proctor.reading.question import understand


def word(question: str, reply: str) -> bool | None:
    return outright(reply.lower(), understand(question))


@pytest.mark.parametrize(
    ("reply", "yes"),
    [
        ("No, we're closed.", False),
        ("No. We're closed.", False),
        ("No for now.", False),
        ("No on Sundays, I'm afraid.", False),
        ("No it isn't", False),
        ("No ticket is left unsold.", None),
        ("No need to book.", None),
        ("No smoking inside.", None),
        ("No hard feelings!", None),
    ],
)
def test_no_before_a_noun_is_no_answer(reply: str, yes: bool | None) -> None:
    assert word("Is the shop open?", reply) is yes


@pytest.mark.parametrize(
    ("reply", "yes"),
    [
        ("Right, it isn't.", False),
        ("Correct, it's not served here.", False),
        ("Exactly, they don't.", False),
        ("Indeed, the kitchen isn't open.", False),
        ("Right, it is.", True),
        ("Correct, every day.", True),
        ("It is!", True),
        ("Yes, it isn't served.", False),
        ("Yes, there's no better place.", True),
    ],
)
def test_agreement_with_a_denial_is_a_no(reply: str, yes: bool) -> None:
    assert word("Isn't breakfast served here?", reply) is yes


@pytest.mark.parametrize(
    ("reply", "yes"),
    [
        ("It has been painted, yes, but the roof still leaks.", None),
        ("A plan exists, yes, though nothing has come of it.", None),
        ("The walls are new, and yes, the windows are too.", None),
        ("As far as I can see, yes.", True),
        ("So overall, no.", False),
        ("Painted, yes, and cleaned as well.", True),
    ],
)
def test_a_yes_that_only_grants_a_point_is_no_answer(reply: str, yes: bool | None) -> None:
    assert word("Has the roof been mended?", reply) is yes


@pytest.mark.parametrize(
    ("reply", "yes"),
    [
        ("Some guides will tell you yes.", None),
        ("For years doctors said no.", None),
        ("My neighbour told me no.", None),
        ("I'd say yes.", True),
        ("I would say no.", False),
    ],
)
def test_a_yes_or_no_in_the_mouth_of_others_is_no_answer(reply: str, yes: bool | None) -> None:
    assert word("Is it worth a visit?", reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is he the mayor?", "He was, until 2019.", False),
        ("Are there any seats?", "There were, an hour ago.", False),
        ("Does she teach here?", "She did, for a while.", False),
        ("Was he the mayor?", "He was, until 2019.", True),
        ("Did she teach here?", "She did, for a while.", True),
        ("Has she taught here?", "She has.", True),
    ],
)
def test_what_was_so_is_not_so(question: str, reply: str, yes: bool) -> None:
    assert word(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is it forbidden to swim here?", "No, you may not swim here.", True),
        ("Is it forbidden to swim here?", "No, you can swim here.", False),
        ("Is busking illegal?", "No, it's not allowed.", True),
        ("Is busking illegal?", "Yes, it's a crime.", True),
        ("Are fires banned?", "Yes, you can light one.", False),
        ("Is swimming allowed?", "No, you may not swim here.", False),
    ],
)
def test_whether_a_thing_is_forbidden_is_told_by_whether_it_may_be_done(question: str, reply: str, yes: bool) -> None:
    assert word(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is the pool open?", "Is it open? Yes. Is it warm? No.", True),
        ("Is the pool warm?", "Is the pool open? Yes. Is the pool warm? No.", False),
        ("Is it open on Monday?", "Yes for Sunday, no for Monday.", False),
        ("Is it open on Sunday?", "Yes for Sunday, no for Monday.", True),
    ],
)
def test_of_two_answers_the_one_to_the_question_counts(question: str, reply: str, yes: bool) -> None:
    assert word(question, reply) is yes


def test_talk_after_a_yes_makes_it_no_answer() -> None:
    question = "Does the fridge have a freezer?"
    assert word(question, "Yes, I understand the question!") is None
    assert word(question, "Yes, thanks for asking.") is None
    assert word(question, "Yes, on top.") is True


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is the road open?", "Yes, we had planned that. However, it is still closed.", None),
        ("Was the parcel delivered?", "Yes, it was sent. It was, however, refused at the door.", None),
        ("Is the road open?", "Yes, but drive slowly.", True),
        ("Is the road open?", "Yes. It was closed last week.", True),
        ("Does it include breakfast?", "Yes, there's no extra charge.", True),
    ],
)
def test_a_yes_may_be_taken_back(question: str, reply: str, yes: bool | None) -> None:
    assert read_polarity(reply, understand(question)).yes is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Has anyone swum it?", "Captain Webb did in 1875.", True),
        ("Has anyone swum it?", "Nobody has.", False),
        ("Did any ship return?", "Not one of them.", False),
        ("Are all seats taken?", "Every single one.", True),
        ("Have any of them won?", "Quite a few.", True),
        ("Is it worth it?", "I'd be lying if I said yes.", False),
        ("Will it rain?", "I'm glad to say it won't.", False),
        ("Will it rain?", "I'm afraid it will.", True),
        ("Was it built on time?", "Built, yes; on time, hardly.", False),
        ("Is he a doctor?", "Captain Webb did in 1875.", None),
    ],
)
def test_quantifiers_names_and_turns_of_phrase_answer(question: str, reply: str, yes: bool | None) -> None:
    assert word(question, reply) is yes


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("Yes, if your doctor agrees.", True),
        ("Yes, with a doctor's consent.", True),
        ("Yes.", None),
        ("Yes, there's no need for a doctor.", None),
        ("Yes, always.", None),
    ],
)
def test_a_condition_that_is_expected_is_missed(reply: str, right: bool | None) -> None:
    assert judge("May I run again?", "Yes, if the doctor agrees", reply).right is right


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is there a bank?", "There's one on the corner.", True),
        ("Does it have a lid?", "There's one screw missing.", None),
        ("Does she speak Greek?", "Not a word.", False),
        ("Is Bern the capital?", "It has been since 1848.", True),
        ("Have you any pies?", "Several: apple, plum and cherry.", True),
        ("May I sit here?", "Not a problem.", None),
        ("Isn't Bonn the capital?", "It was until 1990.", False),
    ],
)
def test_short_answers_are_read(question: str, reply: str, yes: bool | None) -> None:
    assert word(question, reply) is yes


@pytest.mark.parametrize(
    "lead",
    [
        "Yes,",
        "Yep,",
        "Sure,",
        "Correct,",
        "Absolutely!",
        "Of course,",
        "Indeed,",
        "By all means,",
        "No doubt,",
        "You bet:",
    ],
)
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does the plan include dental?", "dental is covered up to $1,000 a year."),
        ("Does my package include parking?", "parking is $20 a day at most, and that is part of it."),
        ("Does the lease include heating?", "heating is paid up to 100 euros a month."),
    ],
)
def test_a_price_takes_no_yes_back(lead: str, question: str, said: str) -> None:
    assert judge(question, "Yes", f"{lead} {said}").right is True
    assert judge(question, "No", f"{lead} {said}").right is False


@pytest.mark.parametrize(
    "lead",
    [
        "No,",
        "Nope,",
        "Not at all,",
        "Unfortunately not,",
        "Sadly not;",
        "Not currently,",
        "Not on this plan,",
        "Alas, no:",
        "That's not the case,",
        "I don't think so,",
    ],
)
def test_a_leading_no_outranks_what_follows(lead: str) -> None:
    assert judge("Is the pool open?", "No", f"{lead} the pool opens in May.").right is True
    assert judge("Is the pool open?", "Yes", f"{lead} the pool opens in May.").right is False


@pytest.mark.parametrize(
    ("reply", "yes"),
    [
        ("Certainly! Dogs are not allowed in the hall.", False),
        ("Of course! Doctors advise against bringing a dog.", False),
        ("Sure, bring it along.", True),
    ],
)
def test_politeness_is_a_yes_where_nothing_is_denied(reply: str, yes: bool) -> None:
    assert judge("Can I bring my dog?", "Yes", reply).right is yes


@pytest.mark.parametrize(
    ("question", "reply", "right"),
    [
        ("Is smoking banned?", "Yes, you can't smoke anywhere.", True),
        ("Is it cheaper to book early?", "Yes, late bookings are more expensive.", True),
        ("Does the plan include dental?", "Yes, but dental is not covered.", False),
        ("Is the shop open on Sundays?", "Yes, the shop is closed on Sundays.", False),
    ],
)
def test_a_yes_is_taken_back_in_so_many_words_alone(question: str, reply: str, right: bool) -> None:
    assert (judge(question, "Yes", reply).right is True) is right
