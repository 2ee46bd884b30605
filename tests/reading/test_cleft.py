from __future__ import annotations

import pytest

from proctor.reading.cleft import identifies, singled_out
from proctor.reading.question import understand


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Did Mozart write Fidelio?", "it was beethoven who wrote fidelio.", False),
        ("Did Beethoven write Fidelio?", "it was beethoven who wrote fidelio.", True),
        ("Did Mozart write Fidelio?", "it was not mozart who wrote fidelio.", False),
        ("Was the prize for relativity?", "it was relativity and not optics that earned the prize.", True),
        ("Did Mozart write Fidelio?", "it is clear that he wrote fidelio.", None),
        ("Did Mozart write Fidelio?", "it was beethoven.", None),
        ("Did Mozart write Fidelio?", "it was beethoven who lived in bonn.", None),
    ],
)
def test_who_is_singled_out_is_the_one(question: str, reply: str, yes: bool | None) -> None:
    assert singled_out(reply, understand(question)) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is Perth the capital?", "That would be Canberra.", False),
        ("Is Canberra the capital?", "Many say Perth, but it's Canberra.", True),
        ("Did Mozart write Fidelio?", "That was Beethoven.", False),
        ("Is the deadline Friday?", "It's Thursday.", False),
        ("Is the deadline Friday?", "It's strict.", None),
        ("Is the deadline Friday?", "It's Thursday afternoon in Sydney that counts.", None),
    ],
)
def test_another_name_is_a_no(question: str, reply: str, yes: bool | None) -> None:
    assert identifies(reply, understand(question)) is yes
