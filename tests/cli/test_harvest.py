"""proctor harvest: what it says, what it writes, how it exits."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.desk import Desk
from tests.workflows.harvest.gathering import lines, said

ASKED = (
    said("Where is my parcel? Mail a@example.org"),
    said("Where is my parcel? Mail b@example.org"),
    said("Is 4242 4242 4242 4242 my card?"),
    said("", case="c7"),
)


def test_it_says_what_was_read_merged_left_out_and_masked_and_never_the_values(desk: Desk, tmp_path: Path) -> None:
    lines(tmp_path / "said.jsonl", *ASKED)
    done = desk("harvest", "said.jsonl", "-o", "drafts.yaml")
    assert done.code == 0
    assert done.out.splitlines() == [
        "wrote drafts.yaml: 2 drafts, review: needed",
        "  read       said.jsonl: 4 conversations",
        "  merged     1 that asks the same as another",
        "  left out   1: no question was found in what it says",
        "  masked     1 e-mail address, 1 card",
        "Names of people are not recognised: list them for --mask. Next: proctor check drafts.yaml",
    ]
    assert done.err == "warning: said.jsonl:4: no question was found in what it says\n"
    assert "example.org" not in (tmp_path / "drafts.yaml").read_text()


def test_json_has_the_same_figures(desk: Desk, tmp_path: Path) -> None:
    lines(tmp_path / "said.jsonl", *ASKED)
    done = desk("harvest", "said.jsonl", "-o", "drafts.yaml", "--json")
    assert json.loads(done.out) == {
        "suite": "drafts.yaml",
        "drafts": 2,
        "read": {"said.jsonl": 4},
        "merged": 1,
        "beyond_limit": 0,
        "left_out": {"no question was found in what it says": 1},
        "masked": {"email": 1, "card": 1},
        "unreadable": 0,
    }


def test_a_file_that_was_cut_off_exits_4_and_the_rest_is_written(desk: Desk, tmp_path: Path) -> None:
    path = lines(tmp_path / "said.jsonl", *ASKED)
    path.write_text(path.read_text() + '{"question": "Wh')
    done = desk("harvest", "said.jsonl", "-o", "drafts.yaml")
    assert done.code == 4
    assert "  unreadable 1\n" in done.out
    assert "ends in the middle of a record" in done.err
    assert (tmp_path / "drafts.yaml").exists()


def test_drafts_are_counted_by_check(desk: Desk, tmp_path: Path) -> None:
    lines(tmp_path / "said.jsonl", *ASKED)
    desk("harvest", "said.jsonl", "-o", "drafts.yaml")
    done = desk("check", "drafts.yaml")
    assert done.code == 0
    assert done.out.endswith(
        "\n2 drafts need review: accept with `review: done`, edit or delete, here or in the web app\n"
    )
    assert json.loads(desk("check", "drafts.yaml", "--json").out)["review_needed"] == 2
    assert "review_needed" not in desk("check", "benchmark.csv", "--json").out


def test_a_run_without_failures_leaves_nothing_to_draft(desk: Desk, tmp_path: Path) -> None:
    lines(tmp_path / "said.jsonl", said("Is it open?"))
    (tmp_path / "one.csv").write_text('"Is it open?";"yes"\n')
    assert desk("run", "one.csv", "--agent", "recorded:said.jsonl").code == 0
    done = desk("harvest", "last", "-o", "drafts.yaml")
    assert done.code == 0
    assert done.out.startswith("nothing was written: there is nothing to draft a case from; --only all takes all\n")
    assert not (tmp_path / "drafts.yaml").exists()


def test_wrong_usage_is_told(desk: Desk, tmp_path: Path) -> None:
    lines(tmp_path / "said.jsonl", *ASKED)
    for arguments, told in (
        (("said.jsonl", "-o", "drafts.csv"), "expected a name that ends in .yaml or .yml"),
        (("said.jsonl", "-o", "drafts.yaml", "--limit", "0"), "expected a whole number from 1 to 10,000"),
        (("nothing.jsonl", "-o", "drafts.yaml"), "there is no file 'nothing.jsonl'"),
        (("said.jsonl", "-o", "drafts.yaml", "--only", "flaky"), "needs verdicts"),
        (("said.jsonl", "-o", "drafts.yaml", "--mask", "none.txt"), "cannot read 'none.txt'"),
        ((".", "-o", "drafts.yaml"), "there is no file '.'"),
    ):
        done = desk("harvest", *arguments)
        assert (done.code, told in done.err) == (2, True), (arguments, done.err)
    assert not (tmp_path / "drafts.yaml").exists()


def test_otlp_may_stand_before_the_files_of_spans_and_alone_it_is_told_what_to_write(
    desk: Desk, tmp_path: Path
) -> None:
    lines(tmp_path / "said.jsonl", *ASKED)

    assert desk("harvest", "otlp", "said.jsonl", "-o", "drafts.yaml").code == 0
    alone = desk("harvest", "otlp", "-o", "more.yaml")
    assert (alone.code, "name the files of spans" in alone.err) == (2, True)


def test_where_no_question_is_found_at_all_that_is_the_error_and_no_option_is_promised(
    desk: Desk, tmp_path: Path
) -> None:
    lines(tmp_path / "said.jsonl", said("", case="c7"))

    done = desk("harvest", "said.jsonl", "-o", "drafts.yaml")

    assert done.code == 2
    assert "said.jsonl:1: no question was found in what it says" in done.err
    assert "--only all" not in done.out + done.err
