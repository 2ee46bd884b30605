from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.findings.gates import GateVerdict, judge, parse
from proctor.reports.run.junit import write_junit
from proctor.transcript import Reply

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample

ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "classname", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
    "system-out": set(),
}
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase"],
    "properties": ["property"],
    "testcase": ["properties", "failure", "error", "skipped", "system-out"],
}


def written(sample: Sample, gates: Sequence[GateVerdict] = ()) -> ET.Element:
    stream = io.StringIO()
    write_junit(sample.findings, sample.exams, sample.attempts, stream, gates=gates)
    return ET.fromstring(stream.getvalue().encode("utf-8"))


def assert_as_ci_reads_it(element: ET.Element) -> None:
    """Only the elements, attributes and order that the readers of CI systems know."""
    assert set(element.attrib) == ATTRIBUTES[element.tag]
    allowed = CHILDREN.get(element.tag, [])
    places = [allowed.index(child.tag) for child in element]
    assert places == sorted(places)
    for child in element:
        assert_as_ci_reads_it(child)


def test_the_structure_is_what_ci_systems_read(sample: Sample) -> None:
    root = written(sample)
    assert root.tag == "testsuites"
    assert_as_ci_reads_it(root)
    for case in root.iter("testcase"):
        assert float(case.attrib["time"]) >= 0
        assert len([child for child in case if child.tag != "system-out"]) <= 1


def test_the_counts_are_those_of_the_cases(sample: Sample) -> None:
    root = written(sample)
    tags = Counter(child.tag for case in root.iter("testcase") for child in case)
    for element in (root, root[0]):
        assert int(element.attrib["tests"]) == len(list(root.iter("testcase"))) == 18
        assert int(element.attrib["failures"]) == tags["failure"] == 7
        assert int(element.attrib["errors"]) == tags["error"] == 3
        assert int(element.attrib["skipped"]) == tags["skipped"] == 3


def test_each_outcome_is_said_in_its_own_element_with_its_reason(sample: Sample) -> None:
    first = {case.attrib["name"].split()[0]: case for case in written(sample).iter("testcase")}
    assert list(first["good"]) == []
    assert first["bad"][0].tag == "failure"
    assert first["bad"][0].attrib["message"] == "keywords ✗ 'policy' not found, score 0.31"
    assert (first["crashing"][0].tag, first["crashing"][0].attrib["type"]) == ("failure", "agent_failed")
    assert (first["offline"][0].tag, first["offline"][0].attrib["message"]) == (
        "error",
        "reviewer: HTTP 503 after 3 tries",
    )
    assert first["odd"][0].attrib["message"] == "unscored: the answer had no number"


def test_names_are_unique(sample: Sample) -> None:
    names = [(case.attrib["classname"], case.attrib["name"]) for case in written(sample).iter("testcase")]
    assert len(set(names)) == len(names)


def test_what_was_not_played_is_skipped_not_left_out(maker: Callable[..., Maker]) -> None:
    made = maker(trials=2)
    made.marked(made.case("a"), 0.9)
    made.case("b")
    root = written(made.sample())
    assert root.attrib["tests"] == "4"
    assert root.attrib["skipped"] == "3"
    assert [each.attrib["message"] for each in root.iter("skipped")] == ["not run yet"] * 3


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_makes_valid_xml(maker: Callable[..., Maker], text: str) -> None:
    made = maker()
    made.marked(made.case("a", question=text, categories=(text,)), 0.1, reply=Reply(text=text))
    made.broken(made.case("b"), "environment", text, detail=text)
    assert_as_ci_reads_it(written(made.sample()))


def test_the_note_on_the_embedded_reviewer_is_a_property(sample: Sample) -> None:
    notes = [each.attrib["value"] for each in written(sample).iter("property") if each.attrib["name"] == "note"]
    assert any("embedded reviewer" in note for note in notes)


def test_gates_are_a_suite_of_their_own_and_counted(sample: Sample) -> None:
    texts = ("pass_rate>=0.01", "pass_rate>=0.99", "pass_rate>=0.5", "failures<=0")
    gates = judge([parse(text) for text in texts], sample.findings, lambda _: sample.findings, force=True)
    assert [gate.verdict for gate in gates] == ["met", "not met", "inconclusive", "not met"]
    root = written(sample, gates)
    assert_as_ci_reads_it(root)
    said, plain = root[0], written(sample)
    assert [(case.attrib["name"], case[0].tag) for case in said] == list(
        zip(texts, ("system-out", "failure", "skipped", "failure"), strict=True)
    )
    assert said[1][0].attrib["message"].startswith("The pass rate is ")
    for name, more in {"tests": 4, "failures": 2, "errors": 0, "skipped": 1}.items():
        assert int(said.attrib[name]) == more
        assert int(root.attrib[name]) == int(plain.attrib[name]) + more
    assert ET.tostring(root[1]) == ET.tostring(plain[0])
