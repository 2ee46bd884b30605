from __future__ import annotations

import pytest

from proctor.reading.cleft import singled_out
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
