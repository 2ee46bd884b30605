from __future__ import annotations

import pytest

from proctor.reading.answer import judge


@pytest.mark.parametrize(
    ("expected", "right", "wrong"),
    [
        (
            "Keep the bottle upright and do not shake it before you open it.",
            "Keep the bottle upright and don't shake it before opening.",
            "Keep the bottle upright and shake it well before you open it.",
        ),
        (
            "The committee refused to extend the deadline for the applications.",
            "The committee refused to extend the deadline.",
            "The committee extended the deadline for the applications.",
        ),
        (
            "You can cancel the order within two days without paying a fee.",
            "Within two days you can cancel the order without paying a fee.",
            "You can cancel the order within two days if you are paying a fee.",
        ),
        (
            "The driver can reset the counter with the small button on the left.",
            "With the small button on the left the driver can reset the counter.",
            "The driver cannot reset the counter with the small button on the left.",
        ),
        (
            "All members who have paid for at least two years may vote.",
            "Members who have paid for at least two years may vote.",
            "Members who have paid within the last two years may vote.",
        ),
        (
            "Turn the heating off in the evening and on again at six in the morning.",
            "In the evening turn the heating off, at six in the morning on again.",
            "Turn the heating on in the evening and off again at six in the morning.",
        ),
        (
            "The paint had cracked before the frame was put into the oven.",
            "The paint had cracked before the frame went into the oven.",
            "The paint cracked once the frame had been put into the oven.",
        ),
        (
            "The pump moves the water away from the cellar into the tank.",
            "The pump moves the water away from the cellar to the tank.",
            "The pump moves the water into the cellar out of the tank.",
        ),
        (
            "Pull the lever up slowly until the lamp on the panel goes out.",
            "Slowly pull the lever up until the lamp on the panel goes out.",
            "Pull the lever down slowly until the lamp on the panel goes out.",
        ),
        (
            "Guests must hand in the key at the desk when they go out.",
            "When they go out, guests must hand in the key at the desk.",
            "Guests may hand in the key at the desk when they go out.",
        ),
        (
            "Lean the seat forward before you fold it into the floor.",
            "Before you fold it into the floor, lean the seat forward.",
            "Lean the seat backward before you fold it into the floor.",
        ),
        (
            "The tenant, not the owner, pays for the small repairs in the flat.",
            "The tenant pays for the small repairs in the flat.",
            "The owner pays for the small repairs in the flat, so the tenant doesn't have to.",
        ),
    ],
)
def test_a_statement_that_turns_the_expected_one_round_is_wrong(expected: str, right: str, wrong: str) -> None:
    question = "What is the rule?"
    assert judge(question, expected, wrong).value < 0.4
    assert judge(question, expected, right).value > judge(question, expected, wrong).value + 0.2


@pytest.mark.parametrize(
    ("expected", "reply"),
    [
        (
            "Nobody may enter the hall without a helmet and safety shoes on.",
            "Without a helmet and safety shoes nobody may enter the hall.",
        ),
        (
            "The shop opens at nine, closes at noon and opens again at two.",
            "It opens at nine, closes at noon and opens again at two.",
        ),
        (
            "Water the plant every day, but do not let it stand in water.",
            "Water it daily, but it must not stand in water.",
        ),
        (
            "The door can be opened from the inside without a key at any time.",
            "From the inside the door can always be opened without a key.",
        ),
        (
            "She left the company before the merger because she did not agree with it.",
            "She did not agree with the merger, so she left before it.",
        ),
    ],
)
def test_the_same_statement_in_other_words_is_not_turned_round(expected: str, reply: str) -> None:
    assert judge("What is the rule?", expected, reply).value >= 0.4
