"""The instrument that holds pages to the truth can tell a true page from a false one."""

from __future__ import annotations

from pathlib import Path

from tests.docs.pages import agrees, blocks, commands, settled


def page(folder: Path, text: str) -> Path:
    path = folder / "page.md"
    path.write_text(text, "utf-8")
    return path


def test_blocks_know_their_language_their_file_and_what_stands_above_them(tmp_path: Path) -> None:
    text = "Put this into `agent.py`:\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\nThen:\n\n```text\n2\n```\n"
    made = blocks(page(tmp_path, text))
    assert [(block.language, block.text, block.file, block.follows) for block in made] == [
        ("python", "print(1)\n", "agent.py", False),
        ("text", "1\n", None, True),
        ("text", "2\n", None, False),
    ]


def test_a_comment_says_why_a_block_is_not_run(tmp_path: Path) -> None:
    (made,) = blocks(page(tmp_path, "<!-- not run: needs a key -->\n```python\nprint(1)\n```\n"))
    assert made.not_run == "needs a key"


def test_commands_have_the_lines_under_them(tmp_path: Path) -> None:
    (made,) = blocks(page(tmp_path, "```console\n$ proctor list \\\n  --json\n[]\n\n$ echo $?\n0\n```\n"))
    assert [(each.line, each.shown) for each in commands(made)] == [
        ("proctor list   --json", "[]\n\n"),
        ("echo $?", "0\n"),
    ]


def test_ids_times_and_widths_may_differ() -> None:
    today = (
        "run 261115-040545-eb7d   ✓ completed  1.2 s\n✗  2e857e8dfafc  Within how many days…  0/3  < 1 ms  just now\n"
    )
    later = (
        "run 270101-000000-0000  ✓ completed  35 ms\n✗  2e857e8dfafc  Within how many…  0/3    12 ms  2 minutes ago\n"
    )
    assert settled(today) == settled(later)


def test_numbers_and_words_may_not_differ() -> None:
    said = "Pass rate 82.2 %\n✗ 2e857e8dfafc Within how many days 0/3\nReport demo.html\n"
    assert agrees(said, said)
    assert not agrees(said.replace("82.2", "82.3"), said)
    assert not agrees(said.replace("demo.html\n", ""), said)
    assert not agrees("", said)


def test_a_line_of_dots_stands_for_the_lines_left_out() -> None:
    assert agrees("one\n…\nfour\n", "one\ntwo\nthree\nfour\n")
    assert agrees("one\n…\n", "one\ntwo\n")
    assert not agrees("one\n…\nfive\n", "one\ntwo\nthree\nfour\n")
    assert not agrees("two\n…\n", "one\ntwo\n")
