from __future__ import annotations

import pytest

from proctor.reading.answer import judge
from proctor.reading.languages import dutch, french, german, italian, portuguese, spanish
from proctor.reading.languages.detect import Language
from proctor.reading.languages.gloss import gloss


@pytest.mark.parametrize(
    ("tongue", "text", "told"),
    [
        ("de", "Es sind fünfundzwanzig Tage.", "it are 25 days."),
        ("fr", "Il y a quatre-vingt-onze salles.", "there is 91 salles."),
        ("fr", "Il y a dix-huit salles et soixante-dix-neuf bancs.", "there is 18 salles and 79 bancs."),
        ("it", "Ci lavorano ventotto persone.", "there lavorano 28 persone."),
        ("es", "Tiene treinta y dos plantas.", "have 32 plantas."),
        ("pt", "São vinte e três dias.", "are 23 days."),
        ("nl", "Er zijn tweeëntwintig zalen.", "there are 22 zalen."),
    ],
)
def test_numbers_in_words_become_figures(tongue: Language, text: str, told: str) -> None:
    assert gloss(text, tongue) == told


@pytest.mark.parametrize("table", [german, french, italian, spanish, portuguese, dutch])
def test_every_number_below_a_thousand_has_a_word(table: object) -> None:
    known = {value for _, value in table.numbers()}  # type: ignore[attr-defined]
    assert known.issuperset(set(range(1000)) - {1})


@pytest.mark.parametrize(
    ("tongue", "text", "told"),
    [
        ("de", "1.234,5 kg", "1234.5 kg"),
        ("de", "am 3. März 1998", "at 3 march 1998"),
        ("de", "bis 15.12. einreichen", "until 15 december einreichen"),
        ("de", "um 14.30 Uhr", "um 14:30"),
        ("de", "um halb drei", "um 2:30"),
        ("nl", "om half elf", "om 10:30"),
        ("nl", "op 14-03-2007", "on 14.03.2007"),
        ("fr", "le 1er août à 9 h", "the 1th august at 9:00"),
        ("it", "due ore e mezza", "2.5 hours"),
        ("es", "el 7 de julio de 2003", "the 7 of july of 2003"),
        ("pt", "R$ 35,90", "35.90 reais"),
    ],
)
def test_figures_dates_and_times_are_written_as_in_english(tongue: Language, text: str, told: str) -> None:
    assert gloss(text, tongue) == told


def test_the_no_that_answers_is_told_from_the_one_that_denies() -> None:
    assert gloss("No, no es obligatorio.", "es") == "no, not is mandatory."
    assert gloss("Não, não é preciso.", "pt") == "no, not necessary."


def test_a_capital_letter_is_no_name_in_german() -> None:
    assert gloss("Der Rabatt gilt nicht.", "de") == "the rabatt gilt not."
    assert gloss("La remise de Paul", "fr") == "the remise of Paul"


def test_addresses_and_english_stay_as_they_are() -> None:
    assert gloss("siehe www/die/der", "de") == "siehe www/die/der"
    assert gloss("The shop is closed on Sundays.", "de") == "The shop is closed on Sundays."


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("Wie lange ist der Laden geöffnet?", "bis 18 Uhr", "Der Laden ist bis 18:00 Uhr offen.", "Bis 20 Uhr."),
        ("La piscine est-elle ouverte ?", "Non", "Elle n'est pas ouverte.", "Oui, elle est ouverte."),
        ("Quanto costa il corso?", "1.200 €", "Il corso costa 1200 euro.", "Il corso costa 1,2 euro."),
        ("¿Es obligatorio el casco?", "Sí", "El casco es obligatorio.", "El casco no es obligatorio."),
        ("Quantos alunos há na turma?", "dezoito", "Há 18 alunos.", "Há oito alunos."),
        ("Hoeveel kost de cursus?", "€ 12,50", "De cursus kost 12,50 euro.", "De cursus kost 125 euro."),
    ],
)
def test_replies_are_judged_in_the_language_of_the_question(
    question: str, expected: str, right: str, wrong: str
) -> None:
    assert judge(question, expected, right).right
    assert judge(question, expected, wrong).right is False


def test_the_reason_says_in_which_language_a_reply_was_read() -> None:
    assert judge("Wie heißt der Chef?", "Vogel", "Das ist Vogel.").reason.endswith("(read as German)")
    polish = judge("Jaka jest stolica Francji?", "Paryż", "To jest Paryż.")
    assert polish.right
    assert "in a language that is not known" in polish.reason
    assert judge("Who is the boss?", "Vogel", "It is Vogel.").reason.endswith("found 'Vogel'")
