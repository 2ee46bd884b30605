"""What is fixed to the letter: signs, letters, order, days; and what holds the expected value without giving it."""

from __future__ import annotations

import time

import pytest

from proctor.reading.answer import judge


def check(question: str, expected: str, right: str, wrong: str) -> None:
    assert judge(question, expected, right).value >= 0.7, right
    assert judge(question, expected, wrong).value < 0.7, wrong


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("Which language is it?", "C#", "It is c#.", "C++"),
        ("Which language is it?", "C#", "C Sharp", "C"),
        ("Which language is it?", "C", "It is written in C.", "It is C++."),
        ("Which language is it?", "C++", "It is written in C++, not C.", "It is written in C."),
        ("Which blood type?", "O-", "O negative", "O+"),
        ("Which blood type?", "AB negative", "AB-", "AB+"),
        ("Which grade?", "A-", "She got an A-.", "She got an A+."),
        ("Which rating?", "AA+", "The rating is AA+.", "AA"),
    ],
)
def test_a_sign_after_a_letter_is_a_part_of_it(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("Who won?", "Team A", "The winner is team A.", "Team B"),
        ("Who won?", "Team A", "A", "B won."),
        ("Which terminal is it?", "Terminal A", "Terminal A, a short walk away", "It's terminal C."),
        ("Which options are right?", "(a) and (c)", "(a) and (c)", "(a) and (b)"),
        ("Which options are right?", "(a) and (c)", "A and C", "(a), (b) and (c)"),
        ("Which options are right?", "B, D", "B and D are right, A is not.", "B and C"),
        ("Which model?", "GPT-4", "It is GPT-4.", "GPT-4o"),
    ],
)
def test_a_single_letter_tells_one_from_another(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("What ratio do I mix?", "1:3", "1 to 3", "3:1"),
        ("What is the score?", "3-1", "It ended 3:1.", "1-3"),
        ("What are the hours?", "9 am to 5 pm", "From 9:00 until 17:00.", "5 pm to 9 am"),
        ("What are the hours?", "9 am to 5 pm", "It closes at 5 pm and opens at 9 am.", "5 pm - 9 am"),
        ("What direction?", "from Paris to London", "It goes from Paris to London.", "from London to Paris"),
        ("Which flight?", "London to New York", "London → New York", "New York to London"),
        ("Who beat whom?", "Spain beat Italy", "Italy was beaten by Spain.", "Italy beat Spain"),
        ("Who bought whom?", "Adobe acquired Figma", "Figma was acquired by Adobe.", "Figma acquired Adobe."),
        ("Who reports to Alice?", "Bob", "Bob reports to Alice.", "Alice reports to Bob."),
        ("Which is cheaper, A100 or H100?", "A100", "The A100 is cheaper.", "The H100 is cheaper than the A100."),
    ],
)
def test_which_comes_first_matters(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("expected", "right", "wrong"),
    [
        ("Friday 5 pm", "By 17:00 on Friday.", "Monday 5 pm"),
        ("Monday 08:15", "Mon 8:15", "Sunday 08:15"),
        ("next Monday at noon", "Next Monday at 12:00.", "next Friday at noon"),
    ],
)
def test_a_time_on_another_day_is_wrong_and_the_reason_says_so(expected: str, right: str, wrong: str) -> None:
    check("When is the meeting?", expected, right, wrong)
    found = judge("When is the meeting?", expected, wrong)
    assert found.refuted
    assert "day, found" in found.reason


def test_a_time_without_its_day_is_unsure() -> None:
    found = judge("When is the call?", "Friday 5 pm", "5 pm")
    assert found.right is None
    assert "missing Friday" in found.reason
    assert judge("When is the call on Friday?", "Friday 5 pm", "5 pm").right


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("How many minutes are three hours?", "180", "Three hours are 180 minutes.", "Three hours are 190 minutes."),
        ("How many minutes are three hours?", "180", "180", "Three hours."),
        ("How many days are two weeks?", "14 days", "Two weeks have 14 days.", "Two weeks have 12 days."),
        ("Convert 5 km to metres.", "5000 m", "5 km = 5,000 m", "5 km = 500 m"),
        ("What is 100 °C in Fahrenheit?", "212 °F", "100 °C is 212 °F.", "100 °C is 200 °F."),
        ("How long is a 90-minute film in hours?", "1.5 hours", "It takes 1.5 hours.", "A 90-minute film is 2 hours."),
    ],
)
def test_an_amount_of_the_question_is_not_the_answer(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("expected", "reply"),
    [
        ("42", "It could be 40, 41, 42, 43 or 44."),
        ("42", "41. 42. 43."),
        ("42", "41? 42? 43?"),
        ("42", "41 or 42"),
        ("42", " ".join(map(str, range(1, 101)))),
        ("$30", "$20, $30 or $40"),
        ("1998", "1997, 1998 or 1999"),
        ("Paris", "Possible answers: London, Paris, Berlin"),
    ],
)
def test_a_guess_among_several_does_not_pass(expected: str, reply: str) -> None:
    assert judge("What is it?", expected, reply).value < 0.7


