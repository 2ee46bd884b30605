from __future__ import annotations

import io

from rich.console import Console, RenderableType

from proctor.findings.comparison.sample_size import plan_from_assumptions
from proctor.findings.gates.sample_size import plan_gate
from proctor.reports.plan import difference_dict, gate_dict, render_plan


def printed(what: RenderableType) -> str:
    stream = io.StringIO()
    Console(file=stream, width=80).print(what)
    return stream.getvalue()


def test_cases_and_attempts_for_each_number_of_trials() -> None:
    planned = plan_from_assumptions(0.05, 0.10, noise=0.06)
    assert printed(render_plan(planned)) == (
        "To show a difference of 5 points with a chance of 80 %:\n"
        "\n"
        "  trials  cases  attempts in both runs\n"
        "       1    306                    612\n"
        "       2    212                    848\n"
        "       4    165                  1,320\n"
        "\n"
        "However many trials, it takes at least 118 cases.\n"
        "Rests on the assumption that 10 % of cases flip between the two runs, 6 % by\n"
        "chance alone.\n"
    )


def test_that_it_takes_a_case_at_all_is_not_said() -> None:
    said = printed(render_plan(plan_from_assumptions(0.05, 0.10, noise=0.10)))
    assert "However many" not in said
    assert "Rests on" in said


def test_without_noise_it_is_said_that_trials_are_taken_not_to_help() -> None:
    assert "more trials are assumed\nnot to help" in printed(render_plan(plan_from_assumptions(0.05, 0.10)))


def test_the_plan_as_json() -> None:
    said = difference_dict(plan_from_assumptions(0.05, 0.10, trials=(1,)))
    assert said["plans"] == [{"trials": 1, "cases": 306, "attempts": 612, "seconds": None}]
    assert (said["difference"], said["power"], said["level"], said["floor"]) == (0.05, 0.8, 0.95, 306)
    assert said["trials_help"] is False


def test_the_fewest_cases_of_a_gate() -> None:
    assert printed(render_plan(plan_gate("pass_rate>=0.9"))) == (
        "The fewest cases with which pass_rate>=0.9 can be met:\n"
        "\n"
        "  failures  cases\n"
        "         0     35\n"
        "         1     53\n"
        "         2     69\n"
        "         5    113\n"
    )
    assert gate_dict(plan_gate("pass_rate>=0.9", failures=2))["fewest"] == [{"failures": 2, "cases": 69}]


def test_a_gate_from_above_counts_passes() -> None:
    assert "  passes  cases" in printed(render_plan(plan_gate("pass_rate<=0.1")))


def test_a_gate_against_a_run_tells_its_cases() -> None:
    planned = plan_gate("not worse than nightly by 0.02", flips=0.1)
    assert "two equal agents meet it with a chance of 80 %" in printed(render_plan(planned))
    assert (gate_dict(planned)["needed"], gate_dict(planned)["power"]) == (1963, 0.8)
