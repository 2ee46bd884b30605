"""The page that tells how many cases, trials and labels it takes."""

from __future__ import annotations

import pytest
from tests.web.browsing import Browser

from proctor.cli import main
from proctor.run import Run


def numbers_in(page: str) -> list[str]:
    answer = page.partition('<section class="block planned"')[2]
    return [cell.partition("<")[0] for cell in answer.split('<td class="number">')[1:]]


def test_the_page_says_what_the_terminal_says(browser: Browser, capsys: pytest.CaptureFixture[str]) -> None:
    page = browser.page("/plan?what=difference&difference=0.05&flips=0.10&noise=0&power=0.8&trials=1,2,4")
    main(["plan", "--difference", "0.05", "--flips", "0.10"])
    said = capsys.readouterr().out
    assert said.splitlines()[0] in page
    assert all(number in said for number in numbers_in(page))
    assert len(numbers_in(page)) == 9


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("what=gate&gate=pass_rate>=0.9&failures=2", "The fewest cases with which pass_rate&gt;=0.9 can be met"),
        ("what=early&gate=pass_rate>=0.9&cases=100&each=1", "on 100 cases, looked at every 5 %"),
        ("what=labels&labels=0.03&rate=0.9", "judge and people correlate"),
    ],
)
def test_every_question_has_an_answer(browser: Browser, asked: str, expected: str) -> None:
    page = browser.page(f"/plan?{asked}")
    assert expected in page
    assert numbers_in(page)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("what=difference&difference=much", "&#39;much&#39; is not a number"),
        ("what=difference&difference=0.05&flips=", "flip"),
        ("what=difference&difference=0.05&flips=0.1&trials=1,two", "is not a number of trials"),
        (f"what=difference&difference=0.05&flips=0.1&trials=000000001{'9' * 5000}", "is not a number of trials"),
        ("what=early&gate=pass_rate>=0.9&cases=100&each=1,2", "expected one, such as 2"),
        (
            "what=difference&difference=1e-300&flips=0.1",
            "“Difference to detect” 1e-300 is not usable; expected a share from 0.000001 to below 1",
        ),
        (f"what=gate&gate=pass_rate>=0.9&failures={'9' * 400}", "expected 0 to 1,000,000"),
        (f"what=gate&gate=pass_rate>=0.9&failures={'9' * 5000}", "is not a whole number"),
        ("what=gate&gate=pass_rate>=0.9&failures=-1", "expected 0 to 1,000,000"),
        (f"what=gate&gate=not worse than last by 0.{'0' * 200}1&flips=0.1", "margin"),
        ("what=gate&gate=nonsense", "nonsense"),
        ("what=early&gate=pass_rate>=0.9&cases=100000", "expected 2 to 2,000 cases"),
        ("what=labels&labels=7", "expected half the width of an interval, from 0.001 to 0.5"),
    ],
)
def test_what_cannot_be_planned_says_what_would_be(browser: Browser, asked: str, expected: str) -> None:
    answer = browser.get(f"/plan?{asked}")
    assert answer.status_code == 422
    assert expected in answer.text
    assert "--" not in answer.text.partition("<main")[2], "whoever reads a page has no terminal"


def test_a_run_without_labels_is_no_plan_in_words_of_the_page(browser: Browser, demo_run: Run) -> None:
    answer = browser.get(f"/plan?what=labels&labels=0.03&run={demo_run.id}")
    assert answer.status_code == 422
    assert "label some of it first, or choose no stored run" in answer.text
    assert "proctor label" not in answer.text


def test_a_plan_can_rest_on_a_stored_run(browser: Browser, demo_run: Run) -> None:
    page = browser.page(f"/plan?what=difference&difference=0.1&flips=0.2&run={demo_run.id}&run=&trials=1,2")
    assert demo_run.id in page.partition("Rests on")[2].partition("</p>")[0]
    assert 'href="/plan"' in browser.page("/runs/new")
