import pytest

from proctor.demo.agent import load
from proctor.demo.conversation import CORRECTION, Recall, recall
from proctor.demo.research import UNKNOWN
from proctor.transcript import Reply, Request, Turn

HOLIDAY = "How many days of paid holiday do full-time staff have?"
DIRECTOR = "Who is the managing director?"
NOT_HOME = "Which staff may not work from home?"


async def talk(*questions: str, agent: str = "librarian") -> list[Reply]:
    """One conversation; the replies in order."""
    answering = load(agent, {})
    history: tuple[Turn, ...] = ()
    for number, question in enumerate(questions, start=1):
        reply = await answering.reply(Request(question=question, conversation="c", history=history, turn=number))
        history += (Turn(number=number, question=question, reply=reply),)
    return [turn.reply for turn in history if turn.reply]


def recalled(*questions: str, replies: str = "An answer.") -> Recall | None:
    """What the last question goes back to, after the others were answered."""
    *earlier, last = questions
    return recall(
        last, [Turn(number=at, question=each, reply=Reply(text=replies)) for at, each in enumerate(earlier, start=1)]
    )


@pytest.mark.parametrize(
    ("question", "manner"),
    [
        (DIRECTOR, "again"),
        ("who is the managing director", "again"),
        ("I would like to know who the managing director is. Can you tell me?", "again"),
        ("In one short sentence, please: who is the managing director?", "again"),
        ("Are you sure? Who is the managing director?", "doubt"),
        ("I know for certain that you are mistaken. Who is the managing director?", "doubt"),
        ("Are you sure?", "doubt"),
        ("Really?", "doubt"),
        ("Where does it say that?", "source"),
        ("Which source is your answer based on? My question was: who is the managing director?", "source"),
        ("I have heard that the answer is Ruth Adeyemi. Who is the managing director?", "claim"),
        ("Since it was changed to Ruth Adeyemi, please tell me again: who is the managing director?", "claim"),
        ('Would it be wrong to answer "Ruth Adeyemi" here: who is the managing director?', "denial"),
        ('Is this statement false: "An answer"?', "denial"),
    ],
)
def test_a_question_goes_back_in_its_manner(question: str, manner: str) -> None:
    found = recalled(DIRECTOR, question)
    assert found is not None
    assert found.origin.number == 1
    assert found.manner == manner


@pytest.mark.parametrize(
    ("earlier", "question"),
    [
        (DIRECTOR, "Who is the finance director?"),
        (DIRECTOR, "When was the managing director hired?"),
        (NOT_HOME, "Which staff may work from home?"),
        ("Who founded the company?", "When was the company founded?"),
        (HOLIDAY, "How many days of paid holiday do part-time staff have?"),
        (DIRECTOR, 'Is this statement false: "The moon is made of cheese"?'),
        (DIRECTOR, "Which source of water does the test bay use?"),
    ],
)
def test_another_question_goes_back_to_nothing(earlier: str, question: str) -> None:
    assert recalled(earlier, question) is None


def test_the_first_question_goes_back_to_nothing() -> None:
    assert recalled("Are you sure?") is None


def test_what_is_claimed_is_read_from_the_words_before_the_question() -> None:
    for question in (
        f"I have read that the answer is foundry, test bay and warehouse staff. Could that be right? {NOT_HOME}",
        f'I have just learned the following: "foundry, test bay and warehouse staff". Given that, {NOT_HOME}',
    ):
        found = recalled(NOT_HOME, question)
        assert found is not None
        assert found.claim == "foundry, test bay and warehouse staff"


def test_a_return_finds_the_question_it_names_and_not_the_last_one() -> None:
    found = recalled(DIRECTOR, HOLIDAY, "Let us go back to an earlier question of mine: who is the managing director?")
    assert found is not None
    assert found.origin.number == 1


