from __future__ import annotations

import pytest

from proctor.reading.conflicts.conflict import Exchange, conflict


@pytest.mark.parametrize(
    ("question", "first", "then", "kind"),
    [
        ("Wie viele Urlaubstage habe ich?", "Du hast 28 Tage Urlaub.", "Es sind vierundzwanzig Tage.", "number"),
        ("Wie viele Urlaubstage habe ich?", "Du hast 28 Tage Urlaub.", "Es sind achtundzwanzig Tage.", None),
        ("Darf ich meinen Hund mitbringen?", "Ja, Hunde sind erlaubt.", "Nein, Hunde sind verboten.", "yes-no"),
        ("La cantine est-elle ouverte ?", "Non, elle est fermée.", "Oui, la cantine est fermée.", None),
        ("¿Cuándo se fundó la empresa?", "El 7 de julio de 2003.", "Se fundó el 7 de junio de 2003.", "date"),
        ("¿Cuándo se fundó la empresa?", "El 7 de julio de 2003.", "Sí, el 07/07/2003.", None),
        ("Qual é a capital da Turquia?", "É Ancara.", "A capital é Istambul.", "name"),
        ("Is de winkel op zondag open?", "Nee, hij is gesloten.", "De winkel is op zondag niet open.", None),
    ],
)
def test_replies_in_other_languages_are_held_to_each_other(
    question: str, first: str, then: str, kind: str | None
) -> None:
    found = conflict(Exchange(question, first), Exchange(question, then), topic=question)
    assert (found.kind if found else None) == kind
    if found is not None:
        assert found.quotes == (first, then), "verbatim, in their own language"
