"""Runs that are spread over workers, from Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.running.workers import agents

import proctor
from proctor.benchmark import Benchmark
from proctor.config import Config
from proctor.errors import UsageError
from proctor.run import Run
from proctor.spending.limits import Limits
from proctor.spending.providers import Source
from proctor.spending.run_limits import current
from proctor.spending.shared_limits import SharedThrottle, told_sharers
from proctor.workflows import workers as planning
from proctor.workflows.workers import RunData, enforce_limits

CASES = [(f"{number} is it?", "yes") for number in range(1, 13)]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_function_of_a_module_is_played_by_other_processes_and_the_run_is_the_same() -> None:
    spread = proctor.evaluate(CASES, agent=agents.process, reviewer="exact", workers=2, passing_score=0.0)
    alone = proctor.evaluate(CASES, agent=agents.process, reviewer="exact", passing_score=0.0)
    told = [
        {turn.reply.text for one in run.attempts() for turn in one.transcript.turns if turn.reply}
        for run in (spread, alone)
    ]
    assert told[0].isdisjoint(told[1])
    assert spread.run.workers is not None
    assert spread.run.workers.workers == 2
    assert alone.run.workers is None
    assert spread.run.settings == alone.run.settings
    proctor.compare(spread.run.id, alone.run.id)  # which would refuse runs that were played otherwise


def test_an_object_goes_along_with_its_state() -> None:
    found = proctor.evaluate(CASES, agent=agents.Remembers("yes"), reviewer="exact", workers=1)
    assert found.findings.pass_rate.value == 1.0


def test_a_reviewer_of_ones_own_judges_in_workers_and_again() -> None:
    found = proctor.evaluate(CASES, agent=agents.says_yes, reviewer=agents.likes_everything, workers=2)
    again = proctor.rescore(found.run.id, reviewer=agents.likes_nothing, workers=2)
    assert (found.findings.pass_rate.value, again.findings.pass_rate.value) == (1.0, 0.0)
    assert again.run.workers is not None


def test_a_run_that_was_begun_alone_goes_on_in_workers() -> None:
    found = proctor.evaluate(CASES, agent=agents.says_yes, reviewer="exact")
    more = proctor.resume(found.run.id, agent=agents.says_yes, trials=2, workers=2)
    assert (more.findings.counts.scored, more.run.status) == (24, "completed")


def test_what_cannot_be_sent_is_refused_before_anything_is_stored() -> None:
    with pytest.raises(UsageError, match=r"the agent cannot be sent to workers: .*lambda.*python:MODULE:NAME"):
        proctor.evaluate(CASES, agent=lambda question: "yes", reviewer="exact", workers=2)
    assert not Path(".proctor").exists()


def test_what_is_defined_in_the_script_that_is_run_is_refused_with_the_reason() -> None:
    script = (
        "import proctor\ndef answer(question): return 'yes'\nproctor.evaluate([('a?', 'yes')], agent=answer, workers=2)"
    )
    Path("script.py").write_text(script, "utf-8")
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, check=False)
    assert "the agent cannot be sent to workers: answer is defined in the script that is being run" in done.stderr


def test_workers_divide_a_rate_limit_among_them() -> None:
    config = Config(limits={"openai": {"requests_per_minute": 60.0}})
    run = Run(id="r", name="r", benchmark="b", digest="d", agent="a")
    data = RunData(run=run, benchmark=Benchmark(name="b", digest="d", cases=()), config=config, settings=run.settings)
    where, counts = Source(provider="openai", host="api.openai.com"), []
    with enforce_limits(data, None):
        first = current()
        with enforce_limits(data, None):
            for allowance in (first, current()):
                assert allowance is not None
                throttle = allowance.limits.of(where)
                assert isinstance(throttle, SharedThrottle)
                counts.append(throttle._sharers.count())
    assert counts == [1, 2]


def test_stored_marks_are_weighed_again_without_any_worker() -> None:
    found = proctor.evaluate(CASES, agent=agents.says_yes, reviewer="exact")
    again = proctor.rescore(found.run.id, passing_score=0.5, workers=2)
    assert (again.run.status, again.run.workers) == ("completed", None)


def test_resources_reserve_nothing_among_processes_and_that_is_said(caplog: pytest.LogCaptureFixture) -> None:
    declared = {"spec": "python:tests.running.workers.agents:says_yes", "resources": {"gpu": 1}}
    config = Config.model_validate({"agents": {"heavy": declared}})
    found = proctor.evaluate(CASES, agent="heavy", reviewer="exact", workers=1, config=config)
    assert found.findings.pass_rate.value == 1.0
    assert "resources = {'gpu': 1.0} of heavy reserve nothing here: only Ray does (--ray)" in caplog.text


def test_on_a_machine_without_ray_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'proctor\[ray\]'"):
        proctor.evaluate(CASES, agent=agents.says_yes, reviewer="exact", ray="local")


@pytest.mark.parametrize("ray", ["", "nonsense", True, "host:port", "ray://host:10001"])
def test_what_names_no_cluster_is_refused_whether_ray_is_there_or_not(
    monkeypatch: pytest.MonkeyPatch, ray: object
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"names no cluster; expected local .*HOST:6379|for Ray's clients"):
        proctor.evaluate(CASES, agent=agents.says_yes, reviewer="exact", ray=ray)


def test_machines_that_share_no_folder_divide_a_limit_by_what_they_are_told(tmp_path: Path) -> None:
    limits = Limits({"openai": {"requests_per_minute": 600}}, shared=tmp_path / "limits")
    with told_sharers(lambda: 4):
        throttle = limits.of(Source(provider="openai", host="api.openai.com"))
    assert isinstance(throttle, SharedThrottle)
    assert throttle._sharers.count() == 4
    assert not (tmp_path / "limits").exists()


def test_a_concurrency_that_machines_cannot_keep_to_together_is_told(caplog: pytest.LogCaptureFixture) -> None:
    config = Config.model_validate({"limits": {"openai": {"concurrency": 2}, "ollama": {"requests_per_minute": 9}}})
    planning._warn_of_limits(config, 2)
    assert not caplog.messages
    planning._warn_of_limits(config, 4)
    (told,) = caplog.messages
    assert "[limits.openai] concurrency = 2 is not kept by 4 workers" in told
    assert "--workers 2" in told
