from __future__ import annotations

import subprocess
import sys
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.benchmark import ExpectedCall
from proctor.reviewers import assignment as matching
from proctor.reviewers.arguments import arguments_fit
from proctor.reviewers.assignment import AssignedCall, assign, order_kept
from proctor.transcript import ToolCall

Worth = tuple[int, float, int, int]


def worth(expected: list[ExpectedCall], pairs: list[AssignedCall]) -> Worth:
    fit = round(sum(pair.fit for pair in pairs), 9)
    required = sum(not expected[pair.expected].may_be_absent for pair in pairs)
    return len(pairs), fit, required, -sum((pair.expected - pair.used) ** 2 for pair in pairs)


def best_by_trying_all(expected: list[ExpectedCall], used: list[ToolCall]) -> Worth:
    slots = [*range(len(used)), *[-1] * len(expected)]
    found = set()
    for chosen in set(permutations(slots, len(expected))):
        pairs = [
            AssignedCall(i, j, arguments_fit(expected[i], used[j]))
            for i, j in enumerate(chosen)
            if j >= 0 and expected[i].name == used[j].name
        ]
        found.add(worth(expected, pairs))
    return max(found)


expected_calls = st.builds(
    lambda name, x, y, absent: ExpectedCall(name=name, arguments={"x": x, "y": y}, may_be_absent=absent),
    st.sampled_from("ab"),
    st.integers(0, 2),
    st.integers(0, 1),
    st.booleans(),
)
used_calls = st.builds(
    lambda name, x, y: ToolCall(name=name, arguments={"x": x, "y": y}),
    st.sampled_from("ab"),
    st.integers(0, 2),
    st.integers(0, 1),
)


@pytest.mark.parametrize("tried_out", [0, 120])
@settings(max_examples=60, deadline=None)
@given(expected=st.lists(expected_calls, max_size=4), used=st.lists(used_calls, max_size=4))
def test_the_assignment_is_the_best_there_is(
    tried_out: int, expected: list[ExpectedCall], used: list[ToolCall]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "_TRIED_OUT", tried_out)
        pairs = assign(expected, used)
    assert len({pair.expected for pair in pairs}) == len({pair.used for pair in pairs}) == len(pairs)
    assert worth(expected, pairs) == best_by_trying_all(expected, used)


def test_equal_calls_stay_in_order_however_many() -> None:
    same = [ExpectedCall(name="a")] * 40
    assert assign(same, [ToolCall(name="a")] * 40) == [AssignedCall(i, i, 1.0) for i in range(40)]


def test_many_shuffled_calls_find_their_partners() -> None:
    expected = [ExpectedCall(name="a", arguments={"x": i}) for i in range(60)]
    used = [ToolCall(name="a", arguments={"x": i * 7 % 60}) for i in range(60)]
    pairs = assign(expected, used)
    assert all(pair.fit == 1.0 for pair in pairs)
    assert [used[pair.used].arguments["x"] for pair in pairs] == list(range(60))


def test_scipy_is_left_alone_until_a_case_needs_it() -> None:
    code = (
        "import sys\n"
        "from proctor.reviewers.tools import score_calls\n"
        "from proctor.benchmark import ExpectedCall\n"
        "from proctor.transcript import ToolCall\n"
        "score_calls([ExpectedCall(name='a', arguments={'x': i}) for i in range(4)],"
        " [ToolCall(name='a', arguments={'x': 3 - i}) for i in range(4)])\n"
        "assert not {'scipy', 'numpy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_order_is_the_share_of_required_pairs_that_hold_strictly() -> None:
    assert order_kept([]) == 1.0
    assert order_kept([(0, 5)]) == 1.0
    assert order_kept([(0, 0), (1, 1), (2, 2)]) == 1.0
    assert order_kept([(0, 1), (1, 1)]) == 0.0
    assert order_kept([(0, 9), (0, 3)]) == 1.0
    assert order_kept([(0, 1), (1, 2), (2, 0)]) == pytest.approx(1 / 3)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8))
def test_order_equals_the_count_over_all_pairs(places: list[tuple[int, int]]) -> None:
    required = [(x, y) for x in places for y in places if x[0] < y[0]]
    held = sum(x[1] < y[1] for x, y in required)
    assert order_kept(places) == (held / len(required) if required else 1.0)
