"""proctor judges: which judge agrees with people, what it costs, and nothing paid twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.lab import Lab, set_up

from proctor.workflows.change import delete_run
from proctor.workflows.human_labels import draw, put_label
from proctor.workflows.judges import read_judges

STRICT = """
from proctor import Part, Review


def review(case, turns):
    return Review(parts=(Part(name="correctness", value=0.0),))


def silent(case, turns):
    return Review(unscored="it said nothing that can be read")
"""


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A run of twelve cases, three of them wrong, judged by exact match."""
    made = set_up(tmp_path, capsys, monkeypatch, cases=12)
    made.run("old", wrong={0, 1, 2})
    return made


def label(lab: Lab, says: Callable[[bool], bool] = bool, *, count: int = 12) -> None:
    """People say of so many attempts what `says` makes of the judge's verdict."""
    store = str(lab.folder / "store.db")
    for each in draw("old", store=store, count=count):
        put_label(each.attempt.key, passed=says(bool(each.attempt.passed)), who="ann", store=store)


def of(said: dict[str, object], name: str) -> dict[str, object]:
    judges = said["judges"]
    assert isinstance(judges, list)
    [found] = [judge for judge in judges if judge["judge"] == name]
    return dict(found)


def test_the_runs_own_judge_and_the_embedded_one_are_always_in_the_table(lab: Lab) -> None:
    label(lab)
    said = lab("judges", "old", "--json").json
    assert said["labels"] == 12
    assert [(judge["judge"], judge["own"]) for judge in said["judges"]] == [("exact", True), ("embedded", False)]
    own = of(said, "exact")
    assert (own["judged"], own["pending"], own["unscored"], own["cost_per_verdict"]) == (12, 0, {}, 0.0)
    assert own["agreement"]["value"] == own["kappa"]["value"] == 1.0  # type: ignore[index]
    assert own["sensitivity"]["n"] == 9  # type: ignore[index]
    assert own["specificity"]["low"] < 1 == own["specificity"]["value"]  # type: ignore[index]
    assert own["seconds_per_verdict"] is None
    assert isinstance(of(said, "embedded")["seconds_per_verdict"], float)


def test_a_judge_that_is_paid_judges_the_labelled_attempts_once(lab: Lab) -> None:
    label(lab, count=8)
    said = lab("judges", "old", "--reviewer", lab.reviewer(), "--json").json
    found = of(said, lab.reviewer())
    assert (found["judged"], found["cost_per_verdict"]) == (8, 0.5)
    assert lab.lines("judged") == 8
    assert of(lab("judges", "old", "--reviewer", lab.reviewer(), "--json").json, lab.reviewer()) == found
    assert lab.lines("judged") == 8
    label(lab)
    lab("judges", "old", "--reviewer", lab.reviewer())
    assert lab.lines("judged") == 12
    assert lab("show", "old", "--json").json["usage"]["cost"] == pytest.approx(0.12)  # the run stays as it was


def test_what_is_stored_can_be_read_without_asking_anybody(lab: Lab) -> None:
    label(lab)
    said = lab("judges", "old", "--reviewer", lab.reviewer(), "--json").json
    judged = lab.lines("judged")
    found = read_judges("old", store=str(lab.folder / "store.db"))
    assert lab.lines("judged") == judged
    assert {judge.name: judge.quality.agreement.value for judge in found.judges} == {
        judge["judge"]: judge["agreement"]["value"] for judge in said["judges"]
    }


def test_a_name_of_proctor_toml_is_a_judge_too(lab: Lab) -> None:
    label(lab)
    module = f"strict_{lab.unique}"
    (lab.folder / f"{module}.py").write_text(STRICT)
    (lab.folder / "proctor.toml").write_text(f'[reviewers.strict]\nspec = "python:{module}:review"\n')
    said = lab("judges", "old", "--reviewer", "strict", "--json").json
    strict = of(said, "strict")
    assert strict["sensitivity"]["value"] == 0.0  # type: ignore[index]
    assert strict["specificity"]["value"] == 1.0  # type: ignore[index]
    assert strict["cost_per_verdict"] is None
    [against_own] = [each for each in said["differences"] if (each["a"], each["b"]) == ("exact", "strict")]
    assert against_own["difference"]["value"] == pytest.approx(-0.75)
    text = lab("judges", "old", "--reviewer", "strict").out
    assert "exact agrees better with people than strict, by 75 points" in " ".join(text.split())
    markdown = lab("judges", "old", "--reviewer", "strict", "--format", "markdown").out
    assert "| strict | 25 % (9 – 53) | 0 % (0 – 30) | 100 % (44 – 100) |" in markdown


def test_what_a_judge_cannot_say_is_unscored_with_its_reason(lab: Lab) -> None:
    label(lab)
    module = f"strict_{lab.unique}"
    (lab.folder / f"{module}.py").write_text(STRICT)
    said = lab("judges", "old", "--reviewer", f"python:{module}:silent", "--json")
    found = of(said.json, f"python:{module}:silent")
    assert (said.code, found["judged"]) == (0, 0)
    assert found["unscored"] == {"it said nothing that can be read": 12}
    assert found["agreement"]["value"] is None  # type: ignore[index]


def test_a_judge_that_is_away_leaves_its_place_open_and_is_asked_again(lab: Lab) -> None:
    label(lab)
    (lab.folder / "judge-offline").touch()
    away = lab("judges", "old", "--reviewer", lab.reviewer(), "--retries", "0", "--json")
    assert away.code == 4
    last = away.err.splitlines()[-1]
    assert last.startswith("Error: ")
    assert "failed on 12 attempts: " in last
    assert "the judge is away" in last
    found = of(away.json, lab.reviewer())
    assert found["pending"] == 12
    [(reason, times)] = found["failures"].items()  # type: ignore[attr-defined]
    assert ("the judge is away" in reason, times) == (True, 12)
    again = lab("judges", "old", "--reviewer", lab.reviewer(), "--retries", "0")
    assert "failed on 12 attempts" in " ".join(again.out.split())
    (lab.folder / "judge-offline").unlink()
    back = lab("judges", "old", "--reviewer", lab.reviewer(), "--json")
    assert (back.code, of(back.json, lab.reviewer())["judged"]) == (0, 12)


def test_a_cascade_asks_the_second_judge_only_where_the_first_is_unsure(lab: Lab) -> None:
    label(lab)
    name = f"embedded,{lab.reviewer()}"
    found = of(lab("judges", "old", "--reviewer", name, "--json").json, name)
    assert found["judged"] == 12
    assert lab.lines("judged") < 12


def test_without_labels_it_says_how_to_make_some(lab: Lab) -> None:
    said = lab("judges", "old")
    assert said.code == 2
    assert "nobody has labelled run" in said.err
    assert "proctor label" in said.err


@pytest.mark.parametrize(("reviewer", "told"), [("nobody-knows", "nobody-knows"), ("none", "name a reviewer")])
def test_a_judge_that_is_none_is_refused_before_anything_is_judged(lab: Lab, reviewer: str, told: str) -> None:
    label(lab)
    said = lab("judges", "old", "--reviewer", lab.reviewer(), "--reviewer", reviewer)
    assert said.code == 2
    assert told in said.err
    assert lab.lines("judged") == 0


def test_what_was_said_beside_a_run_goes_with_it(lab: Lab) -> None:
    label(lab)
    run = lab("judges", "old", "--json").json["run"]
    delete_run(run, store=str(lab.folder / "store.db"))
    assert lab("judges", "old").code == 2
