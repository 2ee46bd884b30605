"""`run` with several agents: a run each, one budget, one report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import proctor
from proctor.cli import main
from proctor.errors import UsageError
from proctor.workflows.read import find_run

Run = Callable[..., "Said"]
STORE = ".proctor/proctor.db"
AGENTS = """
import proctor

def good(question):
    return question.split()[-1]

def bad(question):
    return "no idea"

def half(question):
    return question.split()[-1] if int(question.split()[-1]) % 2 else "no idea"

def dear(question):
    return proctor.Reply(text=question.split()[-1], usage=proctor.Usage(input_tokens=10, calls=1))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "several.py").write_text(AGENTS)
    (tmp_path / "q.csv").write_text("\n".join(f'"What is {number}";"{number}"' for number in range(40)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@dataclass
class Said:
    code: int
    out: str
    err: str


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    def invoke(*arguments: str, command: tuple[str, ...] = ("run", "q.csv", "--reviewer", "exact")) -> Said:
        code = main([*command, *arguments])
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return invoke


def by(*names: str) -> list[str]:
    return [word for name in names for word in ("--agent", f"python:several:{name}")]


def test_each_agent_gets_a_run_and_one_report_compares_them(run: Run) -> None:
    result = run(*by("good", "half", "bad"), "--gate", "pass_rate>=0.8", "--name", "trial")
    assert result.code == 1, result.out + result.err
    assert "A (python:several:good) is the best of 3" in result.out
    assert "not met  pass_rate>=0.8 (python:several:bad)" in result.out
    listed = json.loads(run("--json", command=("list",)).out)
    assert [each["name"] for each in listed] == [f"trial, python:several:{name}" for name in ("bad", "half", "good")]


def test_two_agents_are_compared_as_two_runs_are(run: Run) -> None:
    result = run(*by("half", "good"))
    assert result.code == 0
    assert "B (python:several:good) is better by 50 points" in result.out


@pytest.mark.parametrize("names", [("half", "good"), ("half", "good", "bad")])
def test_json_has_each_run_as_alone_and_the_comparison(run: Run, names: tuple[str, ...]) -> None:
    told = json.loads(run(*by(*names), "--json").out)
    assert [each["agent"] for each in told["runs"]] == [f"python:several:{name}" for name in names]
    alone = json.loads(run(*(each["run"] for each in told["runs"]), "--json", command=("compare",)).out)
    assert told["comparison"] == alone


def test_the_exit_code_is_the_one_that_matters_most(run: Run) -> None:
    assert run(*by("good", "half"), "--gate", "pass_rate>=0.5").code == 3
    assert run(*by("good", "bad"), "--gate", "pass_rate>=0.5").code == 1


def test_one_budget_holds_for_all(run: Run) -> None:
    result = run(*by("dear", "good"), "--max-tokens", "100", "--json", "--concurrency", "1")
    told = json.loads(result.out)
    assert result.code == 4
    assert sum(each["usage"]["input_tokens"] for each in told["runs"]) <= 110


def test_a_dry_run_tells_of_each(run: Run) -> None:
    assert run(*by("good", "bad"), "--dry-run").out.count("Nothing was called.") == 2
    assert len(json.loads(run(*by("good", "bad"), "--dry-run", "--json").out)) == 2


def test_the_same_agent_twice_is_refused(run: Run) -> None:
    result = run(*by("good", "good"))
    assert result.code == 2
    assert "is given twice" in result.out + result.err


def test_the_configuration_names_several_agents_as_the_options_do(run: Run, folder: Path) -> None:
    (folder / "proctor.toml").write_text('[run]\nagent = ["python:several:good", "python:several:bad"]\n')
    told = json.loads(run("--json", "--name", "both").out)
    assert [each["name"] for each in told["runs"]] == ["both, python:several:good", "both, python:several:bad"]
    assert json.loads(run("--json", "--agent", "python:several:half").out)["agent"] == "python:several:half"


def test_annotations_are_written_for_each(run: Run) -> None:
    said = run(*by("good", "bad"), "--annotations", "--gate", "pass_rate<=0.9")
    assert "gate not met" in said.err
    assert "replied: no idea" in said.err


def test_a_later_agent_that_cannot_be_built_is_found_before_the_first_is_asked(run: Run) -> None:
    assert run(*by("good", "missing")).code == 2
    assert json.loads(run("--json", command=("list",)).out or "[]") == []


def test_python_returns_a_list(tmp_path: Path) -> None:
    found = proctor.evaluate(
        [("one?", "yes")], agents=[lambda question: "yes", lambda question: "no"], reviewer="exact",
        store=tmp_path / "s.db", name="both",
    )  # fmt: skip
    assert [each.findings.pass_rate.value for each in found] == [1, 0]
    assert all(each.run.name.startswith("both, ") for each in found)
    with pytest.raises(UsageError, match="empty"):
        proctor.evaluate([("one?", "yes")], agents=[])
    for given, wrong in (("python:agent:p98", "expected a list"), (["echo", "echo"], "twice"), ([len, len], "twice")):
        with pytest.raises(UsageError, match=wrong):
            proctor.evaluate([("one?", "yes")], agents=given)


def test_a_run_that_goes_on_counts_what_its_companions_have_spent(run: Run) -> None:
    said = run(*by("dear", "good"), "--max-tokens", "100", "--json")
    assert said.code == 4
    first, second = (each["run"] for each in json.loads(said.out)["runs"])
    stored = find_run(second, store=STORE)
    assert stored.together == (first, second)
    again = run(second, "--max-tokens", "100", command=("resume",))
    assert again.code == 4, "the first has spent all of it"
    assert run(second, "--max-tokens", "5000", command=("resume",)).code == 0


def test_gates_are_kept_with_each_run_unless_their_verdict_needs_more_than_is_kept(run: Run) -> None:
    def kept(*options: str) -> tuple[str, ...]:
        said = run(*by("good"), "--gate", "pass_rate>=0.5", "--json", *options)
        return find_run(json.loads(said.out)["run"], store=STORE).gates

    assert kept() == ("pass_rate>=0.5",)
    assert kept("--look", "2") == kept("--force") == ()
