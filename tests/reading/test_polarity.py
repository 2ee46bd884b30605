from __future__ import annotations

from time import process_time

import pytest

from proctor.reading.answer import judge
from proctor.reading.polarity import read_polarity
from proctor.reading.question import understand


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is the drug safe for children?", "The drug is unsafe for children.", False),
        ("Is the drug safe for children?", "It is not unsafe.", True),
        ("Is the pool open on Sundays?", "The pool is closed on Sundays.", False),
        ("Does it work offline?", "It works offline.", True),
        ("Is smoking allowed?", "Smoking is forbidden.", False),
        ("Is smoking allowed?", "There is no ban on smoking.", True),
        ("Is it forbidden to feed them?", "Feeding them is not permitted.", True),
        ("Is lead denser than iron?", "Iron is less dense than lead.", True),
        ("Is lead denser than iron?", "Iron is denser than lead.", False),
        ("Does the museum charge for admission?", "Entry is free.", False),
        ("Do I need a visa?", "You are exempt from the visa requirement.", False),
        ("Did he win?", "He did.", True),
        ("Did he win?", "He didn't, sadly.", False),
        ("Has it ever frozen over?", "Not only has it frozen over, people held fairs on it.", True),
    ],
)
def test_yes_and_no_are_read_by_meaning(question: str, reply: str, yes: bool) -> None:
    assert read_polarity(reply, understand(question)).yes is yes


def test_courtesy_is_no_answer() -> None:
    question = "Does it work offline?"
    assert judge(question, "Yes", "No problem! It works offline.").right
    assert judge(question, "No", "As far as I know, no.").right
    assert not judge("Is the pool open on Sundays?", "Yes", "Sure! The pool is closed on Sundays.").right


def test_what_depends_is_neither_and_says_so() -> None:
    found = judge("Is the pool open?", "Yes", "It depends on the season.")
    assert found.right is None
    assert found.reason == "expected yes, but the reply makes it depend on something"


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("Is parking free on Sundays?", "Parking is free of charge on Sundays.", "There is a charge on Sundays."),
        ("Is the lounge free for members?", "Members pay nothing.", "Entry is not free of charge for members."),
        ("Does the museum charge for admission?", "Entry isn't free; a ticket's £8.", "Entry is free."),
        ("Is the bread free of milk?", "It contains no milk.", "It isn't free of milk."),
        ("Is the cake gluten free?", "It contains no gluten.", "It contains gluten."),
        ("Is there a gym?", "There is an international gym with an intelligent shower.", "There isn't any gym."),
        ("Can employees work remotely?", "Working remotely is fine.", "Remote work isn't permitted."),
        (
            "Is it compatible with Linux?",
            "It is compatible with Linux and Windows.",
            "It is only compatible with Windows.",
        ),
    ],
)
def test_what_is_free_fine_or_only_so_is_read_by_what_it_means(question: str, yes: str, no: str) -> None:
    assert judge(question, "Yes", yes).value >= 0.7 > judge(question, "No", yes).value
    assert judge(question, "No", no).value >= 0.7 > judge(question, "Yes", no).value


@pytest.mark.parametrize("text", ["no ", "yes, ", "many people ", "it was a ", ". ", "only ", "1 < "])
def test_a_long_reply_is_read_in_no_time(text: str) -> None:
    start = process_time()
    read_polarity(text * 30_000, understand("Is the shop open on Sundays?"))
    assert process_time() - start < 1.0
    assert (
        read_polarity(text * 30_000 + "\nSo the answer is no.", understand("Is the shop open on Sundays?")).yes
        is not True
    )


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Must I sign the form?", "Please sign it in blue ink; forms without a name can't be accepted."),
        ("Do I have to defrost the freezer?", "Empty it twice a year and let the ice melt, there's no other way."),
        ("Is the update installed automatically?", "It is installed overnight, so there's nothing you need to do."),
        ("Is the ferry delayed?", "I'm afraid so, by an hour."),
    ],
)
def test_what_one_is_told_to_do_and_need_not_do_besides_is_a_yes(question: str, reply: str) -> None:
    assert judge(question, "Yes", reply).right
    assert not judge(question, "No", reply).right


@pytest.mark.parametrize(
    "reply", ["We're here until 8 every evening.", "It has rained on all of you since this morning."]
)
def test_a_reply_that_goes_on_with_the_question_and_denies_nothing_is_unsure(reply: str) -> None:
    question = "Is the bakery open after six?"
    assert judge(question, "Yes", reply).right is None
    assert not judge(question, "No", reply).right


@pytest.mark.parametrize("reply", ["Banana.", "Paris lies on the banks of a long river.", "Thanks, bye!"])
def test_a_reply_about_something_else_is_no_yes(reply: str) -> None:
    assert judge("Is the bakery open after six?", "Yes", reply).right is not True


def test_a_yes_by_meaning_says_how_sure_it_is() -> None:
    question = "Is the pool open on Sundays?"
    outright, meant = judge(question, "Yes", "Yes."), judge(question, "Yes", "The pool is open on Sundays.")
    assert 0.7 <= meant.value < 0.9 < outright.value


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is overtime paid?", "Overtime is compensated with time off rather than money.", False),
        ("Is on-call duty paid?", "You get time off instead of pay.", False),
        ("Are returns possible after 30 days?", "Returns are accepted within 30 days only.", False),
        ("Can I return it after 30 days?", "Returns are only possible in the first 30 days.", False),
        ("Is parking available?", "There is a car park behind the building.", True),
        ("Is there somewhere to eat?", "There is a canteen on the first floor.", True),
    ],
)
def test_a_yes_or_no_in_other_words_is_read(question: str, reply: str, yes: bool) -> None:
    assert judge(question, "Yes" if yes else "No", reply).right is True
    assert judge(question, "No" if yes else "Yes", reply).right is not True


@pytest.mark.parametrize(
    ("question", "expected", "reply", "right"),
    [
        ("Who approves it?", "the line manager", "Your direct manager has to sign off on it.", True),
        ("Who approves it?", "the line manager", "The finance manager has to sign off on it.", False),
        ("Who pays for returns?", "The customer pays.", "Return postage is at the customer's expense.", True),
        ("Who pays for returns?", "The customer pays.", "Return postage is at the seller's expense.", False),
    ],
)
def test_whoever_it_is_may_be_called_otherwise(question: str, expected: str, reply: str, right: bool) -> None:
    assert (judge(question, expected, reply).right is True) is right
