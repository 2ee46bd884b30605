"""The sentence of the ruling: 430 of 500 by the judge, 50 labels."""

from __future__ import annotations

from proctor.findings.run.people import JudgedShare, people_finding
from proctor.reports.people import as_dict, people_sentences
from proctor.run import HumanLabel, Key
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import wilson


def test_the_worked_example_is_told_as_it_was_ruled() -> None:
    low, high = wilson(0.86, 500)
    by_judge = Estimate(value=0.86, low=low, high=high, n=500, method="wilson-cases", attempts=500)
    judged = {Key(run="r", exam=str(number)): number < 43 for number in range(50)}
    people = {key: int(key.exam) < 40 or int(key.exam) in (43, 44) for key in judged}
    labels = [HumanLabel(key=key, passed=passed, who="ann") for key, passed in people.items()]
    found = people_finding(labels, judged, JudgedShare(rate=by_judge))
    [told] = people_sentences(by_judge, found)
    assert told == (
        "86 % (83 – 89) by the judge; 84 % (74 – 91) as people judge, from 50 labels; the judge passes 95 % of what "
        "people pass and fails 62 % of what they fail; about 110 more labels for ± 5 points."
    )


def test_every_label_is_counted_and_what_people_are_divided_on_is_told() -> None:
    by_judge = Estimate(value=0.5, low=0.4, high=0.6, n=100, method="wilson-cases", attempts=100)
    keys = [Key(run="r", exam=str(number)) for number in range(20)]
    judged = {key: int(key.exam) % 2 == 0 for key in keys[:-1]}
    labels = [HumanLabel(key=key, passed=int(key.exam) % 2 == 0, who="ann") for key in keys]
    labels += [HumanLabel(key=key, passed=int(key.exam) % 2 == 0 and int(key.exam) < 10, who="bob") for key in keys]
    found = people_finding(labels, judged, JudgedShare(rate=by_judge))
    assert found is not None
    assert (found.labels, found.basis.given, found.basis.attempts) == (14, 40, 20)
    assert [key.exam for key in found.basis.tied] == ["10", "12", "14", "16", "18"]
    told = " ".join(people_sentences(by_judge, found))
    assert (
        "as people judge, from 40 labels by 2 people on 20 attempts, leaving out 5 on which they are evenly divided "
        "and 1 without a verdict of the judge; "
    ) in told
    as_json = as_dict(found)
    assert (as_json["labels"], as_json["labels_given"], as_json["attempts_labelled"]) == (14, 40, 20)
    assert as_json["tied"][0] == {"case": "10", "condition": "", "trial": 1}


def test_a_judge_that_agreed_with_every_label_so_far_is_not_held_to_be_always_right() -> None:
    low, high = wilson(0.75, 10_000)
    by_judge = Estimate(value=0.75, low=low, high=high, n=10_000, method="wilson-cases", attempts=10_000)
    judged = {Key(run="r", exam=str(number)): number < 15 for number in range(20)}
    labels = [HumanLabel(key=key, passed=passed, who="ann") for key, passed in judged.items()]
    found = people_finding(labels, judged, JudgedShare(rate=by_judge))
    assert found is not None
    assert 0.8 < found.correlation < 1
    assert found.more == 50
