"""The engine beside its peers, in one run: CPU per case, wall time, memory, start-up.

    python bench/engine.py [--runs 3] [--only NAME] [--skip-large] [--markdown] [--profile]

Every figure comes from a new process in the contestant's own virtual environment (bench/.envs, made on first use).
The rounds go through all contestants in turn, so that noise on the machine meets them alike.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.peers import table
from bench.peers.contestants import ALL, FLOOR, OURS, Contestant, Unavailable, cpu_seconds, play
from bench.peers.measure import CONCURRENCY, loop_ms
from bench.peers.table import Figure, Group

DOCUMENT = Path(__file__).parents[1] / "docs" / "explanation" / "speed.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

SMALL, LARGE, TRIALS = 1_000, 5_000, 40
DELAY = 0.1
IDEAL = SMALL * DELAY / CONCURRENCY
CPU_TARGET = 0.12
WALL_TARGET = 1.1 * IDEAL
MEMORY_TARGET, TRIALS_MEMORY_TARGET = 75.0, 110.0
IMPORT_TARGET, HELP_TARGET = 0.1, 0.15
STARTS = 5


def main() -> int:
    options = _options()
    if options.profile:
        from bench.peers.profiling import report

        print(report(LARGE))
        return 0
    load = os.getloadavg()[0]
    bench = Bench(contestants=_chosen(options.only), runs=options.runs)
    groups = bench.groups(large=not options.skip_large)
    loads = f"Load of the machine: {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end."
    notes = [*_notes(bench), loads, *bench.notes]
    print(table.as_text(groups, notes))
    if options.markdown is not None:
        _rewrite(options.markdown, table.as_markdown(groups, notes))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Proctor's engine beside its peers.")
    parser.add_argument("--runs", type=int, default=3, help="how often each figure is taken (default: 3)")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this contestant, beside the floor")
    parser.add_argument("--skip-large", action="store_true", help="leave out the run of 200,000 attempts")
    parser.add_argument("--profile", action="store_true", help="where the time of Proctor's own engine goes")
    parser.add_argument(
        "--markdown", type=Path, nargs="?", const=DOCUMENT, help="also write the figures into this document"
    )
    return parser.parse_args()


def _chosen(names: Sequence[str] | None) -> list[Contestant]:
    for name in names or ():
        if not any(name.lower() in each.name.lower() for each in ALL):
            raise SystemExit(f"there is no contestant {name!r}; expected one of {', '.join(each.name for each in ALL)}")
    wanted = [name.lower() for name in names or ()]
    return [each for each in ALL if each is FLOOR or not wanted or any(name in each.name.lower() for name in wanted)]


@dataclass(kw_only=True, slots=True)
class Bench:
    """Takes the figures, group by group."""

    contestants: list[Contestant]
    runs: int
    notes: list[str] = field(default_factory=list)

    def groups(self, *, large: bool) -> list[Group]:
        """Everything that is measured, in the order of the table."""
        small, _ = self._instant(SMALL)
        big, memory = self._instant(LARGE)
        waiting, wall = self._slow()
        if large and OURS in self.contestants:
            memory.figures.append(self._many_trials())
        return [small, big, waiting, wall, memory, self._start_up()]

    def _instant(self, count: int) -> tuple[Group, Group]:
        """CPU per case, and the peak memory of the same processes."""
        cpu, peak = self._figures(CPU_TARGET), self._figures(MEMORY_TARGET)
        for each, result in self._rounds(count):
            if isinstance(result, str):
                cpu[each].trouble = peak[each].trouble = result
                continue
            cpu[each].take(result["cpu"] / count * 1000, result["loops"])
            peak[each].take(result["peak_mb"])
        return (
            Group(title=f"CPU, ms per case: {count:,} cases, instant agent", form=".3f", figures=list(cpu.values())),
            Group(title=f"Peak memory, MB: {count:,} cases", form=".0f", figures=list(peak.values())),
        )

    def _slow(self) -> tuple[Group, Group]:
        """CPU per case where the agent makes everybody wait, and how long that takes."""
        cpu, wall = self._figures(None), self._figures(WALL_TARGET)
        for each, result in self._rounds(SMALL, "--delay", str(DELAY)):
            if isinstance(result, str):
                cpu[each].trouble = wall[each].trouble = result
                continue
            cpu[each].take(result["cpu"] / SMALL * 1000, result["loops"])
            wall[each].take(result["wall"], result["loops"])
        played = f"{SMALL:,} cases, agent of {DELAY * 1000:.0f} ms"
        return (
            Group(title=f"CPU, ms per case: {played}", form=".3f", figures=list(cpu.values())),
            Group(
                title=f"Wall time, s: {played}, {CONCURRENCY} at once (ideal {IDEAL:.1f})",
                form=".2f",
                figures=list(wall.values()),
            ),
        )

    def _figures(self, target: float | None) -> dict[Contestant, Figure]:
        return {each: Figure(who=each.title, target=target if each is OURS else None) for each in self.contestants}

    def _many_trials(self) -> Figure:
        attempts = LARGE * TRIALS
        figure = Figure(who=f"{OURS.name}, × {TRIALS} trials", target=TRIALS_MEMORY_TARGET)
        _say(f"{OURS.name}, {attempts:,} attempts")
        result = _tried(OURS, LARGE, "--trials", str(TRIALS))
        if isinstance(result, str):
            figure.trouble = result
            return figure
        figure.take(result["peak_mb"])
        self.notes.append(
            f"{LARGE:,} cases × {TRIALS} trials: once, {result['cpu'] / attempts * 1000:.3f} ms CPU an attempt, "
            f"loop {sum(result['loops']) / 2:.0f} ms."
        )
        return figure

    def _rounds(self, count: int, *options: str) -> Iterator[tuple[Contestant, dict[str, Any] | str]]:
        """Every contestant's result, round by round; who failed is not asked again."""
        out: set[Contestant] = set()
        for number in range(1, self.runs + 1):
            for each in self.contestants:
                if each in out:
                    continue
                _say(f"round {number} of {self.runs}: {each.title}, {count:,} cases {' '.join(options)}")
                result = _tried(each, count, *options)
                if isinstance(result, str):
                    out.add(each)
                elif result["network"]:
                    self._note(f"{each.title} tried to reach the network and was refused.")
                yield each, result

    def _start_up(self) -> Group:
        """CPU of whole processes; the first start, which compiles, is not counted."""
        commands = list(self._commands())
        for number in range(STARTS + 1):
            _say(f"start {number} of {STARTS}")
            for figure, each, command in commands:
                if figure.trouble:
                    continue
                before = loop_ms()
                try:
                    seconds = cpu_seconds(each, *command)
                except Unavailable as error:
                    figure.trouble = str(error)
                    continue
                if number:
                    figure.take(seconds, [before, loop_ms()])
        return Group(title="Start-up, CPU s of the process", form=".2f", figures=[figure for figure, _, _ in commands])

    def _commands(self) -> Iterator[tuple[Figure, Contestant, tuple[str, ...]]]:
        yield Figure(who="python -c pass"), FLOOR, ("python", "-c", "pass")
        for each in self.contestants:
            if each.package:
                figure = Figure(who=f"import {each.package}", target=IMPORT_TARGET if each is OURS else None)
                yield figure, each, ("python", "-c", f"import {each.package}")
        for each in self.contestants:
            if each.command:
                figure = Figure(who=f"{each.command} --help", target=HELP_TARGET if each is OURS else None)
                yield figure, each, (each.command, "--help")
        for each in self.contestants:
            script = ("python", "-m", f"bench.peers.{each.script}", "result.json", "--cases", "1", "--cold")
            yield Figure(who=f"one case, {each.title}"), each, script

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _tried(contestant: Contestant, count: int, *options: str) -> dict[str, Any] | str:
    """What was measured, or why it was not."""
    try:
        result = play(contestant, "--cases", str(count), *options)
    except Unavailable as error:
        return str(error)
    expected = count * (TRIALS if "--trials" in options else 1)
    if result["passed"] != expected:
        return f"only {result['passed']:,} of {expected:,} right answers passed"
    return result


def _notes(bench: Bench) -> list[str]:
    return [
        f"Median and best of {bench.runs}, each in a new process after a small warm-up; of {STARTS} for start-up.",
        "Loop: CPU ms of a fixed pure-Python loop just before and after, in the same process (for start-up: in the "
        "one that starts it). Where it is larger than elsewhere, the machine was slower.",
        "× floor: the median over the first row's. Targets are ours alone: met by the median, or by the best run only.",
        "Kept: " + "; ".join(f"{each.title} – {each.stores}" for each in bench.contestants) + ".",
    ]


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _rewrite(document: Path, figures: str) -> None:
    """Replace what stands between the two marks."""
    text = document.read_text()
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"{document} has no place for the figures: expected {BEGIN} and {END}")
    document.write_text(f"{before}{BEGIN}\n\n{figures}\n\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main())
