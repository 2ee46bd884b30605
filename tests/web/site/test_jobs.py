"""Runs are played in processes of their own, a few at a time, and outlive the server."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import UsageError
from proctor.run import Run, Status
from proctor.web.site.jobs import Jobs, WrongState
from proctor.web.site.settings import WebSettings
from proctor.web.site.site import Site
from proctor.web.site.start import NewRuns, go_on, start, start_demonstration
from proctor.workflows.sync import resume

SitesOpener = Callable[..., Site]
_CONFIG = """
[agents.quick]
spec = "demo:librarian"
[agents.slow]
spec = "demo:librarian"
delay = 0.2
[agents.broken]
spec = "python:no_such_module:answer"
"""


@pytest.fixture
def sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SitesOpener]:
    """Opens servers without their pages; every run is stopped at the end."""
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "proctor.toml"
    config.write_text(_CONFIG)
    opened: list[Site] = []
    with ExitStack() as stack:

        def opening(**settings: Any) -> Site:
            site = Site(WebSettings(store=str(tmp_path / "proctor.db"), config=config, **settings))
            opened.append(site)
            stack.callback(site.close)
            site.begin()
            return site

        yield opening
        for run in opened[0].store.archive.runs() if opened else ():
            if run.status in ("running", "queued"):
                opened[-1].jobs.stop(run.id, "cancel")


def until(true: Callable[[], bool], *, seconds: float = 60.0) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def status(site: Site, run: Run) -> str:
    return site.store.archive.find(run.id).status


def started(site: Site, agent: str = "quick", **settings: Any) -> Run:
    return start(site, NewRuns(benchmark="handbook-30", agents=(agent,), settings=settings))[0]


def played(site: Site, run: Run) -> int:
    return site.store.archive.count(run.id)


def test_a_run_is_stored_first_and_then_played_to_its_end(sites: SitesOpener) -> None:
    site = sites()
    run = started(site)
    assert run.status == "queued"
    until(lambda: status(site, run) == "completed")
    assert played(site, run) == 30
    until(lambda: not list(site.jobs._folder.glob("*.job")))


def test_a_run_is_paused_resumed_and_cancelled_and_nothing_is_played_twice(sites: SitesOpener) -> None:
    site = sites()
    run = started(site, "slow", concurrency=2)
    until(lambda: played(site, run) > 0)
    paused = site.jobs.stop(run.id, "pause")
    assert (paused.status, paused.reason) == ("paused", "on request")
    before = {attempt.key.exam: attempt.ended for attempt in site.store.archive.attempts(run.id)}
    assert site.jobs.play(run.id).status == "queued"
    until(lambda: played(site, run) > len(before))
    assert site.jobs.stop(run.id, "cancel").status == "cancelled"
    after = {attempt.key.exam: attempt.ended for attempt in site.store.archive.attempts(run.id)}
    assert {exam: after[exam] for exam in before} == before


def test_a_run_that_waits_can_be_paused_before_it_was_ever_played(sites: SitesOpener) -> None:
    site = sites(processes=0)
    run = started(site)
    assert site.jobs.waiting() == [run.id]
    assert site.jobs.stop(run.id, "pause").status == "paused"
    assert site.jobs.waiting() == []
    assert site.jobs.play(run.id).status == "queued"


def test_runs_wait_in_turn_for_a_process(sites: SitesOpener) -> None:
    site = sites(processes=1)
    first, second = started(site, "slow"), started(site)
    until(lambda: site.jobs.waiting() == [second.id])
    until(lambda: status(site, first) == "running")
    assert status(site, second) == "queued"
    site.jobs.stop(first.id, "pause")
    until(lambda: status(site, second) == "completed")


def test_a_long_run_makes_room_for_one_that_waits_and_goes_on_afterwards(
    sites: SitesOpener, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = sites(processes=1)
    monkeypatch.setattr(site.jobs, "_turn", 0.1)
    long = started(site, "slow", concurrency=1)
    until(lambda: played(site, long) > 0)
    short = started(site)
    until(lambda: status(site, short) == "completed")
    until(lambda: status(site, long) != "paused")  # it is queued, and goes on without anybody's help
    assert status(site, long) != "completed"
    monkeypatch.setattr(site.jobs, "_turn", 600.0)
    seen = played(site, long)
    until(lambda: played(site, long) > seen)


def test_a_run_goes_on_without_its_server_and_the_next_server_knows_it(sites: SitesOpener) -> None:
    first = sites()
    run = started(first, "slow", concurrency=6)
    until(lambda: played(first, run) > 0)
    first.jobs.end()
    second = sites()
    assert status(second, run) == "running"
    until(lambda: status(second, run) == "completed")
    until(lambda: not second.jobs._jobs)


def test_a_run_whose_process_is_gone_is_resumed_by_the_next_server(sites: SitesOpener) -> None:
    first = sites()
    run = started(first, "slow", concurrency=3)
    until(lambda: played(first, run) > 0)
    [process] = [job.process for job in first.jobs._jobs.values() if job.process is not None]
    first.jobs.end()
    os.kill(process.pid, signal.SIGKILL)
    os.waitpid(process.pid, 0)
    until(lambda: status(first, run) == "paused")
    seen = played(first, run)
    second = sites(processes=0)
    assert status(second, run) == "queued", "who watches it sees that it goes on"
    object.__setattr__(second.settings, "processes", 1)
    until(lambda: played(second, run) > seen)


def test_a_run_whose_process_is_killed_is_taken_up_again_at_once(sites: SitesOpener) -> None:
    site = sites()
    run = started(site, "slow", concurrency=3)
    until(lambda: played(site, run) > 0)
    [process] = [job.process for job in site.jobs._jobs.values() if job.process is not None]
    os.kill(process.pid, signal.SIGKILL)
    until(lambda: process.poll() is not None)
    seen = played(site, run)
    until(lambda: played(site, run) > seen)


def test_a_run_that_cannot_begin_says_why(sites: SitesOpener, tmp_path: Path) -> None:
    site = sites(processes=0)
    run = started(site, "slow")
    (tmp_path / "proctor.toml").write_text("nonsense = [")
    object.__setattr__(site.settings, "processes", 1)
    site.jobs._awake.set()
    until(lambda: status(site, run) == "failed")
    assert "not valid TOML" in site.store.archive.find(run.id).reason
    until(lambda: not site.jobs._mark_file(run.id).exists())
    assert "not valid TOML" in site.jobs._log_file(run.id).read_text(), "what its process said is kept"


def test_what_the_process_of_a_good_run_has_said_is_not_kept(sites: SitesOpener) -> None:
    site = sites(processes=1)
    run = started(site, "slow")
    until(site.jobs._log_file(run.id).exists)
    until(lambda: status(site, run) == "completed")
    until(lambda: not site.jobs._mark_file(run.id).exists())
    assert not site.jobs._log_file(run.id).exists()
    assert not site.jobs._log_file(run.id).with_suffix(".error").exists()


def test_an_agent_that_cannot_be_built_is_told_before_anything_is_stored(sites: SitesOpener) -> None:
    site = sites(processes=0)
    with pytest.raises(UsageError, match="no_such_module"):
        started(site, "broken")
    assert site.store.archive.runs() == []


@pytest.mark.parametrize("agent", ["python:os:getcwd", "command:rm -rf /", "http://127.0.0.1:1/", "demo:nobody", ""])
def test_agents_that_the_server_does_not_offer_are_refused(sites: SitesOpener, agent: str) -> None:
    with pytest.raises(UsageError, match="there is no agent"):
        started(sites(processes=0), agent)


@pytest.mark.parametrize("role", ["reviewer", "examiner"])
def test_reviewers_and_examiners_that_the_server_does_not_offer_are_refused(sites: SitesOpener, role: str) -> None:
    others: Any = {"examiner": "python:os:getcwd"} if role == "examiner" else {"reviewers": ("python:os:getcwd",)}
    with pytest.raises(UsageError, match=f"there is no {role}"):
        start(sites(processes=0), NewRuns(benchmark="handbook-30", agents=("quick",), **others))


def marked(site: Site, status: Status) -> Run:
    """A run that stands so, and that nobody plays."""
    run = started(site)
    site.jobs.stop(run.id, "cancel")
    with site.store.journal.writing(run.id):
        site.store.journal.mark(run.id, status)
    return run


@pytest.mark.parametrize(
    ("before", "paused", "cancelled", "played"),
    [
        ("queued", "paused", "cancelled", "queued"),
        ("paused", "paused", "cancelled", "queued"),
        ("cancelled", None, "cancelled", "queued"),
        ("failed", None, None, "queued"),
        ("completed", None, None, None),
    ],
)
def test_what_can_be_asked_of_a_run_depends_on_how_it_stands(
    sites: SitesOpener, before: Status, paused: str | None, cancelled: str | None, played: str | None
) -> None:
    site = sites(processes=0)
    asked: dict[Callable[[str], Run], str | None] = {
        lambda run: site.jobs.stop(run, "pause"): paused,
        lambda run: site.jobs.stop(run, "cancel"): cancelled,
        site.jobs.play: played,
    }
    for ask, expected in asked.items():
        run = marked(site, before)
        for _ in range(2):  # asking twice is no mistake
            if expected is None:
                with pytest.raises(WrongState, match=r"already .*; there is nothing"):
                    ask(run.id)
                assert status(site, run) == before
            else:
                assert ask(run.id).status == expected


def test_what_one_server_stops_another_one_here_does_not_play(sites: SitesOpener) -> None:
    """Both know the run, since both have found it when they were started."""
    first = sites(processes=0)
    queued, paused = started(first), started(first)
    second = sites(processes=0)
    assert set(second.jobs.waiting()) == {queued.id, paused.id}
    first.jobs.stop(queued.id, "cancel")
    first.jobs.stop(paused.id, "pause")
    assert second.jobs.waiting() == []
    assert second.jobs.play(queued.id).status == "queued"


def test_a_run_that_another_process_has_completed_stays_completed(sites: SitesOpener) -> None:
    site = sites(processes=0)
    run = started(site)
    with site.jobs._lock:  # nobody else looks after it meanwhile
        with site.store.journal.writing(run.id):
            site.store.journal.mark(run.id, "completed")
        [job] = site.jobs._jobs.values()
        site.jobs._log_file(run.id).write_text("Error: another process is writing this run")
        site.jobs._end_of(job, 2)
    assert status(site, run) == "completed"
    assert not site.jobs._jobs


def test_a_run_that_another_server_began_first_and_stopped_waits_again(sites: SitesOpener) -> None:
    site = sites(processes=0)
    run = started(site)
    [job] = site.jobs._jobs.values()
    with site.jobs._lock:  # nobody else looks after it meanwhile
        with site.store.journal.writing(run.id):
            site.jobs._spawn(job, site.store.archive.find(job.run))
            assert job.process is not None
            code = job.process.wait(60)
            site.store.journal.mark(run.id, "paused", reason="its server went away")
        job.process = None
        site.jobs._end_of(job, code)
    assert status(site, run) == "queued"
    assert site.jobs.waiting() == [run.id]


def test_why_a_run_could_not_begin_is_told_without_secrets(sites: SitesOpener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "hush-hush-hush")
    site = sites(processes=0)
    run = started(site)
    [job] = site.jobs._jobs.values()
    left = {"kind": "InputError", "said": "https://x:pw@example.org/ is no place for hush-hush-hush"}
    site.jobs._log_file(run.id).with_suffix(".error").write_text(json.dumps(left))
    site.jobs._end_of(job, 2)
    found = site.store.archive.find(run.id)
    assert (found.status, found.reason) == (
        "failed",
        "https://…@example.org/ is no place for $SOME_KEY",
    )


def test_who_was_played_least_comes_first(sites: SitesOpener) -> None:
    site = sites(processes=0)
    runs = [started(site) for _ in range(3)]
    for run, seconds in zip(runs, (2.0, 0.0, 1.0), strict=True):
        with site.jobs._lock, site.store.journal.writing(run.id):
            site.store.journal.mark(run.id, "queued", seconds=seconds)
    assert site.jobs.waiting() == [runs[1].id, runs[2].id, runs[0].id]


def test_what_plays_a_run_knows_the_store_but_not_the_token(
    sites: SitesOpener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROCTOR_TOKEN", "correct horse battery")
    site = sites()
    run = started(site, "slow")
    until(lambda: any(job.process is not None for job in site.jobs._jobs.values()))
    [process] = [job.process for job in site.jobs._jobs.values() if job.process is not None]
    environment = Path(f"/proc/{process.pid}/environ")
    if not environment.exists():
        pytest.skip("this system does not show the environment of a process")
    until(lambda: b"PROCTOR_STORE" in environment.read_bytes())
    assert b"correct horse" not in environment.read_bytes()
    assert b"proctor.db" not in Path(f"/proc/{process.pid}/cmdline").read_bytes()
    site.jobs.stop(run.id, "cancel")


def test_jobs_of_another_store_are_not_played(tmp_path: Path) -> None:
    one, other = (Jobs(WebSettings(store=name, folder=tmp_path), lambda: None) for name in ("a", "b"))  # type: ignore[arg-type, return-value]
    assert one._folder != other._folder


def test_the_demonstration_is_one_click(sites: SitesOpener) -> None:
    site = sites(processes=0)
    runs = start_demonstration(site)
    assert [run.benchmark for run in runs] == ["handbook-30", "library skills"]
    assert all(run.status == "queued" for run in runs)


def test_what_was_chosen_for_a_run_comes_before_the_configuration_when_its_process_begins(sites: SitesOpener) -> None:
    site = sites(processes=0)
    run = started(site)
    [job] = site.jobs._jobs.values()
    with site.jobs._lock:
        with site.store.journal.writing(run.id):  # it comes too late, and plays nothing
            site.jobs._spawn(job, site.store.archive.find(run.id))
            assert job.process is not None
            job.process.wait(60)
        said = job.process.args
        job.process = None
    assert isinstance(said, list)
    own = run.settings
    assert {f"--timeout={own.timeout}", f"--concurrency={own.concurrency}", f"--retries={own.retries}"} <= {*said}


def test_another_pace_is_kept_over_a_restart_of_the_server(sites: SitesOpener) -> None:
    site = sites(processes=0)
    run = started(site)
    site.jobs.stop(run.id, "pause")
    site.jobs.play(run.id, timeout=300.0)
    site.jobs.end()
    again = sites(processes=0)
    [job] = again.jobs._jobs.values()
    assert job.pace == {"timeout": 300.0}


def test_runs_with_one_budget_are_played_one_after_the_other(sites: SitesOpener) -> None:
    site = sites(processes=2)
    wanted = NewRuns(benchmark="handbook-30", agents=("slow", "quick"), settings={"max_tokens": 10**9})
    first, second = start(site, wanted)
    until(lambda: status(site, first) == "running")
    assert status(site, second) == "queued"
    until(lambda: status(site, second) == "completed")
    assert status(site, first) == "completed"
    over, begun = site.store.archive.find(first.id).ended, site.store.archive.find(second.id).started
    assert (over or 0) <= (begun or 0)


def test_a_run_that_somebody_else_has_played_between_two_looks_is_not_in_line_any_more(sites: SitesOpener) -> None:
    site = sites(processes=0)
    run = started(site)
    with site.jobs._lock:  # nobody looks after the runs meanwhile
        resume(run.id, store=site.settings.store)
        assert site.jobs.waiting() == []
        site.jobs._look()
        assert not site.jobs._jobs


def test_a_run_that_goes_on_before_anybody_has_seen_its_end_stands_in_line_again(sites: SitesOpener) -> None:
    site = sites(processes=0)
    run = started(site)
    with site.jobs._lock:  # nobody looks after the runs meanwhile
        resume(run.id, store=site.settings.store)
        assert go_on(site, site.store.archive.find(run.id), trials=2).status == "queued"
    assert site.jobs.waiting() == [run.id]