def test_other_values_beside_the_answer_are_no_guess() -> None:
    assert judge("How many chairs are there?", "80", "80: 50 in front and 30 in the back.").right
    assert judge("Which years?", "1990, 1994 and 1998", "1990, 1994, 1998").right
    assert judge("What's the bill with a tip?", "$69", "Sixty plus nine makes sixty-nine dollars.").right


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("When does it close?", "15 March", "It opens on 1 March and closes on 15 March.", "It opens on 15 March."),
        ("When does the pool open?", "7 am", "It opens at 7 am.", "It closes at 7 am and opens at 9 am."),
        ("How late are you open?", "10 pm", "We close at 10 pm.", "We close at 11 pm."),
        ("When does it start?", "3 July", "It runs from 3 July to 9 July.", "It runs from 1 July to 3 July."),
        ("How much do adults pay?", "£12", "Adults £12, children £6.", "Adults pay £20 and children £12."),
        ("What is the timeout?", "10 s", "By default it is 10 s.", "By default it is 5 s, but you can set it to 10 s."),
        (
            "Which port is used?",
            "80",
            "Port 80; set PORT=90 to change it.",
            "By default port 90; set PORT=80 for another.",
        ),
        ("How much does it cost?", "$20", "It costs $20.", "It costs $20 more than the basic plan."),
        ("How much does it cost?", "$20", "$20 (was $25)", "$25 (was $20)"),
        ("How many seats are there?", "100", "100 seats.", "100 seats were planned, but 80 were built."),
    ],
)
def test_a_value_that_is_said_of_something_else(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        (
            "Who wrote Hamlet?",
            "Shakespeare",
            "Shakespeare wrote it; Marlowe wrote Faustus.",
            "Marlowe wrote it; Shakespeare wrote Macbeth.",
        ),
        (
            "What is the capital of Brazil?",
            "Brasília",
            "Brasília, though many think it is Rio.",
            "Rio. Some people think it is Brasília.",
        ),
        ("Which bank do they use?", "ING", "ING (they left Rabobank)", "Rabobank (they left ING in 2020)"),
        (
            "Where did they eat?",
            "Luigi's",
            "They had booked Mario's but ended up at Luigi's.",
            "They had booked Luigi's but ended up at Mario's.",
        ),
        (
            "Who do I contact?",
            "Lena Berg",
            "Tom Hahn left; contact Lena Berg now.",
            "Lena Berg left; contact Tom Hahn now.",
        ),
        ("How is the weather on Monday?", "sunny", "Sunny; cloudy on Tuesday.", "Cloudy; sunny on Tuesday."),
        (
            "What is the capital of France?",
            "Paris",
            "Paris is the capital, and Lyon is smaller.",
            "Lyon is the capital, and Paris is the largest city.",
        ),
    ],
)
def test_a_name_that_is_said_of_something_else(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("At what temperature?", "2 to 8 °C", "Between 2°C and 8°C.", "Between 12°C and 18°C."),
        ("Which version?", "2.4.1", "It was fixed in v2.4.1.", "It was fixed in v2.4.2."),
        ("Which error code?", "ENOENT", "ENOENT (no such file or directory).", "ENOENT or EACCES"),
        ("What is the number?", "+49 30 123456", "Call 030 123456.", "Call 030 123465."),
        ("What is the number?", "030 123456", "+49 30 123456", "+49 30 123465"),
        ("Who do I contact?", "Anna Schmidt", "Please contact Ms. Schmidt in HR.", "Please contact Ms. Braun in HR."),
        ("Which language is it?", "Go", "It's written in Golang.", "It's written in Rust."),
        ("How many errors are there?", "0", "None.", "Three."),
        ("How many errors are there?", "0", "There were no errors.", "There were no fewer than 3."),
        ("How many are left?", "none", "zero", "one"),
        ("What is x?", "2^10", "1024", "1000"),
        ("What is x?", "0.001", "1e-3", "1e-4"),
        ("How long is it?", "90 minutes", "1h30", "1h45"),
        ("What is the price range?", "$10-$20", "between $10 and $20", "$30-$40"),
    ],
)
def test_the_same_value_in_other_signs(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    "reply",
    [
        "Par\ufffdis",
        "Error: tool 'search' failed for query Paris",
        "ToolError: timeout while looking up Paris",
        "Traceback (most recent call last): KeyError: 'Paris'",
        '{"error": "Paris not found"}',
        "The search for Paris failed.",
    ],
)
def test_an_error_message_or_a_garbled_word_is_no_answer(reply: str) -> None:
    found = judge("What is the capital of France?", "Paris", reply)
    assert found.value < 0.4
    assert "garbled" in found.reason


def test_an_answer_beside_an_error_counts_and_so_does_an_error_that_was_asked_for() -> None:
    assert judge("What is the capital of France?", "Paris", "Error: search failed. From memory, it is Paris.").right
    assert judge("What is the capital of France?", "Paris", "It is Paris.\ufffd").right
    assert judge("Which error does it print?", "Error: disk full", "It prints Error: disk full").right


def test_the_reason_quotes_whole_amounts() -> None:
    assert "$10-$," not in judge("What is the price?", "$10-$20", "10").reason


@pytest.mark.parametrize(
    ("expected", "flood"),
    [
        ("C#", "C+"),
        ("Team A", "Team "),
        ("1:3", "1:"),
        ("London to Rome", "Rome to "),
        ("Rome beat Bari", "Rome beat "),
        ("Friday 5 pm", "Mon "),
        ("42", "1 or "),
        ("0.001", "2^"),
        ("Paris", "error "),
        ("+49 30 123456", "+1 ("),
    ],
)
def test_a_reply_of_100_kilobytes_costs_little(expected: str, flood: str) -> None:
    reply = flood * (100_000 // len(flood))
    started = time.process_time()
    judge("When does the pool open?", expected, reply)
    assert time.process_time() - started < 3.0  # a quadratic rule would take minutes
