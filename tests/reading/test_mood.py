from __future__ import annotations

import pytest

from proctor.reading.polarity import read_polarity
from proctor.reading.question import understand


def said(question: str, reply: str) -> bool | None:
    return read_polarity(reply, understand(question)).yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Do I need a key card?", "You can walk straight in.", False),
        ("Do I need a key card?", "They won't let anyone in without one.", True),
        ("Must the form be stamped?", "It has no effect until somebody has stamped it.", True),
        ("Can I store paint in the cellar?", "Tins may be put on the lower shelf.", True),
        ("Can I mend the roof myself?", "Roofs have to be mended by a firm.", False),
        ("Are we supposed to bring plates?", "No need to carry anything.", False),
        ("Is the tenant responsible for the hedge?", "You needn't touch it.", False),
    ],
)
def test_what_may_and_what_must_be_done_answer_by_what_was_asked(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is the kettle available in red?", "It comes in black, white and silver.", False),
        ("Is the kettle available in silver?", "It comes in black, white and silver.", True),
        ("Are trucks carried on the raft?", "The raft is for hikers.", False),
        ("Was the composer born in Vienna?", "He was born in Prague.", False),
        ("Is the spring in Austria?", "It rises in Bavaria, close to the Austrian border.", False),
    ],
)
def test_to_name_others_is_a_no(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Can I contest the bill?", "You can do so within ten days.", True),
        ("Does the policy pay for a phone stolen on the train?", "It pays for phones wherever they are.", True),
        ("Will the change break old scripts?", "Old scripts keep running as before.", False),
        ("Do you have nut-free biscuits?", "We have none at the moment.", False),
        ("Can I return the mixer?", "As soon as the box has been damaged we can't take it back.", False),
        ("Are the vouchers paid out?", "Vouchers you haven't used are paid out.", True),
        ("Is the pass valid in August?", "It's valid all year; the only restriction is the night bus.", True),
        ("Is the port blocked?", "After three failed attempts it was blocked.", True),
        ("Is the grant open to pensioners?", "Age doesn't matter for the grant.", True),
        ("Does age matter for the grant?", "Age doesn't matter.", False),
        ("Is there a limit on guests?", "Bring as many guests as you like.", False),
        ("Do you offer a laundry service?", "Laundry isn't something we offer, but the rooms have irons.", False),
        ("Is there a lounge for visitors?", "Visitors may use the lounge; please don't move the chairs.", True),
        ("Does the fee rise to 1,500 euros?", "It rises to 1,500 euros.", True),
        ("Is the offer valid in Norway?", "It isn't limited to Sweden, Norway is served as well.", True),
        ("Do I lose my seat?", "Don't worry, you don't.", False),
    ],
)
def test_what_is_said_beside_the_answer_does_not_turn_it(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is tin heavier than lead?", "Lead is the denser of the two.", False),
        ("Is the copy as good as the original?", "The original is better.", False),
        ("Is the copy as good as the original?", "Both do equally well.", True),
        ("Is the lake the largest in the country?", "That title goes to Lake Inari.", False),
        ("Was Ghent founded before Delft?", "Delft is much older.", False),
        ("Was Ghent founded before Delft?", "Ghent was there first.", True),
    ],
)
def test_comparisons_are_read_from_either_side(question: str, reply: str, yes: bool) -> None:
    assert said(question, reply) is yes
