"""Questions are linked by what they ask, not by the words they share."""

from __future__ import annotations

import pytest

from proctor.reading.link import points_back, same_question


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who designed the town hall?", "Who was the architect of the town hall?"),
        ("How do I delete my account?", "What are the steps to close my account?"),
        ("Is breakfast included?", "Does the price include breakfast?"),
        ("Is a helmet compulsory?", "Do I have to wear a helmet?"),
        ("Is the restaurant open on Mondays?", "Can I eat at the restaurant on a Monday?"),
        ("Which file formats can I upload?", "What types of files are supported for upload?"),
        ("When does the semester begin?", "What is the first day of the semester?"),
        ("Does the medicine cause drowsiness?", "Does the medicine make you sleepy?"),
        ("How high is the late fee?", "What do I pay if I'm late?"),
        ("Where's the nearest cash machine?", "Is there an ATM nearby, and where?"),
        ("Who is Leo's boss?", "Who does Leo report to?"),
        ("Can I change my booking?", "Is it possible to modify my reservation?"),
        ("What are the opening times?", "When are you open?"),
        ("Who built the bridge?", "By whom was the bridge built?"),
        ("How tall is the tower?", "What is the tower's height?"),
        ("Is smoking allowed in the yard?", "May one smoke in the yard?"),
        ("Do I need a ticket?", "Is a ticket required?"),
        ("What does the pass cost?", "How much is the pass?"),
        ("Why did the dam break?", "What was the reason for the dam breaking?"),
        ("When was she born?", "What is her date of birth?"),
        ("Until when is the shop open?", "When does the shop close?"),
        ("What is the deadline for applications?", "By when do I have to apply?"),
        ("Does the fee include lunch?", "Is lunch included in the fee?"),
        ("Which club beat Lyon in the final?", "By which club was Lyon beaten in the final?"),
        ("Which animals do owls eat?", "Which animals are eaten by owls?"),
        ("In which city did Mozart die?", "Which city did Mozart die in?"),
        ("Is the museum free on Sundays?", "On Sundays, is the museum free?"),
        ("What does it cost to park at night?", "At night, what does it cost to park?"),
        ("Do I need a permit for a drone?", "I want to fly my drone. Do I need a permit for it?"),
        ("Is breakfast included?", "I was wondering whether breakfast is included."),
        ("Is breakfast included?", "Could you tell me if breakfast is included?"),
        ("Is the pool heated?", "I'd like to know whether the pool is heated."),
        ("When does the shop open?", "Could you let me know when the shop opens?"),
        ("Who owns the mill?", "Do you happen to know who owns the mill?"),
        ("Are children admitted for free?", "Do children get in for nothing?"),
        ("When does the shop close?", "When do they lock up the shop?"),
        ("Which gas do leaves take in?", "What gas is absorbed by leaves?"),
        ("How do I turn the alarm on?", "How do I activate the alarm?"),
        ("Who do I contact about a leak?", "There is a leak. Whom should I turn to?"),
        ("Must guests wear a tie?", "Are guests obliged to have a tie on?"),
        ("Who taught Plato?", "Whose pupil was Plato?"),
        ("Which version introduced tabs?", "Since which version have tabs been available?"),
        ("What does the code mean?", "What does the code stand for?"),
        ("What is the capital of Swiss tourism?", "Which city is the capital of tourism in Switzerland?"),
        ("Why was the match cancelled?", "What was the reason the match was called off?"),
        ("Who holds the record?", "Who currently holds the record?"),
        ("Which bus goes to the zoo?", "What bus do I take to the zoo?"),
        ("Do you sell stamps?", "Can I buy stamps here?"),
        ("Is the lift broken?", "Is the lift out of order?"),
        ("In which country is Lake Como?", "Which country is Lake Como in?"),
        ("Is the test given once or twice?", "Is the test given once or twice, please?"),
    ],
)
def test_one_question_in_other_words_is_the_same(one: str, other: str) -> None:
    assert same_question(one, other)
    assert same_question(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who taught Plato?", "Whom did Plato teach?"),
        ("Did Ada beat Bo?", "Did Bo beat Ada?"),
        ("Is the test mandatory?", "Is the test optional?"),
        ("Which rooms may be booked?", "Which rooms may not be booked?"),
        ("What is the price per month?", "What is the price per year?"),
        ("Who won in 2010?", "Who won in 2014?"),
        ("Who wrote the book?", "Who published the book?"),
        ("How far is it from Rome?", "How far is it to Rome?"),
        ("Who holds the record?", "Who held the record before?"),
        ("Which club beat Lyon in the final?", "Which club did Lyon beat in the final?"),
        ("Which firm bought Acme?", "Which firm did Acme buy?"),
        ("Which animals eat owls?", "Which animals do owls eat?"),
        ("Which animals are eaten by owls?", "Which animals eat owls?"),
        ("What company was founded by Ford?", "What company founded Ford?"),
        ("Which switch turns the lamp on?", "Which switch turns the lamp off?"),
        ("What heat does the stove give off?", "What heat does the stove take in?"),
        ("Did the price go up?", "Did the price go down?"),
        ("Who gives the exam?", "Who takes the exam?"),
        ("When does the bus come?", "When does the bus go?"),
        ("Which city has the longest night?", "Which city has the longest day?"),
        ("Which planet has the shortest day?", "Which planet has the shortest year?"),
        ("On a Sunday, is the museum free?", "On a Monday, is the museum free?"),
        ("With a dog, may I enter?", "With a bike, may I enter?"),
        ("If I pay by card, is there a fee?", "If I pay in cash, is there a fee?"),
        ("I have a dog. Is it allowed?", "I have a parrot. Is it allowed?"),
        ("I want to smoke. Is that permitted here?", "I want to sing. Is that permitted here?"),
        ("Can you tell me my account balance?", "Can you tell me my account number?"),
        ("Where do I get on the bus?", "Where do I get off the bus?"),
        ("How do I turn the alarm on?", "How do I turn the alarm off?"),
        ("I am a student. What does entry cost?", "I am a pensioner. What does entry cost?"),
        ("Which country exports most tea?", "Which country imports most tea?"),
        ("Who hired Ben?", "Whom did Ben hire?"),
        ("Who is the patient's doctor?", "Who is the doctor's patient?"),
        ("What is the name of the owner?", "Who is the owner of the name?"),
        ("What was stolen from the museum?", "Who stole from the museum?"),
        ("Who may vote?", "Who may stand for election?"),
        ("As a member, what do I pay?", "As a guest, what do I pay?"),
        ("When do the clocks go forward?", "When do the clocks go back?"),
        ("How long does the battery last?", "How long does the battery take to charge?"),
        ("What is the purpose of the trip?", "What is the price of the trip?"),
        ("What happens after the exam?", "What happens during the exam?"),
        ("How many people work in the office?", "How many people visit the office?"),
        ("Can I keep the book?", "Can I borrow the book?"),
        ("Who ordered the pizza?", "Who delivered the pizza?"),
        ("Is the car available?", "Is the car insured?"),
        ("Who is Leo's boss?", "Whose boss is Leo?"),
        ("Which countries border Chad?", "How many countries border Chad?"),
        ("Where was the coat made?", "What is the coat made of?"),
        ("What is the valve for?", "Where is the valve?"),
        ("How much is a room with breakfast?", "How much is a room without breakfast?"),
        ("What does Tom owe Lisa?", "What does Lisa owe Tom?"),
        ("When did France declare war on Prussia?", "When did Prussia declare war on France?"),
        ("What does the manager do?", "Who is the manager?"),
        ("Which firm has Nortex bought?", "Which firm bought Nortex?"),
        ("Is the soup hot?", "Is the soup cold?"),
        ("How far is the summit?", "How long does it take to the summit?"),
        ("Can I cook in my room?", "Do you have a kitchen?"),
    ],
)
def test_another_subject_direction_side_period_or_time_is_another_question(one: str, other: str) -> None:
    assert not same_question(one, other)


@pytest.mark.parametrize(
    "remark", ["NASA found a third one.", "Come on, it must.", "So how many?", "Aren't there three?"]
)
def test_a_remark_or_a_short_question_goes_back_to_what_was_said(remark: str) -> None:
    assert points_back(remark, ("How many moons does Mars have?", "Two."), ("Are you sure?", "Yes."))


@pytest.mark.parametrize(
    "remark", ["Not three?", "Surely not Venus?", "Not four moons?", "So not five?", "Not Deimos?"]
)
def test_not_this_contests_the_answer(remark: str) -> None:
    assert points_back(remark, ("How many moons does Mars have?", "Two."), ("Are you sure?", "Yes."))


@pytest.mark.parametrize("other", ["What else?", "Tell me about Venus.", "Is Venus hot?"])
def test_a_question_or_a_request_of_its_own_does_not(other: str) -> None:
    assert not points_back(other, ("How many moons does Mars have?", "Two."), ("Are you sure?", "Yes."))
