"""The gate "not worse by 0.02" when B truly is worse by 0.04: ours beside the bootstrap gate of `statgate`.

Twenty cases, one trial each. Every run that calls B "not worse" is wrong. `statgate` is installed into its own
environment under bench/.envs on first use; both see the same runs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proctor.statistics.compare import compare
from proctor.statistics.gate import not_worse

CASES = 20
MARGIN = 0.02
WORSE = 0.04
FLIPS = (0.04, 0.06, 0.10, 0.20)
"""Share of cases whose verdict differs between A and B; 0.04 more of them break than are fixed."""
VERSION = "0.1.1"

THEIRS = """
import json, sys
from statgate.config import GateSettings
from statgate.records import EvalRecord
from statgate.verdict import evaluate_gate
def records(values):
    return [EvalRecord(case_id=str(i), passed=bool(v)) for i, v in enumerate(values)]
settings = GateSettings(metric="pass_rate", margin=float(sys.argv[1]), seed=1, resamples=2000, permutations=100)
runs = json.load(sys.stdin)
json.dump([evaluate_gate(records(a), records(b), settings).verdict.value for a, b in runs], sys.stdout)
"""

Bits = NDArray[np.int64]


def draw(flips: float, runs: int, rng: np.random.Generator) -> list[tuple[Bits, Bits]]:
    """Runs of A and B: a case breaks with chance (flips + .04)/2 and is fixed with (flips − .04)/2."""
    chances = [(flips + WORSE) / 2, (flips - WORSE) / 2, 0.85 * (1 - flips), 0.15 * (1 - flips)]
    kinds = rng.choice(4, size=(runs, CASES), p=chances)
    return [(np.isin(kind, (0, 2)).astype(int), np.isin(kind, (1, 2)).astype(int)) for kind in kinds]


def ours(runs: Sequence[tuple[Bits, Bits]]) -> list[str]:
    return [not_worse(compare(a.tolist(), b.tolist()).difference, MARGIN) for a, b in runs]


def theirs(python: Path, runs: Sequence[tuple[Bits, Bits]]) -> list[str]:
    sent = json.dumps([(a.tolist(), b.tolist()) for a, b in runs])
    done = subprocess.run(
        [str(python), "-c", THEIRS, str(MARGIN)], input=sent, capture_output=True, text=True, check=True
    )
    named = {"SHIP": "met", "BLOCK": "not met", "INCONCLUSIVE": "inconclusive"}
    return [named[verdict] for verdict in json.loads(done.stdout)]


def environment() -> Path:
    """The interpreter that has `statgate`."""
    folder = Path(__file__).parent / ".envs" / "statgate"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", f"statgate=={VERSION}"], check=True)
    return python


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(given.seed)
    python = environment()
    print(f"B is worse by {WORSE}; gate: not worse by {MARGIN}; {CASES} cases, {given.runs} runs a line\n")
    print("| flips | gate | met (wrong) | inconclusive | not met (right) |\n|---|---|---|---|---|")
    wrong = 0.0
    for flips in FLIPS:
        runs = draw(flips, given.runs, rng)
        for name, verdicts in ((f"statgate {VERSION}", theirs(python, runs)), ("proctor", ours(runs))):
            seen = Counter(verdicts)
            shares = [seen[verdict] / given.runs for verdict in ("met", "inconclusive", "not met")]
            print(f"| {flips:.2f} | {name} | {shares[0]:.3f} | {shares[1]:.3f} | {shares[2]:.3f} |", flush=True)
            wrong = max(wrong, shares[0]) if name == "proctor" else wrong
    return 0 if wrong <= 0.05 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
