"""The page on which judges stand beside people."""

from __future__ import annotations

import re

from tests.web.browsing import Browser

import proctor
from proctor.cli import main
from proctor.run import HumanLabel, Key, Run
from proctor.storage import Store


def label(store: Store, run: Run) -> None:
    """Somebody agrees with every second verdict."""
    attempts = list(store.archive.attempts(run.id))
    labels = [
        HumanLabel(key=Key(run=run.id, exam=each.key.exam, trial=each.key.trial), passed=bool(place % 2), who="ann")
        for place, each in enumerate(attempts)
    ]
    store.human_labels.put(run.id, labels)


def test_a_run_that_nobody_labelled_leads_to_labelling(browser: Browser, demo_run: Run) -> None:
    page = browser.page(f"/runs/{demo_run.id}/judges")
    assert "Nobody has labelled a reply of this run yet" in page
    assert f'href="/runs/{demo_run.id}/label"' in page


def test_the_judges_of_a_labelled_run_stand_beside_people(browser: Browser, store: Store, demo_run: Run) -> None:
    label(store, demo_run)
    page = browser.page(f"/runs/{demo_run.id}/judges")
    assert "labelled attempt" in page
    assert "embedded (the run&#39;s own)" in page
    assert "of passes: of what people pass, how much it passes" in page
    assert f'href="/runs/{demo_run.id}/judges">Which judge?' in browser.page(f"/runs/{demo_run.id}")


def test_what_is_said_of_judges_stands_with_their_table(
    browser: Browser, store: Store, store_path: str, demo_run: Run
) -> None:
    label(store, demo_run)
    assert main(["judges", demo_run.id, "--reviewer", "exact", "--store", store_path]) == 0
    page = browser.page(f"/runs/{demo_run.id}/judges")
    between = re.findall(r"</section>(.*?)<section", page.partition("<main")[2], re.DOTALL)
    assert between
    assert not any(each.strip() for each in between)


def test_a_judge_that_comes_with_proctor_is_not_offered_as_two(browser: Browser, store: Store, demo_run: Run) -> None:
    label(store, demo_run)
    page = browser.page(f"/runs/{demo_run.id}/judges")
    assert ">exact · comes with Proctor</option>" in page
    assert "· embedded" not in page


def test_a_panel_has_a_line_for_each_judge_on_the_page_of_its_run(browser: Browser, store_path: str) -> None:
    run = proctor.evaluate(
        [("one?", "yes")], agent=lambda question: "yes", reviewer=["embedded", "exact"], store=store_path
    ).run
    page = browser.page(f"/runs/{run.id}")
    assert "<h2>By judge</h2>" in page
    assert page.count('dir="auto">exact</td>') == 1


def test_a_run_that_was_judged_anew_shows_the_labels_of_its_replies_and_whose_they_are(
    browser: Browser, store: Store, store_path: str, demo_run: Run
) -> None:
    label(store, demo_run)
    again = proctor.rescore(demo_run.id, reviewer="exact", store=store_path).run.id
    page = browser.page(f"/runs/{again}")
    said = page.partition("As people judge")[2].partition("Which judge?")[0]
    assert f'given to the same replies in <a class="mono" href="/runs/{demo_run.id}">' in said
    assert f"the labels are those of run {demo_run.id}" in browser.page(f"/runs/{again}/judges")
    store.human_labels.take_back(next(iter(store.human_labels.of_run(demo_run.id))))
    assert browser.page(f"/runs/{again}").partition("As people judge")[2].partition("Which judge?")[0] != said
