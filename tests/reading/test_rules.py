"""What turns a reply wrong though its words are right, each beside a right one in nearly the same words."""

from __future__ import annotations

import pytest

from proctor.reading.answer import judge

PASSING = 0.7


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        (
            "What happens to demand when the fee goes up?",
            "Demand falls when the fee rises.",
            "When the fee rises, demand falls.",
            "When the fee rises, demand rises as well.",
        ),
        (
            "Which job does the scheduler pick?",
            "It picks the job that was started least recently.",
            "It picks the job started least recently.",
            "It picks the job that was started most recently.",
        ),
        (
            "How do the two plans differ?",
            "Plan A covers the dentist, plan B covers glasses.",
            "Plan A covers the dentist, while plan B covers glasses.",
            "Plan A covers glasses, while plan B covers the dentist.",
        ),
        (
            "May I return the lens?",
            "Yes, without a receipt.",
            "Yes, and you need no receipt.",
            "Yes, but you need the receipt.",
        ),
        (
            "Is there a desktop client?",
            "Yes, for Linux and Windows.",
            "Yes, both for Linux and for Windows.",
            "Yes, but only for Linux; there is no Windows client.",
        ),
        (
            "Does the tool accept JSON?",
            "Yes, if you pass `--json` or set a header.",
            "Yes, if you set the header.",
            "No, it only accepts headers.",
        ),
        (
            "Which flag makes it verbose?",
            "`--verbose`",
            "Use `--verbose` for that.",
            "Use `--debug` for that.",
        ),
        (
            "What does the dough contain?",
            "flour, butter, sugar",
            "Flour, sugar and butter.",
            "Flour and sugar. It is butter-free.",
        ),
        (
            "What comes with the drone?",
            "drone, remote, charger",
            "A drone, its remote and a charger.",
            "A drone and its remote. The charger is sold separately.",
        ),
        (
            "How long are the recordings kept?",
            "12 months",
            "They are kept for a year.",
            "They are kept for a month.",
        ),
        (
            "Is the rent due monthly?",
            "No, it is due quarterly.",
            "No, once per quarter.",
            "No, once per week.",
        ),
        (
            "When is the pool closed?",
            "On Mondays and on 3 October",
            "Every Monday, and on the third of October.",
            "It is closed on 3 October and 31 December.",
        ),
        (
            "When is the desk staffed?",
            "Monday to Thursday, 8 am to 4 pm",
            "Mon-Thu 8:00-16:00",
            "Mon-Thu 8:00-17:00",
        ),
    ],
)  # fmt: skip
def test_the_one_thing_that_is_changed_decides(question: str, expected: str, right: str, wrong: str) -> None:
    assert judge(question, expected, right).value >= PASSING
    assert judge(question, expected, wrong).value < PASSING


@pytest.mark.parametrize(
    ("question", "expected", "reply"),
    [
        ("How many shoes are in the shop?", "48", "There are 24 pairs in the shop, 48 in total."),
        ("Which suits are there?", "clubs, spades, hearts", "There are three: spades, hearts, clubs."),
        ("Which sizes are there?", "S, M, L", "There are 3 sizes: S, M and L."),
        ("Is Lyon the capital of France?", "No", "Lyon is a large city, but the capital is Paris."),
        ("Which step comes first?", "Freeze all releases", "No. Freeze all releases with the red switch."),
        ("What is not covered?", "Damage by the user is not covered.", "Damage by the user: no."),
    ],
)  # fmt: skip
def test_what_only_looks_like_another_answer_is_none(question: str, expected: str, reply: str) -> None:
    assert judge(question, expected, reply).value >= PASSING


@pytest.mark.parametrize(
    ("expected", "right", "wrong"),
    [
        ("salt, pepper, oil", "Salt, pepper and oil. Use the mild one.", "Salt and pepper. The oil has run out."),
        ("cutting, gluing", "They teach cutting and gluing.", "They teach gluing."),
        ("Anna, Ben, Carl", "It was Anna, Ben and Carl.", "It was Anna, Dora, Ben and Carl, all of them on time."),
        ("Anna Lee and Ben Fox", "Anna Lee, a clockmaker, and Ben Fox.", "Anna Lee, Dora Kay and Ben Fox, of course."),
        ("Mondays 8, 12 and 17", "Mondays 8, 12 and 17", "Mondays 8 and 12"),
    ],
)
def test_a_list_ends_where_it_ends_and_holds_nothing_between(expected: str, right: str, wrong: str) -> None:
    assert judge("Which ones are they?", expected, right).value >= 0.7
    assert judge("Which ones are they?", expected, wrong).value < 0.7


def test_an_opposite_in_quite_other_words_contradicts_no_statement() -> None:
    expected = "Salted hashes keep thieves from reading the passwords when the database leaks."
    reply = "Whoever gets hold of the file sees no plain text, and their lookup lists are useless thanks to the salt."
    assert not judge("Why are passwords stored as salted hashes?", expected, reply).refuted
    turned = judge(
        "Why?",
        "The valve stays open in winter so that the pipes drain.",
        "The valve stays closed in winter so that the pipes drain.",
    )
    assert turned.refuted
