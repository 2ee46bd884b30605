from __future__ import annotations

import pytest

from proctor.reading.answer import judge

TABLE = "| Feature | Basic | Plus |\n|---|---|---|\n| Calls | ✅ | ✅ |\n| Chat | ❌ | ✅ |"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Does the Basic plan include chat?", TABLE, "No"),
        ("Does the Plus plan include chat?", TABLE, "Yes"),
        ("Does the Basic plan include calls?", TABLE, "Yes"),
        ("Is there an app for Linux?", "- Windows: ✔️\n- Linux: ✖️", "No"),
        ("Is there an app for Windows?", "- Windows: ✔️\n- Linux: ✖️", "Yes"),
        ("Are pets allowed?", "Pets: ✅", "Yes"),
        ("Are pets allowed?", '{"pets": false, "smoking": true}', "No"),
        ("Are pets allowed?", "Smoking: no\nPets: yes", "Yes"),
    ],
)
def test_the_cell_that_was_asked_about_is_read(question: str, reply: str, answer: str) -> None:
    other = "No" if answer == "Yes" else "Yes"
    assert judge(question, answer, reply).right
    assert not judge(question, other, reply).right


def test_a_tick_in_mid_sentence_is_no_answer() -> None:
    assert not judge("Is the rule complete?", "Yes", "Test it: 2024 ✓. 1900 fails. So it is incomplete.").right
