from __future__ import annotations

import pytest

from proctor.reading.answer import judge


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        (
            "How many visitors came in 2019?",
            "4,100",
            "In 2018 it had 3,900, in 2019 it had 4,100 visitors.",
            "In 2018 it had 4,100, in 2019 it had 4,600 visitors.",
        ),
        (
            "What is the premium fee?",
            "€19",
            "The basic plan is €9, premium comes at €19 and family at €29.",
            "Basic is €19, premium €25.",
        ),
        (
            "When does it open on Saturdays?",
            "9 a.m.",
            "Weekdays at 8, on Saturdays at 9.",
            "Weekdays at 9, on Saturdays at 10.",
        ),
        (
            "How long is the warranty on the battery?",
            "2 years",
            "It is five years, but only two on the battery.",
            "Two years on the scooter, one on the battery.",
        ),
        (
            "How many people live there?",
            "1,800",
            "It had 2,400 inhabitants in 1950 and has 1,800 today.",
            "It had 1,800 inhabitants in 1950 and has 2,400 today.",
        ),
        (
            "What is the interest rate?",
            "4 %",
            "It went up from 3.5 % to 4 % in March.",
            "It went up from 4 % to 4.5 % in March.",
        ),
        (
            "How heavy may the suitcase be?",
            "23 kg",
            "Hand luggage may weigh 8 kg, suitcases up to 23.",
            "Hand luggage may weigh 23 kg, suitcases up to 30.",
        ),
        ("What is the atomic number?", "26", "26, while its mass number is 56.", "56, while its mass number is 26."),
        (
            "How many failed the exam?",
            "36",
            "Of 120 who sat it 84 passed and 36 failed.",
            "Of 120 who sat it 36 passed and 84 failed.",
        ),
        (
            "How long is the crossing in winter?",
            "90 minutes",
            "An hour in summer, ninety minutes in winter.",
            "Ninety minutes in summer and two hours in winter.",
        ),
        ("What does it cost a year?", "€240", "€20 a month", "€240 a month"),
        ("How warm should it be?", "4 to 7 °C", "between four and seven degrees", "no warmer than 4 °C"),
        (
            "When was it built?",
            "1742",
            "It was begun in 1735 and finished in 1742.",
            "It was begun in 1742 and finished in 1750.",
        ),
        ("What is the fee for adults?", "£12", "Children £7, adults £12, seniors £9.", "Children £12, adults £15."),
        (
            "How deep is the pond?",
            "80 cm",
            "The moat is 2 m and the pond 80 cm deep.",
            "The moat is 80 cm deep and the pond 60.",
        ),
        (
            "How long is the bridge?",
            "300 m",
            "The tunnel is 900 m long, the bridge 300.",
            "The tunnel is 300 m long, the bridge 900.",
        ),
        (
            "What is the deposit?",
            "$200",
            "It used to be $150, but now it's $200.",
            "It used to be $200, but now it's $250.",
        ),
        (
            "How much rice per person?",
            "75 g",
            "300 g for the four of you, so 75 each.",
            "75 g is enough for all together, so about 20 each.",
        ),
        (
            "How heavy is the parcel?",
            "4 kg",
            "Four kilos, i.e. 4,000 g.",
            "The box weighs 4 kg, the parcel weighs 6 kg.",
        ),
        (
            "What was the profit in 2022?",
            "$3 million",
            "$3 million, up from $2 million.",
            "$4 million, up from $3 million.",
        ),
        (
            "How many seats are in a carriage?",
            "60",
            "60 in each carriage, 480 in total.",
            "60 in total, 15 in each carriage.",
        ),
        ("How fast may lorries drive?", "60 km/h", "Cars 100, lorries 60 (km/h).", "Cars 60, lorries 50 (km/h)."),
        ("How much did rents rise?", "By 8 %", "They rose by 8 %.", "They rose to 8 %."),
    ],
)
def test_of_several_values_the_one_that_stands_with_the_question_s_words_is_the_answer(
    question: str, expected: str, right: str, wrong: str
) -> None:
    assert judge(question, expected, right).value >= 0.7
    assert judge(question, expected, wrong).value < 0.7


