"""One verdict, one sentence: what is said of two runs agrees with the numbers beside it, in every rendering."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.made_runs import Ended, made, pair
from tests.reports.comparison.test_text import printed

from proctor.findings.comparison import Compared, compare_findings
from proctor.findings.run import Findings
from proctor.reports.comparison import words
from proctor.reports.comparison.json import as_dict
from proctor.reports.comparison.markdown import render as in_markdown

_ends: st.SearchStrategy[Ended] = st.sampled_from(["pass", "pass", "fail", "fail", "lost", "crash", 0.5, 0.9])


@st.composite
def two_runs(draw: st.DrawFn) -> tuple[Findings, Findings]:
    """Of the same cases, with equal or unequal trials, some lost, alike or far apart."""
    cases, leaning = draw(st.integers(1, 30)), draw(st.sampled_from(["", "pass", "fail"]))
    sides = []
    for name in ("a", "b"):
        trials = draw(st.integers(1, 4))
        each: st.SearchStrategy[Ended] = st.just(leaning) if leaning and name == "b" and draw(st.booleans()) else _ends
        ends = [[draw(each) for _ in range(trials)] for _ in range(cases)]
        sides.append(made({f"c{number}": ended for number, ended in enumerate(ends)}, id=name))
    return sides[0], sides[1]


def agree(found: Compared) -> None:
    """The words, the verdict, the interval, P(B better) and the p-value say the same."""
    said, estimate, better = words.sentence(found), found.headline.difference, found.headline.better
    if better is None or estimate.value is None or estimate.low is None or estimate.high is None:
        assert said.startswith("Nothing can be said")
        return
    assert found.headline.p_value is not None
    holds_0 = estimate.low <= 0 <= estimate.high
    openings = ("B is better", "B is worse", "A difference is likely, but not beyond doubt", "No difference could be")
    assert [said.startswith(opening) for opening in openings].count(True) == 1
    assert (found.shown == "better") == said.startswith("B is better")
    assert (found.shown == "worse") == said.startswith("B is worse")
    if found.shown != "not shown":
        assert estimate.side == (1 if found.shown == "better" else -1)
        assert not holds_0
        assert (better if found.shown == "better" else 1 - better) >= 0.95
        assert found.headline.p_value < 0.1
    if said.startswith("A difference is likely"):
        assert not holds_0 or max(better, 1 - better) >= 0.945
        assert "probability" in said or "do not confirm it" in said or "could undo it" in said
    if said.startswith("No difference"):
        assert holds_0
        assert "probability" not in said
        assert max(better, 1 - better) < 0.945 or "did better over the trials that both runs have" in said
        assert found.headline.p_value > 0.05 or found.headline.thinned


@settings(deadline=None, max_examples=150)
@given(two_runs())
def test_the_verdict_its_words_and_its_numbers_agree(sides: tuple[Findings, Findings]) -> None:
    found = compare_findings(*sides)
    agree(found)
    said = words.sentence(found)
    assert as_dict(found)["sentence"] == said
    assert as_dict(found)["verdict"] == found.shown
    assert said in in_markdown(found)
    assert said in " ".join(printed(found).split())


@pytest.mark.parametrize(("fixed", "broken"), [(f, b) for f in range(0, 14, 2) for b in range(0, 14, 3)])
def test_they_agree_at_one_trial_whatever_was_fixed_and_broken(fixed: int, broken: int) -> None:
    agree(compare_findings(*pair(fixed, broken, 20)))


def test_trials_that_only_one_run_has_do_not_make_a_difference_sure() -> None:
    once = made({f"c{n}": ["fail"] for n in range(30)}, id="a")
    later = made({f"c{n}": ["fail"] + ["pass"] * 7 for n in range(30)}, id="b")
    assert words.sentence(compare_findings(once, later)) == (
        "A difference is likely, but not beyond doubt: B passes 87.5 points more often (72 to 93), "
        "but the trials that both runs have do not confirm it."
    )
    assert words.chance(compare_findings(once, later)) == (
        "P(B better) 0.50; exact sign-flip test p = 1; both over the trials that both runs have of each case"
    )


def test_trials_in_common_that_speak_for_the_other_run_are_in_the_sentence() -> None:
    once = made({f"c{n}": ["fail" if n < 8 else "pass"] for n in range(40)}, id="a")
    ends = [["pass", *["fail"] * 3] if n < 8 else ["pass"] * 7 + ["fail"] for n in range(40)]
    said = words.sentence(compare_findings(once, made({f"c{n}": each for n, each in enumerate(ends)}, id="b")))
    assert said.startswith("No difference could be shown: B passes 5 points less often")
    assert said.endswith(", but B did better over the trials that both runs have.")
