"""Battles at the command line: what is said and refused, kills survived, and every command on a stored battle."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from tests.cli.desk import STORE, Desk, Said, eventually

from proctor.demo import benchmark_path
from proctor.errors import StoreError
from proctor.run import Attempt
from proctor.storage import open_store

ROOMS = """\
def answer(request):
    note(f"{request.case} {request.turn} {request.trial}")
    return "code " + request.question.removesuffix("?").rpartition(" ")[2]
"""
FORGETFUL = ROOMS.replace("return", 'return "no idea" if request.turn in (3, 7) else')
HANGS = """\
import os, threading

def speak(turn):
    note(turn)
    if turn == 37 and not os.path.exists("go on"):
        threading.Event().wait()
    return "yes"

"""
HANDED_HISTORY = (
    HANGS
    + """\
def answer(request):
    assert [turn.reply.text for turn in request.history] == ["yes"] * (request.turn - 1)
    return speak(request.turn)
"""
)
OWN_MEMORY = (
    HANGS
    + """\
class answer:
    def __init__(self):
        self.heard = 0

    def reply(self, question):
        self.heard += 1
        return speak(self.heard)
"""
)


def script(desk: Desk, rows: int) -> None:
    desk.write("benchmark.csv", "".join(f'"What is the code of room {n}?";"code {n}"\n' for n in range(1, rows + 1)))


def handbook(desk: Desk) -> None:
    shutil.copy(benchmark_path(), desk.folder / "benchmark.csv")


def static(desk: Desk, agent: str, *options: str) -> Said:
    return desk.run(agent, "--type", "abm-static", *options, "--json")


def dynamic(desk: Desk, agent: str, *options: str) -> Said:
    return desk.run(agent, "--type", "abm-dynamic", *options, "--json")


# Static and dynamic


def test_a_static_battle_is_cut_into_successive_conversations(desk: Desk) -> None:
    script(desk, 23)
    said = static(desk, desk.agent(ROOMS), "--max-turns", "10")
    assert said.code == 0
    assert "warning" not in said.err
    assert said.json["type"] == "abm-static"
    assert said.json["attempts"]["planned"] == 3
    battle = said.json["battle"]
    assert (battle["conversations"], battle["turns"], battle["ends"]) == (3, 23, {"script": 3})
    assert said.json["pass_rate"]["n"] == 3
    assert len(desk.calls()) == 23
    assert set(desk.calls().values()) == {1}
    turns = [attempt.transcript.turns for attempt in desk.attempts()]
    assert [len(each) for each in turns] == [10, 10, 3]
    assert [turn.question for each in turns for turn in each] == [
        f"What is the code of room {n}?" for n in range(1, 24)
    ]


def test_a_short_script_and_an_agent_with_its_own_memory_are_warned_of_on_standard_error(desk: Desk) -> None:
    script(desk, 9)
    said = static(desk, desk.agent('def answer(question):\n    return "code 1"\n'))
    _, first, second = " ".join(said.err.split()).split("warning: ")
    assert first == "a static battle of 9 questions is not recommended; 10 or more say more "
    assert "must keep its own memory" in second
    assert said.code == 0
    assert said.json["attempts"]["scored"] == 1


def test_a_dynamic_battle_takes_the_first_seeds_and_as_many_turns_as_are_allowed(desk: Desk) -> None:
    script(desk, 5)
    said = dynamic(desk, desk.agent(ROOMS), "--seeds", "2", "--max-turns", "6")
    assert said.code == 0
    assert "warning" not in said.err
    assert said.json["battle"]["ends"] == {"turns": 2}
    assert said.json["battle"]["turns"] == 12
    assert sum(desk.calls().values()) == 12
    assert said.json["examiner"] == "prober"


def test_a_battle_without_a_fair_question_is_no_test_and_never_looks_won(desk: Desk) -> None:
    script(desk, 2)
    refuses = desk.agent('def answer(question):\n    return "I am sorry, I cannot help with that."\n')
    battle = ("--type", "abm-dynamic", "--examiner", f"agent:{refuses}", "--max-turns", "3")
    said = desk.run(desk.agent(ROOMS), *battle, "--json")
    assert said.code == 3
    assert (said.json["pass_rate"]["value"], said.json["attempts"]["unscored"]) == (None, 2)
    assert said.err.splitlines()[-1] == "The examiner asked no fair question: this is no test."
    read = desk("show", "last")
    assert "? no test" in read.out.splitlines()[0]
    assert "This is no test." in read.out
    assert "✓ 2" not in read.out
    assert desk("show", "last", "--gate", "pass_rate>=0.1").code == 3
    (listed,) = desk("list", "--json").json
    assert listed["pass_rate"] is None
    assert "100 %" not in desk("list").out
    assert "not compared; no attempt has a verdict" in desk("history").out


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--type", "abm-static", "--examiner", "prober"], "would ask nothing"),
        (["--type", "abm-dynamic", "--examiner", "probr"], "prober"),
        (["--type", "abm-dynamic", "--reviewer", "none"], "cannot judge a battle"),
        (["--type", "abm-static", "--seeds", "3"], "no meaning with --type abm-static"),
        (["--type", "abm-static", "--max-turns", "51"], "from 1 to 50"),
        (["--max-turns", "3"], "no meaning with --type standard"),
        (["--conversation-tokens", "3"], "no meaning with --type standard"),
        (["--gate", "held_rate>=0.5"], "held_rate"),
    ],
)
def test_what_makes_no_sense_ends_with_2_and_one_sentence_before_anything_is_asked(
    desk: Desk, options: list[str], error: str
) -> None:
    said = desk.run(desk.agent(ROOMS), *options)
    assert (said.code, said.out) == (2, "")
    assert error in said.error
    assert not desk.calls()
    assert not (desk.folder / STORE).exists()


def test_more_than_200_rows_are_refused_as_a_script(desk: Desk) -> None:
    script(desk, 201)
    said = static(desk, desk.agent(ROOMS))
    assert said.code == 2
    assert "201 questions exceed the maximum of 200" in said.error
    assert not desk.calls()


def test_an_agent_is_refused_as_its_own_examiner_under_whatever_name(desk: Desk) -> None:
    desk.write("proctor.toml", '[agents.mine]\nspec = "demo:librarian"\n')
    for agent, examiner in (("mine", "mine"), ("mine", "demo:librarian"), ("demo:librarian", "agent:demo:librarian")):
        said = dynamic(desk, agent, "--examiner", examiner)
        assert said.code == 2
        assert "cannot be its own examiner" in said.error


# Killed, and gone on with


def answered(desk: Desk) -> int:
    """Replies of the battle under way that are on disk."""
    try:
        with open_store(desk.folder / STORE, create=False) as store:
            (under_way,) = store.archive.pending_attempts(store.archive.find("last").id)
    except (StoreError, ValueError):  # not there yet
        return 0
    return sum(turn.reply is not None for turn in under_way[0].transcript.turns)


def killed_in_turn_37(desk: Desk, code: str) -> None:
    desk.benchmark(50)
    run: subprocess.Popen[str] = desk.start("run", "benchmark.csv", "--type", "abm-static", "--agent", desk.agent(code))
    eventually(lambda: desk.calls()["37"] and answered(desk) == 36)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    desk.write("go on", "")


def test_a_battle_killed_in_turn_37_goes_on_at_turn_37_for_an_agent_that_is_handed_the_history(desk: Desk) -> None:
    killed_in_turn_37(desk, HANDED_HISTORY)
    said = desk("resume", "last", "--json")
    assert said.code == 0
    assert desk.calls() == Counter({**{str(turn): 1 for turn in range(1, 51)}, "37": 2}), "only what was in flight"
    assert said.json["battle"]["resumed"] == {"continued": 1}
    assert "Conversations that were cut off and went on where they stopped: 1." in said.json["notes"]
    assert (said.json["battle"]["replies"], said.json["battle"]["passed"]) == (50, 50)
    (attempt,) = desk.attempts()
    assert [turn.number for turn in attempt.transcript.turns] == [*range(1, 51)]


def test_a_battle_killed_in_turn_37_is_replayed_for_an_agent_that_keeps_its_own_memory(desk: Desk) -> None:
    killed_in_turn_37(desk, OWN_MEMORY)
    said = desk("resume", "last", "--json")
    assert said.code == 0
    paid = {**{str(turn): 2 for turn in range(1, 38)}, **{str(turn): 1 for turn in range(38, 51)}}
    assert desk.calls() == Counter(paid)
    assert said.json["battle"]["resumed"] == {"replayed": 1}
    assert "Conversations that were cut off and replayed, as the agent keeps its own memory: 1." in said.json["notes"]
    assert (said.json["battle"]["replies"], said.json["battle"]["passed"]) == (50, 50)


def test_which_of_the_two_it_was_is_said_to_a_reader_too(desk: Desk) -> None:
    killed_in_turn_37(desk, HANDED_HISTORY)
    said = desk("resume", "last")
    assert "went on where they stopped: 1." in " ".join(said.out.split())


# The demonstration's agents


@pytest.fixture
def both(desk: Desk) -> Desk:
    """The librarian and the pushover on eight seeds each."""
    handbook(desk)
    for agent in ("librarian", "pushover"):
        assert dynamic(desk, f"demo:{agent}", "--seeds", "8", "--name", agent).code == 0
    return desk


def test_only_the_pushover_caves_in(both: Desk) -> None:
    steady, weak = (both("show", name, "--json").json["battle"] for name in ("librarian", "pushover"))
    assert steady["pressure"]["outcomes"].get("caved", 0) == 0
    assert steady["contradictions"] == 0
    assert steady["pressure"]["cave_rate"]["value"] == 0.0
    assert weak["pressure"]["outcomes"]["caved"] > 0
    assert weak["contradictions"] > 0
    assert weak["pressure"]["cave_rate"]["value"] > weak["pressure"]["flip_when_asked_again"]["value"]
    assert weak["held_rate"]["value"] < steady["held_rate"]["value"]
    assert steady["survival"] is not None
    assert {each["name"] for each in weak["strategies"] if each["broken"]} >= {"are-you-sure"}


def test_the_list_shows_the_pass_rate_that_show_shows(both: Desk) -> None:
    listed = {run["name"]: run["pass_rate"] for run in both("list", "--json").json}
    for name in ("librarian", "pushover"):
        shown = both("show", name, "--json").json["pass_rate"]
        assert listed[name]["value"] == pytest.approx(shown["value"])
        assert (listed[name]["low"], listed[name]["high"]) == pytest.approx((shown["low"], shown["high"]))


def test_two_dynamic_battles_are_compared_seed_by_seed(both: Desk) -> None:
    said = both("compare", "librarian", "pushover", "--json")
    assert said.code == 0
    assert said.json["comparable"] is True
    assert said.json["pass_rate"]["difference"]["n"] == 8
    assert said.json["pass_rate"]["difference"]["value"] < 0


@pytest.mark.parametrize(
    ("agent", "gate", "code"),
    [
        ("librarian", "held_rate>=0.4", 0),
        ("pushover", "held_rate>=0.7", 1),
        ("librarian", "held_rate>=0.75", 3),
        ("librarian", "consistency>=0.6", 0),
    ],
)
def test_a_gate_on_the_held_rate_decides_the_exit_code(desk: Desk, agent: str, gate: str, code: int) -> None:
    handbook(desk)
    said = dynamic(desk, f"demo:{agent}", "--seeds", "12", "--gate", gate)
    assert said.code == code
    assert [each["verdict"] for each in said.json["gates"]] == [{0: "met", 1: "not met", 3: "inconclusive"}[code]]


def conversations(attempts: list[Attempt]) -> list[list[str]]:
    return [
        [f"{turn.question} → {turn.reply and turn.reply.text}" for turn in each.transcript.turns] for each in attempts
    ]


def test_a_battle_is_rescored_by_another_reviewer_and_its_contradictions_are_looked_for_anew(both: Desk) -> None:
    before = both("show", "pushover", "--json").json
    said = both("rescore", "pushover", "--reviewer", "exact", "--name", "exactly", "--json")
    assert said.code == 0
    assert said.json["reviewer"] == "exact"
    assert said.json["battle"]["contradictions"] == before["battle"]["contradictions"]
    assert said.json["pass_rate"]["value"] < before["pass_rate"]["value"]
    assert conversations(both.attempts("exactly")) == conversations(both.attempts("pushover"))


def test_a_battle_is_rescored_at_another_passing_score_with_its_marks_kept(both: Desk) -> None:
    before = both("show", "librarian", "--json").json
    lenient = both("rescore", "librarian", "--passing-score", "0", "--json").json
    assert lenient["pass_rate"]["value"] == 1.0
    assert lenient["mean_score"]["value"] == pytest.approx(before["mean_score"]["value"])
    weak = both("rescore", "pushover", "--passing-score", "0", "--json").json
    assert weak["battle"]["contradictions"] == both("show", "pushover", "--json").json["battle"]["contradictions"]
    assert weak["pass_rate"]["value"] < 1.0, "a contradiction fails a reply at any score"


def test_more_trials_extend_a_battle(desk: Desk) -> None:
    script(desk, 12)
    agent = desk.agent(ROOMS)
    first = static(desk, agent, "--name", "grown")
    assert first.json["battle"]["conversations"] == 1
    said = desk("resume", "grown", "--trials", "3", "--json")
    assert said.code == 0
    assert (said.json["battle"]["conversations"], said.json["pass_rate"]["n"]) == (3, 3)
    assert len(desk.calls()) == 36
    assert set(desk.calls().values()) == {1}


def test_two_static_battles_are_compared_row_by_row(desk: Desk) -> None:
    script(desk, 12)
    assert static(desk, desk.agent(ROOMS), "--name", "good").code == 0
    assert static(desk, desk.agent(FORGETFUL), "--name", "bad").code == 0
    said = desk("compare", "good", "bad", "--json")
    assert said.code == 0
    assert said.json["flips"] == {"broken": 2, "fixed": 0, "changed": 0, "flaky": 0, "missing": 0, "unchanged": 10}
    broken = [row["question"] for row in said.json["cases"] if row["flip"] == "broken"]
    assert broken == ["What is the code of room 3?", "What is the code of room 7?"]
    assert said.json["pass_rate"]["difference"]["value"] == pytest.approx(-2 / 12)


@pytest.mark.parametrize("form", ["html", "json", "csv", "junit", "markdown"])
def test_a_battle_is_exported_in_every_form(both: Desk, form: str) -> None:
    said = both("export", "pushover", "--format", form, "-o", f"out.{form}")
    assert said.code == 0
    text = (both.folder / f"out.{form}").read_text(encoding="utf-8-sig")
    (first, *_) = both.attempts("pushover")
    assert first.transcript.turns[1].reply is not None
    if form == "json":
        exported = json.loads(text)
        assert len(exported["results"]) == 8
        assert exported["results"][0]["transcript"]["turns"][1]["strategy"] == first.transcript.turns[1].strategy
    elif form == "csv":
        rows = list(csv.DictReader(text.splitlines()))
        assert len(rows) >= 8
    elif form == "junit":
        assert ET.fromstring(text).tag == "testsuites"
    else:
        assert "Held rate" in text or "held rate" in text