@pytest.mark.parametrize(
    ("question", "expected", "reply"),
    [
        ("How long is the flight?", "3 hours", "It takes 3 hours; you land 2 time zones further east."),
        ("When did she die?", "1852", "She was born in 1815 and died in 1852."),
        ("How tall is the tower?", "90 m", "The tower, built over 12 years, is 90 m tall."),
        ("How much is the fine?", "€85", "The fine is €85, or €55 if you pay within a week."),
        ("What's the dose?", "500 mg", "Adults take 500 mg every 6 hours, no more than 4 g a day."),
        ("When was the bridge opened?", "1932", "Construction began in 1924, and it was opened on 19 March 1932."),
        ("What is the speed limit?", "50 km/h", "50 km/h, except in front of the school, where it is 30."),
        ("How much did it earn in 2022?", "$3 million", "In 2022 $3 million, compared with $2 million in 2021."),
        ("How many calories are in a bar?", "230", "100 g have 460, so a 50 g bar has 230."),
        ("How long is the notice period?", "3 months", "During probation it's two weeks. After that it is 3 months."),
        ("How many goals did he score?", "34", "He scored 34 goals in 27 matches."),
        ("What does it weigh?", "2 kg", "2 kg (4.4 lb), plus 300 g for the case."),
        ("How many people live there?", "1.2 million", "About 1.2 million, of whom 300,000 live in the centre."),
        ("What is 10 % of 80, plus 4?", "12", "10 % of 80 is 8, and with 4 more that makes 12."),
    ],
)
def test_a_value_beside_the_answer_that_says_something_else_is_no_rival(
    question: str, expected: str, reply: str
) -> None:
    assert judge(question, expected, reply).value >= 0.7


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("How many are on a crew?", "6", "Two pilots and four attendants.", "Two pilots and five attendants."),
        ("How much may I take a day?", "2 g", "At most four capsules of 500 mg.", "At most four capsules of 250 mg."),
        ("What is 7 times 13?", "91", "7 × 13 = 91", "7 × 13 = 81"),
        ("How many eggs are in a case?", "360", "30 trays of 12 eggs", "30 trays of 10 eggs"),
        (
            "How long is the course?",
            "14 weeks",
            "12 weeks plus another 2 for the exam",
            "12 weeks plus another 4 for the exam",
        ),
        (
            "When was it closed?",
            "1962",
            "It opened in 1952 and was closed ten years later.",
            "It opened in 1952 and was closed five years later.",
        ),
        (
            "In which year did he retire?",
            "1990",
            "Two years before the flood of 1992.",
            "Two years after the flood of 1992.",
        ),
    ],
)
def test_a_value_may_be_left_to_work_out(question: str, expected: str, right: str, wrong: str) -> None:
    assert judge(question, expected, right).value >= 0.7
    assert judge(question, expected, wrong).value < 0.7


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        (
            "What is the maximum load?",
            "500 kg",
            "Anything over 500 kg is not allowed.",
            "Any load from 500 kg upwards.",
        ),
        ("What is the minimum age?", "16 years", "Nobody below 16 years is let in.", "Anyone up to 16 years."),
        ("What is the maximum size?", "2 GB", "up to 2 GB", "2 GB or more"),
        ("What is the maximum stay?", "14 days", "14 days at the most", "14 days or longer"),
        ("What is the minimum stay?", "2 nights", "2 nights or more", "up to 2 nights"),
        ("What is the maximum speed?", "30 km/h", "no more than 30 km/h", "at least 30 km/h"),
    ],
)
def test_a_bound_on_the_wrong_side_is_not_the_limit_that_was_asked_for(
    question: str, expected: str, right: str, wrong: str
) -> None:
    assert judge(question, expected, right).value >= 0.7
    assert judge(question, expected, wrong).value < 0.7
