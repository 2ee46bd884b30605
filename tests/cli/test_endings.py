"""How commands end where nobody reads them, nothing can be written, or streams are closed: results are safe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.desk import STORE, Desk

FULL = Path("/dev/full")
PROGRAM = f"{sys.executable} -m proctor"
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
RIGHT = "def answer(question): return 'yes'\n"


def shell(desk: Desk, line: str) -> subprocess.CompletedProcess[str]:
    """A line as it is typed in a shell; `proctor` is the program itself."""
    return subprocess.run(
        ["bash", "-c", line.replace("proctor ", f"{PROGRAM} ", 1)],
        cwd=desk.folder,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"},
    )


@pytest.fixture
def examined(desk: Desk) -> Desk:
    """A desk with two runs, named `one` and `two`."""
    agent = desk.agent(RIGHT)
    for name in ("one", "two"):
        assert desk.run(agent, "--name", name).code == 0
    return desk


COMMANDS = (
    "show one", "show one --json", "show one --format markdown", "list", "list --json", "history", "compare one two",
    "doctor benchmark.csv", "check benchmark.csv", "agents", "schema", "--help", "export one --format csv -o -",
    "export one --format json -o -", "plan --difference 0.05 --flips 0.1", "--version",
)  # fmt: skip


def must_be_orderly(done: subprocess.CompletedProcess[str]) -> None:
    for trace in ("Traceback", "Exception ignored", "itself failed", "NoneType"):
        assert trace not in done.stderr


@pytest.mark.parametrize("place", range(len(COMMANDS)), ids=COMMANDS)
def test_closed_output_keeps_the_commands_own_verdict(examined: Desk, place: int) -> None:
    """Each command without its output, and with one of the other ways to close streams."""
    for streams in (">&-", (">&- 2>&-", "2>&-", "<&- >&- 2>&-")[place % 3]):
        done = shell(examined, f"proctor {COMMANDS[place]} {streams}")
        must_be_orderly(done)
        assert done.returncode == 0, (streams, done)
        if streams == ">&-":
            assert done.stderr == "Standard output is closed: nothing was printed.\n"


@needs_full
@pytest.mark.parametrize("command", COMMANDS)
def test_output_that_cannot_be_written_is_one_sentence_and_exit_4(examined: Desk, command: str) -> None:
    done = shell(examined, f"proctor {command} > /dev/full")
    must_be_orderly(done)
    assert done.returncode == 4
    assert done.stderr.startswith("Error: the output could not be written (No space left on device); ")
    assert done.stderr.count("\n") == 1


@needs_full
@pytest.mark.parametrize("command", COMMANDS[::4])
def test_errors_that_cannot_be_written_change_no_verdict(examined: Desk, command: str) -> None:
    assert shell(examined, f"proctor {command} > /dev/full 2>&1").returncode == 4
    assert shell(examined, f"proctor {command} 2> /dev/full").returncode == 0


@pytest.mark.parametrize("command", ["show one --json", "list", "schema", "--help", "check benchmark.csv", "agents"])
def test_a_reader_that_goes_away_changes_no_verdict(examined: Desk, command: str) -> None:
    done = shell(examined, f"set -o pipefail; proctor {command} | (exec <&-)")
    must_be_orderly(done)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_code_of_a_gate_outlives_its_reader(examined: Desk) -> None:
    gated = "export one --format junit -o - --gate 'pass_rate>=0.99'"
    for rest in ("| (exec <&-)", ">&-", ">&- 2>&-", "> whole.xml"):
        assert shell(examined, f"set -o pipefail; proctor {gated} {rest}").returncode == 3


def test_what_is_wrong_stays_wrong_where_nobody_hears_it(examined: Desk) -> None:
    for streams in ("2>&-", ">&- 2>&-", *(["2> /dev/full"] if FULL.exists() else [])):
        assert shell(examined, f"proctor show nobody {streams}").returncode == 2
        assert shell(examined, f"proctor list --limit many {streams}").returncode == 2


@pytest.mark.parametrize(
    ("streams", "code"),
    [
        (">&-", 0), ("2>&-", 0), (">&- 2>&-", 0), ("--json >&-", 0), ("--json 2>&-", 0), ("| (exec <&-)", 0),
        *([("> /dev/full", 4), ("--json > /dev/full", 4), ("2> /dev/full", 0), ("> /dev/full 2>&1", 4)]
          if FULL.exists() else []),
    ],
)  # fmt: skip
def test_a_run_is_stored_whole_whatever_becomes_of_its_output(desk: Desk, streams: str, code: int) -> None:
    agent = desk.agent("def answer(question):\n    print('agents speak too')\n    return 'yes'\n")
    done = shell(desk, f"set -o pipefail; proctor run benchmark.csv --agent {agent} {streams}")
    must_be_orderly(done)
    assert done.returncode == code, done
    attempts = desk.attempts()
    assert [attempt.outcome for attempt in attempts] == ["passed"] * 3
    assert desk("list", "--json").json[0]["status"] == "completed"


def test_with_streams_closed_nothing_is_printed_into_the_store(desk: Desk) -> None:
    agent = desk.agent(
        "import os\ndef answer(question):\n    os.write(1, b'x' * 99); os.write(2, b'y' * 99)\n    return 'yes'\n"
    )
    assert shell(desk, f"proctor run benchmark.csv --agent {agent} <&- >&- 2>&-").returncode == 0
    assert [attempt.outcome for attempt in desk.attempts()] == ["passed"] * 3
    assert b"x" * 99 not in (desk.folder / STORE).read_bytes()


def test_a_pipe_that_does_not_wait_is_waited_for(examined: Desk) -> None:
    ends = "import os, sys; os.set_blocking(1, False); os.execvp(sys.argv[1], sys.argv[1:])"
    line = f"{sys.executable} -c '{ends}' {PROGRAM} schema | (sleep 0.3; cat) | wc -c"
    whole = len(shell(examined, "proctor schema").stdout.encode())
    assert whole > 0
    done = subprocess.run(["bash", "-c", line], cwd=examined.folder, capture_output=True, text=True, timeout=60)
    assert (int(done.stdout), done.stderr) == (whole, "")


@needs_full
def test_a_file_on_a_full_disk_is_exit_4_and_a_place_that_cannot_be_is_exit_2(examined: Desk) -> None:
    for line in ("export one --format html -o {}", "history --html {}"):
        assert shell(examined, f"proctor {line.format('/dev/full')}").returncode == 4
        for place in ("x" * 300, "/proc/nowhere/report") if "export" in line else (".", "benchmark.csv/report"):
            done = shell(examined, f"proctor {line.format(place)}")
            must_be_orderly(done)
            assert done.returncode == 2, (place, done)
            assert done.stderr.startswith("Error: ")


def test_a_child_that_a_sync_agent_forks_is_gone_when_the_run_is(desk: Desk) -> None:
    agent = desk.agent(
        "import os\n"
        "def answer(question):\n"
        "    if os.fork() == 0:\n"
        "        note(f'child {os.getpid()}')\n"
        "    return 'yes'\n"
    )
    done = shell(desk, f"proctor run benchmark.csv --agent {agent} --json")
    assert done.returncode == 0
    assert [attempt.outcome for attempt in desk.attempts()] == ["passed"] * 3
    children = [int(line.split()[1]) for line in desk.calls()]
    assert len(children) == 3
    assert not any(_is_alive(child) for child in children)


LEAVES = {
    "atexit": "atexit.register(os._exit, 0)",
    "a program in its place": "atexit.register(os.execv, '/bin/true', ['true'])",
    "the C library": "atexit.register(ctypes.CDLL(None).exit, 0)",
    "threading": "threading._register_atexit(os._exit, 0)",
    "weakref": "weakref.finalize(answer, os._exit, 0)",
    "multiprocessing": "multiprocessing.util.Finalize(None, os._exit, (0,), exitpriority=10)",
    "a patched sys.exit": "sys.exit = lambda *code: None",
}
LEAVING = (
    "import atexit, ctypes, multiprocessing.util, os, sys, threading, weakref\ndef answer(question): return {}\n{}\n"
)


@pytest.mark.parametrize("how", LEAVES)
def test_whatever_an_agent_leaves_for_the_end_a_gate_that_is_not_met_stays_so(desk: Desk, how: str) -> None:
    agent = desk.agent(LEAVING.format("'Lyon'", LEAVES[how]))
    done = shell(desk, f"proctor run benchmark.csv --agent {agent} --gate 'pass_rate>=0.5' --force")
    assert done.returncode == 3, done  # three attempts decide no gate
    assert "pass_rate" in done.stdout


@pytest.mark.parametrize("workers", ["", "--workers 2"])
def test_a_run_that_did_not_complete_stays_so_whatever_an_agent_leaves_for_the_end(desk: Desk, workers: str) -> None:
    agent = desk.agent(
        "import atexit, os\natexit.register(os._exit, 0)\ndef answer(question): raise ConnectionRefusedError('x')\n"
    )
    done = shell(desk, f"proctor run benchmark.csv --agent {agent} --retries 0 {workers}")
    assert done.returncode == 4, done


def test_a_reviewer_that_leaves_an_exit_behind_changes_no_code_of_rescore(examined: Desk) -> None:
    examined.write("harsh.py", "import atexit, os\natexit.register(os._exit, 0)\ndef review(reply): return 0.0\n")
    done = shell(examined, "proctor rescore one --reviewer python:harsh:review --gate 'pass_rate>=0.5' --force")
    assert done.returncode == 3, done


@pytest.mark.parametrize("call", ["os._exit(0)", "os.execv('/bin/true', ['true'])", "ctypes.CDLL(None).exit(0)"])
def test_a_module_that_ends_the_process_when_it_is_imported_is_named(desk: Desk, call: str) -> None:
    desk.write("ends.py", f"import ctypes, os\n{call}\n")
    done = shell(desk, "proctor run benchmark.csv --agent python:ends:answer --force")
    assert done.returncode == (4 if "CDLL" in call else 2), done
    assert call[:7] in done.stderr or "C library" in done.stderr


def test_an_exit_from_a_thread_before_the_run_has_begun_is_told(desk: Desk) -> None:
    desk.write(
        "ends.py",
        "import os, threading\nends = threading.Thread(target=os._exit, args=(0,))\nends.start()\nends.join()\n",
    )
    done = shell(desk, "proctor run benchmark.csv --agent python:ends:answer --force")
    assert done.returncode == 4
    assert "os._exit(0) was called before the command was over" in done.stderr


def _is_alive(process: int) -> bool:
    """Whether it still runs; one that is only still to be counted by its parent does not."""
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_an_agent_that_leaves_no_file_handle_never_ends_as_a_gate_that_is_not_met(desk: Desk) -> None:
    """1 would say that; the run is over, and what it could not tell is stored."""
    takes = "import resource\n\ndef answer(question):\n    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 4096))\n"
    agent = desk.agent(takes + "    return 'yes'\n")
    done = shell(desk, f"proctor run benchmark.csv --agent {agent} --concurrency 1 --json")
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
