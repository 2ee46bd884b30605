import re

import pytest

from proctor.benchmark import Case
from proctor.demo import benchmark_path, knowledge_path
from proctor.demo.agent import load
from proctor.formats.csv import benchmark, read_path
from proctor.reviewers import embedded
from proctor.score import reaches, weigh
from proctor.transcript import Request, Turn

CASES = benchmark(read_path(benchmark_path()), name="handbook-30").cases
WEIGHTS = {"correctness": 0.5, "reasoning": 0.3, "context": 0.2}
FAILED = {
    "Within how many days must travel claims be submitted?",
    "How many weeks off does a new father get?",
    "Who manages the office where the calibration laboratory is?",
    "How many people work in Lisbon and Bergen?",
    "Which staff may not work from home?",
}
FLAKY = "What is the daily meal allowance on a business trip?"

# Where each expected answer stands. One that has to be worked out stands in several places.
EVIDENCE = {
    "How many days of paid holiday do full-time staff have?": ["hr/holidays.md: have 28 days of paid holiday"],
    "By which date must holiday that was carried over be used?": ["hr/holidays.md: must be used by 31 March"],
    "How long does the probation period last?": ["hr/probation.md: lasts six months"],
    "Who is the managing director?": ["people/directors.md: The managing director is Ingrid Halvorsen"],
    "What is the daily meal allowance on a business trip?": ["policies/travel.md: business trip is 42 pounds"],
    "Within how many days must travel claims be submitted?": ["policies/travel.md: no later than 30 days after"],
    "When does the office open?": ["offices/lisbon.md: The Lisbon office is open from 09:00"],
    "How many parking spaces are there?": ["offices/bergen.md: There are eight parking spaces"],
    "What is part GS-417?": ["products/spare-parts.md: GS-417 is the sounding membrane of the Murmur 7"],
    "How many documents are in the history folder?": [
        "history/fire-of-1978.md: # The fire of 1978",
        "history/founding.md: # How it began",
        "history/milestones.md: # Milestones",
    ],
    "When was the remote work policy last updated?": ["policies/remote-work.md: Updated: 2025-02-03"],
    "What does the handbook say about dogs?": ["hr/handbook.md: Dogs are welcome in the Whitby office on Fridays"],
    "What does the installation manual say about polish?": ["products/bellwether-manual.md: polish changes the beam"],
    "In the incident runbook, which step comes after declaring the severity?": [
        "operations/incident-runbook.md: 3. Declare the severity",
        "operations/incident-runbook.md: 4. Freeze all releases",
    ],
    "What does a red light that blinks twice mean?": [
        "products/bellwether-manual.md: blinks twice means that no echo was received"
    ],
    "How loud is the Murmur?": ["products/murmur.md: as loud as 134 decibels"],
    "How much does a Murmur 7 cost?": ["products/murmur.md: A Murmur 7 costs 4,850 pounds"],
    "In which colours is the Lantern 4 made?": ["products/lantern-4.md: made in red, green, white and yellow"],
    "How many weeks off does a new father get?": ["hr/parental-leave.md: Either parent may take 26 weeks"],
    "How often is the Bellwether calibrated?": ["operations/calibration.md: Bellwether is calibrated every 24 months"],
    "Where is the calibration laboratory?": ["operations/calibration.md: in our laboratory in Bergen"],
    "Who manages the office where the calibration laboratory is?": [
        "operations/calibration.md: in our laboratory in Bergen",
        "offices/bergen.md: The Bergen office is managed by Sverre Lund",
    ],
    "How many people work in Lisbon and Bergen?": [
        "offices/lisbon.md: 37 people work in Lisbon",
        "offices/bergen.md: 27 people work in Bergen",
    ],
    "Which staff may not work from home?": [
        "policies/remote-work.md: Foundry, test bay and warehouse staff may not work from home"
    ],
    "What is the minimum length of a password?": ["policies/information-security.md: at least 14 characters"],
    "To whom must a lost laptop be reported?": ["policies/information-security.md: must be reported to Noor Haddad"],
    "Is Plimsoll allowed in the test bay?": ["policies/safety-at-work.md: Plimsoll is not allowed in the test bay"],
    "How much is on-call duty paid per week?": ["operations/on-call.md: paid with 220 pounds a week"],
    "Who founded the company?": ["history/founding.md: founded by Ada Gannet, a clockmaker, and Tomas Sloe"],
    "What did the fire of 1978 destroy?": ["history/fire-of-1978.md: The fire destroyed the pattern store"],
}


async def passes(case: Case, trial: int) -> bool:
    """Whether the librarian's reply passes with the embedded reviewer at the default passing score."""
    request = Request(question=case.question, conversation=case.id, context=case.context, trial=trial)
    reply = await load("librarian", {}).reply(request)
    review = await embedded.load("", {}).review(case, [Turn(number=1, question=case.question, reply=reply)])
    mark = weigh(review.parts, WEIGHTS)
    return mark is not None and reaches(mark, 0.7)


def test_there_are_thirty_questions_and_no_two_alike() -> None:
    assert len(CASES) == 30
    assert len({case.question for case in CASES}) == 30


def test_every_field_is_quoted_and_rows_have_two_to_four() -> None:
    lines = benchmark_path().read_text(encoding="utf-8").splitlines()
    assert len(lines) == 30
    assert all(re.fullmatch(r'"[^"]+";"[^"]+"(?:;"[^"]*"){0,2}', line) for line in lines)


def test_some_rows_expect_reasoning_and_some_carry_a_context() -> None:
    assert sum(case.reasoning is not None for case in CASES) >= 5
    assert sum(case.context is not None for case in CASES) >= 2


@pytest.mark.parametrize("question", [case.question for case in CASES])
def test_every_expected_answer_stands_in_the_knowledge_base(question: str) -> None:
    for place in EVIDENCE[question]:
        source, _, quote = place.partition(": ")
        assert quote in (knowledge_path() / source).read_text(encoding="utf-8")


@pytest.mark.parametrize("case", [case for case in CASES if case.question != FLAKY], ids=lambda case: case.question)
async def test_every_case_but_one_has_the_same_verdict_in_every_trial(case: Case) -> None:
    expected = case.question not in FAILED
    assert [await passes(case, trial) for trial in (1, 2, 3)] == [expected] * 3


async def test_one_case_is_flaky() -> None:
    (case,) = (case for case in CASES if case.question == FLAKY)
    assert [await passes(case, trial) for trial in (1, 2, 3)] == [True, True, False]


@pytest.mark.parametrize("case", [case for case in CASES if case.question != FLAKY], ids=lambda case: case.question)
async def test_trials_differ_in_the_flaky_case_alone(case: Case) -> None:
    requests = [
        Request(question=case.question, conversation=case.id, context=case.context, trial=trial)
        for trial in range(1, 11)
    ]
    replies = [await load("librarian", {}).reply(request) for request in requests]
    assert len({reply.text for reply in replies}) == 1
    assert len({reply.citations for reply in replies}) == 1
