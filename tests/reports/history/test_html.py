from __future__ import annotations

import re

from tests.made_histories import a_run, counts, story, told

from proctor.reports.history.html import page


def test_the_page_has_the_chart_and_every_run() -> None:
    said = page(told())
    assert said.count('<svg xmlns="http://www.w3.org/2000/svg" class="history"') == 1
    assert re.findall(r'title="run ([^"]+)"', said) == [entry.run.id for entry in told().entries]
    assert "another version of the benchmark" in said
    assert "+18.3 points (+6 to +29) since 11 Nov, p = 0.002" in said


def test_nothing_is_loaded_from_elsewhere_and_nothing_runs() -> None:
    said = page(told(by="model"))
    assert "<script" not in said
    assert not re.search(r'(?:src|href)="', said)
    assert set(re.findall(r"https?://[^\"' ]+", said)) == {"http://www.w3.org/2000/svg"}


def test_other_people_s_text_is_escaped() -> None:
    evil = '"><script>alert(1)</script>\x1b'
    run = a_run(3, name=evil, labels={evil: evil}, status="failed", reason=evil)
    said = page(told([*story()[:2], (run, counts())], others=(evil,)))
    assert "<script" not in said
    assert "\x1b" not in said


def test_a_run_that_cannot_be_read_is_a_row_all_the_same() -> None:
    assert "damaged" in page(told([(a_run(1, planned=0, status="failed", reason="damaged"), {})]))
