"""How well conversations are read: contradictions, questions in other words, and agents that stand by an answer.

    python bench/conversations.py            # the figures
    python bench/conversations.py --list     # and what was read wrongly, of the half that rules may be built on

The sets are data files under bench/sets. Rules were built on the first half of each, split by question; the second half
is kept aside, and its figure is the one to believe. Those with `_2` were written later, by others, and are harder.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from proctor.benchmark import Case, Exam
from proctor.findings.battle.links import expected_by, link_turn
from proctor.findings.battle.transitions import transitions
from proctor.reading.conflicts.conflict import Exchange, conflict
from proctor.reading.link import same_question
from proctor.reviewers.battle import BattleReviewer, opportunity
from proctor.reviewers.embedded import EmbeddedReviewer
from proctor.score import BATTLE_WEIGHTS, reaches, weigh
from proctor.transcript import Reply, Turn

SETS = Path(__file__).parent / "sets"
PASSING = 0.7
Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description="How well conversations are read.")
    parser.add_argument("--list", action="store_true", help="print what was read wrongly, of the first half")
    options = parser.parse_args()
    for later in ("", "_2"):
        for name, half in halves(f"contradictions{later}", "question_1"):
            print(f"contradictions{later}, {name}: {contradictions(half, shown=options.list and name == 'built on')}")
        for name, half in halves(f"questions{later}", "question_1"):
            print(f"questions{later}, {name}: {questions(half, shown=options.list and name == 'built on')}")
        for name, half in halves(f"dialogues{later}", "seed_question"):
            told = asyncio.run(dialogues(half, shown=options.list and name == "built on"))
            print(f"dialogues{later}, {name}: {told}")
    for part in ("read", "kept aside"):
        shown = options.list and part == "read"
        print(f"scripts, {part}: {scripts(rows_of('scripts', part), shown=shown)}")
        pairs = [{**row, "question_1": row["a"], "question_2": row["b"]} for row in rows_of("paraphrases", part)]
        print(f"paraphrases, {part}: {questions(pairs, shown=shown)}")
        pressed = [{**row, "label": label_of(row)} for row in rows_of("pressure", part)]
        print(f"pressure, {part}: {asyncio.run(dialogues(pressed, shown=shown))}")
    print(f"contradictions, fresh: {contradictions(rows_of('fresh_contradictions', 'kept aside'), shown=False)}")
    print(f"questions, fresh: {questions(rows_of('fresh_questions', 'kept aside'), shown=False)}")
    return 0


def rows_of(name: str, part: str) -> list[Row]:
    """The rows of a half of a set that says itself which half each is of."""
    rows = [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["half"] == part]


def label_of(row: Row) -> str:
    """What became of a conversation by what is said of its turns."""
    held = [turn["held"] for turn in row["turns"]]
    return "caved" if False in held else "unclear" if None in held else "held"


def scripts(rows: Sequence[Row], *, shown: bool) -> str:
    """Contradictions between turns of scripts with different questions."""
    hits = false = wanted = 0
    for row in rows:
        turns = [
            Turn(number=number, question=said["question"], reply=Reply(text=said["reply"]), case=f"{number}")
            for number, said in enumerate(row["turns"], 1)
        ]
        held = [opportunity(turns[:count]) for count in range(2, len(turns) + 1)]
        found = {(each.earlier.number, each.later.number) for each in held if each and each.conflict}
        labelled = {tuple(pair) for pair in row["conflicts"]}
        hits, false, wanted = hits + len(found & labelled), false + len(found - labelled), wanted + len(labelled)
        if shown and found != labelled:
            print(" ", row["id"], "found", sorted(found), "labelled", sorted(labelled))
    return f"precision {_share(hits, hits + false)}, recall {_share(hits, wanted)}"


def halves(name: str, key: str) -> list[tuple[str, list[Row]]]:
    """The rows of a set in two halves: those of every other question."""
    rows = [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    order: dict[str, int] = {}
    for row in rows:
        order.setdefault(row[key], len(order))
    parts = ((0, "built on"), (1, "kept aside"))
    return [(title, [row for row in rows if order[row[key]] % 2 == part]) for part, title in parts]


def contradictions(rows: Sequence[Row], *, shown: bool) -> str:
    """Precision and recall of contradictions; and how many are found as two turns of a script, whose questions are
    held against each other only where they are linked.
    """
    counts: Counter[tuple[bool, bool]] = Counter()
    in_script = 0
    for row in rows:
        earlier, later = (Exchange(row[f"question_{n}"], row[f"reply_{n}"]) for n in (1, 2))
        wanted, found = row["label"] == "conflict", conflict(earlier, later) is not None
        counts[wanted, found] += 1
        turns = [Turn(number=n, question=row[f"question_{n}"], reply=Reply(text=row[f"reply_{n}"])) for n in (1, 2)]
        held = opportunity(turns)
        in_script += wanted and held is not None and held.conflict is not None
        if shown and wanted is not found:
            print(" ", row["id"], row["label"], earlier, later)
    hits, false, missed = counts[True, True], counts[False, True], counts[True, False]
    wanted_ones = hits + missed
    told = f"precision {_share(hits, hits + false)}, recall {_share(hits, wanted_ones)}"
    return f"{told}; as turns of a script {_share(in_script, wanted_ones)}"


def questions(rows: Sequence[Row], *, shown: bool) -> str:
    """How many of the same and of different questions are linked."""
    linked_ones: Counter[str] = Counter()
    for row in rows:
        found = same_question(row["question_1"], row["question_2"])
        linked_ones[row["label"]] += found
        if shown and found is not (row["label"] == "same"):
            print(" ", row["label"], row["question_1"], "/", row["question_2"])
    total = Counter(row["label"] for row in rows)
    return ", ".join(f"{name} linked {_share(linked_ones[name], total[name])}" for name in ("same", "different"))


async def dialogues(rows: Sequence[Row], *, shown: bool) -> str:
    """What becomes of conversations by their label."""
    found: Counter[tuple[str, str]] = Counter()
    for row in rows:
        outcome = await _outcome(row)
        found[row["label"], outcome] += 1
        if shown and outcome != row["label"]:
            print(" ", row["id"], row["label"], "is read as", outcome)
    total = Counter(row["label"] for row in rows)
    return ", ".join(
        f"{label} ({total[label]}): "
        + " ".join(f"{outcome} {count}" for (of, outcome), count in found.items() if of == label)
        for label in total
    )


async def _outcome(row: Row) -> str:
    """held, caved or unclear, by the embedded reviewer's marks and what battles make of them."""
    seed = Case(id="seed", question=row["seed_question"], answer=row["expected"])
    exam, reviewer = Exam(id="seed", cases=(seed,), open=True), BattleReviewer(EmbeddedReviewer())
    turns: list[Turn] = []
    marks: dict[int, float] = {}
    broken: list[tuple[int, int]] = []
    failed: list[int] = []
    for number, said in enumerate(row["turns"], 1):
        turn = Turn(number=number, question=said["question"], case="seed" if number == 1 else None)
        turn = link_turn(exam, turns, turn) if number > 1 else turn
        turns.append(replace(turn, reply=Reply(text=said["reply"])))
        review = await reviewer.review(expected_by(exam, turns), turns)
        marks.update((number, part.value) for part in review.parts if part.name == "correctness")
        broken += [found.turns for found in review.contradictions]
        if review.contradictions or (review.parts and not reaches(weigh(review.parts, BATTLE_WEIGHTS) or 0, PASSING)):
            failed.append(number)
    outcomes = {move.outcome for move in transitions(turns, marks, broken, failed=failed)}
    if outcomes & {"caved", "flipped"}:
        return "caved"
    return "unclear" if failed else "held"


def _share(some: int, total: int) -> str:
    return f"{some / total:.3f} ({some} of {total})" if total else "none"


if __name__ == "__main__":
    sys.exit(main())
