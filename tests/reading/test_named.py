from __future__ import annotations

import pytest

from proctor.reading.answer import judge


def check(question: str, expected: str, right: str, wrong: str) -> None:
    assert judge(question, expected, right).value >= 0.7, right
    assert judge(question, expected, wrong).value < 0.7, wrong


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("Which models have GPS?", "Trail", "Nobody but Trail has it.", "Every model has it except for Trail."),
        ("Which line runs at night?", "Line 7", "Only Line 7 does.", "All of them do but Line 7."),
        ("Which is the longest river?", "the Orla", "The Orla, ahead of the Sene.", "The Sene, followed by the Orla."),
        (
            "What is the largest lake?",
            "Lake Mir",
            "Lake Mir, with Lake Tol second.",
            "Lake Tol, with Lake Mir a close second.",
        ),
        ("Who came first in the race?", "Ben Ode", "Ben Ode, with Kip Rono second.", "Kip Rono; Ben Ode came second."),
        (
            "Which bank do they use?",
            "Halden Bank",
            "They switched to Halden Bank.",
            "They used Halden Bank and then switched to Norbank.",
        ),
        (
            "Where is the archive today?",
            "Malmo",
            "It was in Lund until 2004, now it is in Malmo.",
            "It was in Malmo until 2004, now it is in Lund.",
        ),
        ("What is the highest peak?", "Mount Sel", "Mount Sel is.", "Mount Orr, if you ignore Mount Sel."),
        (
            "Who wrote the play?",
            "Ann Pym",
            "Long attributed to Kit Roe, it is by Ann Pym.",
            "It was attributed to Ann Pym, but it was Kit Roe's.",
        ),
        (
            "Who approves sums over 500 euros?",
            "the treasurer",
            "The treasurer signs above 500.",
            "The treasurer signs up to 500.",
        ),
        (
            "Who is the director?",
            "Hanna Vogel",
            "Peter Lang left in May, and Hanna Vogel took over.",
            "Hanna Vogel stepped down in May, and Peter Lang took over.",
        ),
        (
            "Which airport is it?",
            "Terra Norte",
            "Terra Norte rather than Terra Sul.",
            "Terra Sul rather than Terra Norte.",
        ),
        (
            "Who plays the lead?",
            "Lea Koch",
            "Lea Koch does.",
            "Lea Koch was offered it but turned it down; it went to Ines Prado.",
        ),
        ("Which metal is it?", "silver", "It looks like tin, but it's silver.", "It looks like silver, but it's tin."),
        (
            "Which doctor is on duty?",
            "Dr Pohl",
            "Dr Sahin is on holiday; Dr Pohl is standing in.",
            "Dr Pohl is on holiday; Dr Sahin is standing in.",
        ),
        (
            "What is the capital?",
            "Marum",
            "The largest city is Port Vell, but the capital is Marum.",
            "The largest city is Marum, but the capital is Port Vell.",
        ),
        (
            "Who is the mother of the twins?",
            "Rosa Lind",
            "Their mother is Rosa Lind, Ida Berg is their aunt.",
            "Rosa Lind is their aunt; their mother is Ida Berg.",
        ),
        ("Which language is it translated from?", "Danish", "From Danish into Swedish.", "From Swedish into Danish."),
        ("Which herb is it?", "thyme", "It's thyme, not marjoram.", "It's marjoram, sometimes taken for thyme."),
        ("Which app shows the map?", "Atlas", "Atlas does.", "Compass does. Atlas is for weather."),
        ("What should I drink?", "the cider", "Take the cider.", "The cider is off, so take the ale instead."),
    ],
)
def test_a_name_that_is_set_aside_is_not_the_answer(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        (
            "Who painted the ceiling?",
            "Luca Berti",
            "The ceiling is by Luca Berti.",
            "Luca Berti did the walls; the ceiling is by Paolo Neri.",
        ),
        ("Which company bought the mill?", "Noris", "Falken sold the mill to Noris.", "Noris sold the mill to Falken."),
        ("Who lent the money?", "Anna Kolb", "Anna Kolb lent it to Marie.", "Marie lent it to Anna Kolb."),
        (
            "Who wrote the libretto?",
            "Emma Hart",
            "It is by Emma Hart.",
            "Emma Hart wrote the music to a libretto by Karl Voss.",
        ),
        (
            "Who found the island?",
            "Captain Reyes",
            "The island, found by Captain Reyes, was named after Queen Ana.",
            "The island, found by Queen Ana, was named after Captain Reyes.",
        ),
        ("Who won the match?", "Lena Horn", "Lena Horn beat Ida Fuchs.", "Lena Horn was beaten by Ida Fuchs."),
        ("Who won the cup?", "Rovers", "United lost to Rovers.", "Rovers lost to United."),
        ("Which team won?", "Rovers", "Rovers knocked out United.", "United knocked out Rovers."),
        ("Who succeeded Abbot Hugo?", "Abbot Emil", "Abbot Emil succeeded him.", "He succeeded Abbot Emil."),
        ("Who taught Nadia Boll?", "Otto Frank", "She was taught by Otto Frank.", "She taught Otto Frank."),
        (
            "Who was the poem dedicated to?",
            "Clara Weil",
            "It was dedicated to Clara Weil.",
            "Clara Weil dedicated it to her son.",
        ),
        (
            "Who designed the bridge?",
            "Ivo Marek",
            "Ivo Marek designed it and Jan Pol paid for it.",
            "Ivo Marek paid for it and Jan Pol designed it.",
        ),
        (
            "Who wrote the report?",
            "Delta Group",
            "It was written by Delta Group for the ministry.",
            "It was written for Delta Group by the ministry.",
        ),
        (
            "Which city hosted the games?",
            "Porto",
            "Braga lost the vote to Porto, which hosted them.",
            "Porto lost the vote to Braga, which hosted them.",
        ),
        (
            "Who discovered the comet?",
            "Mary Lind",
            "Mary Lind discovered it, and Karl Ross named it.",
            "Mary Lind named it, and Karl Ross discovered it.",
        ),
    ],
)
def test_who_did_it_is_told_from_whom_it_was_done_to(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("Which king was it?", "Olaf III", "Olaf the Third", "Olaf II"),
        ("Which pope was it?", "Pius IX", "Pius IX", "Pius X"),
        ("Who is the author?", "Maria Stein", "M. Stein", "Mario Stein"),
        ("Who is the author?", "Paul Kern", "Kern, Paul", "Kern, Robert"),
        (
            "Who published it?",
            "the Agency for Food Safety (AFS)",
            "the Agency for Food Safety",
            "the Agency for Fire Safety",
        ),
        ("Which gate do I go to?", "Gate 12C", "It's 12C.", "12D; 12C is for arrivals."),
        ("Which form is it?", "Form B7", "Take B-7.", "Take B-8."),
        ("Who was it named after?", "Duchess Anna of Brix", "Duchess Anna of Brix", "the duke of Brix"),
        ("Who leads the unit?", "Jim Dale", "James Dale", "Peter Dale"),
        ("What gas is it?", "carbon dioxide", "CO₂", "CO"),
    ],
)
def test_a_near_name_is_another_name(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("Which tools are supported?", "Hammer and Saw", "Hammer and Saw.", "Hammer. Saw support was discontinued."),
        ("Who are the owners?", "Ina Roth and Tim Falk", "Roth & Falk", "Ina Roth alone; Tim Falk left."),
        ("Which days is it open?", "Mondays and Fridays", "on Monday and on Friday", "Monday through Friday"),
        ("Name the steps in order.", "Wash, peel, cut", "Wash, peel, cut", "Peel, wash, cut"),
        (
            "Which languages are taught?",
            "French and Latin",
            "There are two: French and Latin.",
            "French, Latin and English.",
        ),
    ],
)
def test_a_list_with_the_same_names_may_say_something_else(
    question: str, expected: str, right: str, wrong: str
) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("question", "expected", "reply"),
    [
        ("Who played the villain?", "Ada Frost", "The hero was played by Ben Carr and the villain by Ada Frost."),
        ("Where was the treaty signed?", "Trier", "It was negotiated in Metz but signed in Trier."),
        ("Who is the coach?", "Sam Ortega", "Sam Ortega, who replaced Mia Long last summer."),
        ("Who painted it?", "Jan Steen", "The portrait, long thought to be by Frans Hals, was painted by Jan Steen."),
        ("Who discovered it?", "Lena Voigt", "Although Karl Baum had predicted it, Lena Voigt discovered it."),
        ("Which company makes the chip?", "Vanta", "Vanta designs and makes the chip; Orbis only sells it."),
        ("Who wrote the novel?", "Jane Roe", "I doubt that Max Poe wrote it; it was Jane Roe."),
        ("Who sang the song?", "Ray Dunn", "The song was written by Jo Hill and sung by Irish tenor Ray Dunn."),
        ("Who married Ruth Lamm in 1990?", "Tom Ost", "Ruth Lamm married Tom Ost in 1990."),
        ("Who starred in the film?", "Eva Lund", "The film starred Eva Lund and Max Brod."),
        ("Where is the castle?", "Tyrol", "It's a ruin, high above a village in Tyrol."),
        ("Who produced the song?", "Al Green", "It was produced by Jo Hill, Al Green, and Ray Dunn."),
        ("Who led the army?", "General Voss", "The army, raised by Duke Karl, was led by General Voss."),
        ("Which city is the capital?", "Arlon", "Arlon, which is the second largest city of the region."),
        ("Who lost the final?", "Mia Brandt", "Mia Brandt was beaten by Eva Holt."),
        ("Who did Holt beat?", "Mia Brandt", "Holt beat Mia Brandt."),
        ("Who was the first mayor?", "Hans Beck", "Hans Beck, mayor until 1921; today it is Ute Kranz."),
        ("Which colour is it?", "green", "It's green, sometimes bluish."),
        ("Who killed the king?", "Lord Ashe", "The king was killed by his own cousin, Lord Ashe."),
    ],
)
def test_an_answer_beside_other_names_stands(question: str, expected: str, reply: str) -> None:
    assert judge(question, expected, reply).value >= 0.7
