from __future__ import annotations

import pytest

from proctor.reading.languages.detect import is_english, is_known, language, tongue


@pytest.mark.parametrize(
    ("text", "tongue"),
    [
        ("Who invented dynamite?", "en"),
        ("Wie viele Tage Urlaub haben Angestellte?", "de"),
        ("Quelle est la capitale de la France ?", "fr"),
        ("Quanti giorni di ferie hanno i dipendenti?", "it"),
        ("¿Cuántos días de vacaciones hay?", "es"),
        ("Quantos dias de férias tem um empregado?", "pt"),
        ("Hoeveel dagen vakantie hebben medewerkers?", "nl"),
        ("Сколько дней отпуска?", ""),
        ("休暇は何日ですか", ""),
        ("", "en"),
    ],
)
def test_the_language_is_told_by_small_words(text: str, tongue: str) -> None:
    assert language(text) == tongue


def test_only_what_has_english_words_is_plainly_english() -> None:
    assert is_english("What is the capital of France?")
    assert not is_english("Quelle est la capitale de la France ?")
    assert not is_english("Capital France")


@pytest.mark.parametrize(
    ("question", "spoken"),
    [
        ("Wer leitet die Abteilung?", "de"),
        ("Combien de salles y a-t-il ?", "fr"),
        ("Quanti giorni ci sono?", "it"),
        ("¿Cuándo abre?", "es"),
        ("Quando foi assinado o acordo?", "pt"),
        ("Hoeveel zalen zijn er?", "nl"),
        ("Who said ich bin ein Berliner?", ""),
        ("What is Don Quixote's horse's name?", ""),
        ("Jaka jest stolica Francji?", ""),
    ],
)
def test_the_language_of_a_question_is_told_where_its_words_are_known(question: str, spoken: str) -> None:
    assert tongue(question) == spoken


def test_what_is_expected_and_replied_tells_the_language_of_a_short_question() -> None:
    assert tongue("Posso cancelar?") == ""
    assert tongue("Posso cancelar?", "Sim", "Sim, você pode cancelar.") == "pt"


@pytest.mark.parametrize(
    "question", ["Jaka jest stolica Francji?", "日本の首都はどこですか", "Какая столица?", "Kde leží Brno?"]
)
def test_a_question_in_another_language_is_not_known(question: str) -> None:
    assert not is_known(question)


@pytest.mark.parametrize("question", ["Largest planet?", "Wie alt?", "Who won women's singles?", "O que é isto?"])
def test_what_is_short_or_in_a_known_language_is_known(question: str) -> None:
    assert is_known(question)
