"""`proctor label` at a real terminal: single keys, undo, and the judge's verdict only after one's own."""

from __future__ import annotations

import csv
import os
import pty
import select
import sys
import time
from pathlib import Path

from tests.cli.desk import Desk

_PATIENCE = 30.0


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, *command: str, folder: Path) -> None:
        self._pid, self._fd = pty.fork()
        if self._pid == 0:  # pragma: no cover - the program itself
            os.chdir(folder)
            os.execv(sys.executable, [sys.executable, "-m", "proctor", *command])
        self.said = ""

    def until(self, words: str) -> str:
        """What it says up to these words, since the last time."""
        read, end = "", time.monotonic() + _PATIENCE
        while words not in read:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"it did not say {words!r} but {read!r}"
            read += os.read(self._fd, 65536).decode(errors="replace")
        return read

    def press(self, key: str) -> None:
        os.write(self._fd, key.encode())

    def code(self) -> int:
        """How it ended."""
        _, status = os.waitpid(self._pid, 0)
        os.close(self._fd)
        return os.waitstatus_to_exitcode(status)


def test_keys_label_skip_and_undo_and_the_judge_is_told_afterwards(desk: Desk) -> None:
    assert desk("demo").code == 0
    terminal = Terminal("label", "last", "-n", "4", "--who", "ann", folder=Path.cwd())
    shown = terminal.until("q quit")
    assert "1 of 4" in shown
    assert "the judge" not in shown
    terminal.press("p")
    assert "you: pass; the judge" in terminal.until("q quit")
    terminal.press("u")
    assert "1 of 4" in terminal.until("q quit")
    terminal.press("s")
    assert "2 of 4" in terminal.until("q quit")
    terminal.press("f")
    terminal.until("q quit")
    terminal.press("q")
    assert "1 of 4 labelled as ann" in terminal.until("as people judge")
    assert terminal.code() == 0


def test_without_a_terminal_it_says_what_to_do_instead(desk: Desk) -> None:
    assert desk("demo").code == 0
    said = desk("label", "last")
    assert said.code == 2
    assert "--to FILE and --from FILE" in said.error


def test_a_sheet_that_comes_back_makes_show_tell_the_rate_as_people_judge(desk: Desk) -> None:
    assert desk("demo").code == 0
    assert "wrote 10 attempts" in desk("label", "last", "-n", "10", "--to", "sheet.csv").out
    text = Path("sheet.csv").read_text(encoding="utf-8-sig")
    Path("sheet.csv").write_text(text.replace(",,,", ",pass,,"), encoding="utf-8")
    assert "stored 10 labels" in desk("label", "last", "--from", "sheet.csv", "--who", "ann").out
    assert "as people judge, from 10 labels" in " ".join(desk("show", "last").out.split())
    assert desk("show", "last", "--json").json["pass_rate_people"]["labels"] == 10


def test_what_people_say_of_an_attempt_is_read_beside_it(desk: Desk) -> None:
    assert desk("demo").code == 0
    desk("label", "last", "-n", "1", "--to", "sheet.csv")
    empty = Path("sheet.csv").read_text(encoding="utf-8-sig")
    for who, verdict, note in (("ann", "pass", ""), ("bob", "fail", "too short")):
        Path("sheet.csv").write_text(empty.replace(",,,", f",{verdict},{note},"), encoding="utf-8")
        assert "stored 1 label" in desk("label", "last", "--from", "sheet.csv", "--who", who).out
    tied = desk("show", "last", "--json").json["pass_rate_people"]["tied"][0]
    asked = ("show", "last", "--case", tied["case"], "--trial", str(tied["trial"]))
    said = " ".join(desk(*asked).out.split())
    assert "as people judge, ann: passed as people judge, bob: not passed (too short)" in said
    [attempt] = desk(*asked, "--json").json
    assert [(each["who"], each["passed"], each["note"]) for each in attempt["labels"]] == [
        ("ann", True, ""),
        ("bob", False, "too short"),
    ]


def test_where_everything_is_labelled_it_says_so(desk: Desk) -> None:
    desk("demo")
    desk("label", "last", "-n", "100", "--to", "sheet.csv", "--who", "ann")
    sheet = desk.folder / "sheet.csv"
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, rows[0].keys())
        written.writeheader()
        written.writerows({**row, "verdict": "pass"} for row in rows)
    assert desk("label", "last", "--from", "sheet.csv", "--who", "ann").code == 0
    said = desk("label", "last", "--who", "ann", "--to", "again.csv")
    assert (said.code, "nothing is left to label" in said.out) == (0, True)
    assert not (desk.folder / "again.csv").exists()