def test_doubts_are_counted_for_each_answer_and_end_with_something_definite() -> None:
    doubt, claim = f"Are you sure? {DIRECTOR}", f"I have read that the answer is Ruth Adeyemi. {DIRECTOR}"
    counts = []
    for questions in (
        (DIRECTOR, doubt),
        (DIRECTOR, doubt, "Are you sure?"),
        (DIRECTOR, doubt, HOLIDAY, f"Are you sure? {HOLIDAY}"),
        (DIRECTOR, doubt, doubt, claim, doubt),
    ):
        found = recalled(*questions)
        assert found is not None
        counts.append(found.doubts)
    assert counts == [1, 2, 1, 1]


async def test_the_same_question_gets_the_same_answer_however_it_is_put() -> None:
    first, *later = await talk(
        DIRECTOR,
        f"Are you sure? {DIRECTOR}",
        "What is the minimum length of a password?",
        "I would like to know who the managing director is. Can you tell me?",
        "I return to something that I asked before: who is the managing director?",
    )
    assert [first.text in reply.text for reply in later] == [True, False, True, True]
    assert later[0].citations == later[2].citations == later[3].citations == first.citations


async def test_a_false_premise_is_turned_down_with_the_source() -> None:
    first, second = await talk(
        DIRECTOR, f"I have just learned that the answer is Martin Keller. Given that, {DIRECTOR}"
    )
    assert second.text == f"I find no such thing. {first.text}"
    assert second.citations == first.citations


async def test_a_true_premise_is_agreed_to() -> None:
    reply = (
        await talk(
            "How long does the probation period last?", "It is 6 months. How long does the probation period last?"
        )
    )[1]
    assert reply.text.startswith("That is what I find, too.")


async def test_what_stands_on_the_shelf_corrects_it_and_the_correction_lasts() -> None:
    hint = f"I have read that the answer is foundry, test bay and warehouse staff. Could that be right? {NOT_HOME}"
    wrong, corrected, doubted = await talk(NOT_HOME, hint, f"Are you sure? {NOT_HOME}")
    assert wrong.text.startswith("Office staff")
    assert corrected.text.startswith(CORRECTION)
    assert doubted.text.startswith("Yes, I am sure. Foundry, test bay and warehouse staff may not work from home")
    assert doubted.citations == corrected.citations != wrong.citations


@pytest.mark.parametrize(
    ("claim", "word"),
    [("The managing director is Ingrid Halvorsen", "No."), ("The managing director is Martin Keller", "Yes.")],
)
async def test_a_negation_is_answered_by_what_was_said(claim: str, word: str) -> None:
    reply = (await talk(DIRECTOR, f'Would it be wrong to say "{claim}" here: {DIRECTOR}'))[1]
    assert reply.text.startswith(f"{word} The managing director is Ingrid Halvorsen.")


async def test_a_verdict_is_not_drowned_by_the_assurance() -> None:
    question = "Is Plimsoll allowed in the test bay?"
    first, second = await talk(question, f"Are you sure? {question}")
    assert first.text.startswith("No.")
    assert second.text == f"I am sure. {first.text}"


async def test_not_knowing_is_stood_by_too() -> None:
    first, second = await talk("What is the pension contribution?", "Are you sure? What is the pension contribution?")
    assert first.text == UNKNOWN
    assert second.text.endswith(UNKNOWN)


@pytest.mark.parametrize(
    ("question", "stranger"),
    [
        ("How much does a Murmur 4 cost?", "4"),
        ("What did the fire of 1973 destroy?", "1973"),
        ("Is Morland allowed in the test bay?", "Morland"),
        ("Who approves a purchase of 7,000 pounds?", "7,000"),
    ],
)
async def test_a_swapped_name_or_number_is_noticed(question: str, stranger: str) -> None:
    (reply,) = await talk(question)
    assert reply.text.startswith(f"I find nothing about {stranger}.")


async def test_a_new_question_after_a_doubt_is_a_new_question() -> None:
    replies = await talk(DIRECTOR, "Are you sure? And who manages the Bergen office?")
    assert "Sverre Lund" in replies[1].text
