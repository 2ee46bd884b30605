"""The doing pages: benchmarks, a new one, agents, a new run."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.web.browsing import Browser

GOOD = "".join(f'"Question {number}?";"Answer {number}"\n' for number in range(1, 13))
BAD = GOOD + '"no answer here"\n"";"nothing asked"\n'
ATTACK = "<script>window.attacked = true</script>"
PARENT = '"What colour is the tide?";"green"\n'


def upload(browser: Browser, content: str | bytes, *, file: str = "faq.csv", **fields: str) -> Any:
    data = content.encode() if isinstance(content, str) else content
    answer = browser.post("/benchmarks/new", {"name": "FAQ", **fields}, files={"file": (file, data)})
    kept = answer.headers.get("location", "").startswith("/benchmarks/new?kept=")
    return browser.get(answer.headers["location"]) if kept else answer


def value(page: str, name: str) -> str:
    """What a field of the form holds."""
    found = re.search(rf'<input[^>]* name="{re.escape(name)}"[^>]*? value="([^"]*)"', page)
    found = found or re.search(rf'<textarea[^>]* name="{re.escape(name)}"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL)
    assert found is not None, name
    return unescape(found[1])


def declare(folder: Path, text: str) -> None:
    (folder / "proctor.toml").write_text(text, encoding="utf-8")


# create --------------------------------------------------------------------------------------------


def test_a_file_is_looked_at_before_anything_is_kept(browser: Browser) -> None:
    answer = upload(browser, GOOD, do="look")
    assert answer.status_code == 200
    assert "12 questions" in answer.text
    assert answer.text.count('<td class="number muted">') == 10
    assert "10 to 200 questions" in answer.text
    assert not any(each.own for each in browser.site.library.all())


def test_every_error_is_told_with_its_line_and_the_form_keeps_what_was_typed(browser: Browser) -> None:
    answer = upload(browser, BAD, do="save", description="Asked most often")
    assert answer.status_code == 422
    assert re.search(r'<td class="number">13</td>.*Invalid number of fields', answer.text)
    assert re.search(r'<td class="number">14</td>.*Question field is required', answer.text)
    assert value(answer.text, "name") == "FAQ"
    assert value(answer.text, "description") == "Asked most often"
    assert value(answer.text, "text") == BAD
    assert not any(each.own for each in browser.site.library.all())


def test_text_that_was_corrected_in_the_form_is_saved_instead_of_the_file(browser: Browser) -> None:
    page = upload(browser, BAD).text
    fields = {name: value(page, name) for name in ("name", "kept", "called")}
    corrected = BAD.replace('"no answer here"', '"asked";"answered"').replace('"";', '"And this?";')
    answer = browser.post("/benchmarks/new", {**fields, "do": "save", "text": corrected.replace("\n", "\r\n")})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/benchmarks/faq"
    assert browser.site.library.path("faq").read_text() == corrected


def test_a_file_that_was_looked_at_is_saved_byte_for_byte(browser: Browser) -> None:
    content = "\ufeff".encode() + GOOD.replace("\n", "\r\n").encode()
    page = upload(browser, content).text
    fields = {name: value(page, name) for name in ("name", "kept", "called", "text")}
    assert browser.post("/benchmarks/new", {**fields, "do": "save"}).status_code == 303
    assert browser.site.library.path("faq").read_bytes() == content


def test_a_file_too_long_for_the_form_is_kept_while_the_form_is_corrected(browser: Browser) -> None:
    content = "".join(f'"Question {number}? {"why " * 50}";"Answer"\n' for number in range(5000))
    page = upload(browser, content, name="n" * 201, do="save").text
    assert value(page, "text") == ""
    fields = {"name": "long", "do": "save", "kept": value(page, "kept"), "called": value(page, "called")}
    assert browser.post("/benchmarks/new", fields).status_code == 303
    assert browser.site.library.find("long").newest.cases == 5000


def test_a_file_beyond_the_limit_is_told_and_nothing_of_it_is_kept(browser: Browser) -> None:
    answer = upload(browser, '"q";"a"\n' * 300_000)
    assert answer.status_code == 422
    assert "2" in answer.text
    assert value(answer.text, "kept") == ""
    assert value(answer.text, "name") == "FAQ"


def test_rows_can_be_pasted_without_any_file(browser: Browser) -> None:
    answer = browser.post("/benchmarks/new", {"name": "pasted", "text": GOOD, "do": "save"})
    assert answer.headers["location"] == "/benchmarks/pasted"


def test_a_form_without_a_file_says_so(browser: Browser) -> None:
    answer = browser.post("/benchmarks/new", {"name": "nothing", "do": "save"})
    assert answer.status_code == 422
    assert "There is no file yet" in answer.text
    assert value(answer.text, "name") == "nothing"


@pytest.mark.parametrize("kept", ["../../proctor.toml", "0" * 31, "/etc/passwd", "%2e%2e"])
def test_what_was_kept_is_found_by_its_digest_and_by_nothing_else(browser: Browser, tmp_path: Path, kept: str) -> None:
    declare(tmp_path, "# nothing\n")
    answer = browser.post("/benchmarks/new", {"name": "x", "kept": kept, "called": "x.csv", "do": "save"})
    assert "There is no file yet" in answer.text


def test_what_a_file_says_is_escaped_everywhere(browser: Browser) -> None:
    page = upload(browser, f'"{ATTACK}";"{ATTACK}"\n"{ATTACK}"\n', name=ATTACK, file=f"{ATTACK}.csv").text
    assert ATTACK not in page
    upload(browser, f'"{ATTACK}";"{ATTACK}"\n', name=f"a {ATTACK}", description=ATTACK, do="save")
    [saved] = [each for each in browser.site.library.all() if each.own]
    for address in ("/benchmarks", f"/benchmarks/{saved.id}", f"/runs/new?benchmark={saved.id}"):
        assert ATTACK not in browser.page(address)


# the list and one of it ------------------------------------------------------------------------------


def test_without_a_benchmark_of_ones_own_the_list_leads_to_creating_one_and_to_the_demonstration(
    browser: Browser,
) -> None:
    page = browser.page("/benchmarks")
    assert 'href="/benchmarks/new"' in page
    assert 'action="/demo"' in page
    assert "handbook-30" in page


def test_a_changed_file_is_a_new_version_and_the_old_one_stays_readable(browser: Browser) -> None:
    upload(browser, PARENT, do="save")
    upload(browser, GOOD, do="save")
    newest, oldest = browser.site.library.find("faq").versions
    assert "Question 12?" in browser.page("/benchmarks/faq")
    page = browser.page(f"/benchmarks/faq?version={oldest.id}")
    assert "What colour is the tide?" in page
    assert "This is an older version" in page
    assert newest.id in page
    assert browser.get(f"/benchmarks/faq/file?version={oldest.id}").text == PARENT
    assert browser.get("/benchmarks/faq?version=000000000000").status_code == 404


def test_cases_are_searched_and_counted(browser: Browser) -> None:
    upload(browser, GOOD, do="save")
    page = browser.page("/benchmarks/faq?q=answer+12")
    assert "1 case of 12" in page
    assert "Question 12?" in page
    assert "Question 3?" not in page
    assert "No case says that" in browser.page("/benchmarks/faq?q=heron")


def test_the_doctor_says_what_is_wrong_and_leads_to_the_cases(browser: Browser) -> None:
    upload(browser, GOOD + '"Question 1?";"Another answer"\n', do="save")
    page = browser.page("/benchmarks/faq")
    while "still reading" in page:  # a busy machine
        page = browser.page("/benchmarks/faq")
    doctor = page[page.index("The doctor") : page.index('id="cases"')]
    assert 'class="error"' in doctor or 'class="warning"' in doctor
    assert "#case-1" in doctor
    assert 'id="case-1"' in page


def test_a_page_does_not_wait_for_a_doctor_who_has_much_to_read(browser: Browser) -> None:
    rows = (
        f'"Question {number}, of topic {number % 97}, by {number * 7919 % 10007}?";"A"\n' for number in range(30_000)
    )
    upload(browser, "".join(rows), do="save")
    page = browser.page("/benchmarks/faq")
    assert "still reading" in page
    assert "30,000 cases" in page


def test_a_download_is_saved_and_never_shown(browser: Browser) -> None:
    answer = browser.get("/benchmarks/handbook-30/file")
    assert answer.headers["content-disposition"].startswith("attachment")


def test_a_benchmark_of_ones_own_can_be_deleted_and_an_embedded_one_cannot(browser: Browser) -> None:
    upload(browser, GOOD, do="save")
    assert browser.post("/benchmarks/faq/delete").status_code == 303
    assert browser.get("/benchmarks/faq").status_code == 404
    assert browser.post("/benchmarks/handbook-30/delete").status_code == 400


# agents ----------------------------------------------------------------------------------------------


def test_agents_are_those_of_the_configuration_without_their_options(browser: Browser, tmp_path: Path) -> None:
    declare(tmp_path, '[agents.mine]\nspec = "https://agent.example/secret-path"\nheaders = {place = "s3cret"}\n')
    page = browser.page("/agents")
    assert "mine" in page
    assert "s3cret" not in page
    assert "secret-path" not in page


def test_one_question_is_answered_on_the_page(browser: Browser) -> None:
    question = "How many days of paid holiday do full-time staff have?"
    answer = browser.post("/agents/try", {"agent": "demo:librarian", "question": question})
    assert answer.status_code == 200
    assert "28 days of paid holiday" in answer.text
    assert "search_knowledge" in answer.text
    assert value(answer.text, "question") == question
    assert browser.site.store.archive.runs() == []


def test_trouble_with_an_agent_is_told_with_whose_it_is(browser: Browser, tmp_path: Path) -> None:
    declare(tmp_path, '[agents.broken]\nspec = "python:no_such_module:answer"\n')
    answer = browser.post("/agents/try", {"agent": "broken", "question": "Hello?"})
    assert answer.status_code == 200
    assert "misconfigured: " in answer.text
    assert "no_such_module" in answer.text


@pytest.mark.parametrize("agent", ["python:os:system", "command:touch attacked", "http://127.0.0.1:9/"])
def test_agents_that_run_code_never_come_from_a_form(browser: Browser, tmp_path: Path, agent: str) -> None:
    tried = browser.post("/agents/try", {"agent": agent, "question": "attacked"})
    assert tried.status_code == 422
    assert "there is no agent" in tried.text
    started = browser.post("/runs/new", {"benchmark": "handbook-30", "agent": agent, "do": "start"})
    assert started.status_code == 422
    assert browser.site.store.archive.runs() == []
    assert not (tmp_path / "attacked").exists()


def test_an_empty_question_is_not_asked(browser: Browser) -> None:
    answer = browser.post("/agents/try", {"agent": "demo:librarian", "question": " "})
    assert answer.status_code == 422
    assert "Expected a question" in answer.text


# a new run -------------------------------------------------------------------------------------------


def test_a_type_that_is_not_recommended_can_be_chosen_and_one_that_is_refused_cannot(browser: Browser) -> None:
    upload(browser, PARENT, do="save")
    page = browser.page("/runs/new?benchmark=faq")
    assert not re.search(r'value="abm-(static|dynamic)"[^>]* disabled', page)
    assert "under 10 questions: not recommended" in page
    chosen = {"benchmark": "faq", "agent": "demo:librarian", "type": "abm-static", "do": "start"}
    assert browser.post("/runs/new", chosen).status_code == 303
    upload(browser, "".join(f'"Question {number}?";"yes"\n' for number in range(201)), do="save")
    page = browser.page("/runs/new?benchmark=faq")
    assert re.search(r'value="abm-static"[^>]* disabled', page)
    assert "exceeds maximum" in page


SUITE = "name: own name\ncases:\n- id: one\n  question: What colour is the tide?\n  reference: green\n"


def test_a_suite_is_known_by_the_name_under_which_it_was_saved(browser: Browser) -> None:
    upload(browser, SUITE, file="suite.yaml", name="Given name", do="save")
    chosen = {"benchmark": "given-name", "agent": "demo:librarian", "do": "start"}
    assert browser.post("/runs/new", chosen).status_code == 303
    [run] = browser.site.store.archive.runs()
    assert (run.benchmark, run.name) == ("Given name", "librarian on Given name")
    assert browser.site.store.archive.benchmark_of(run.id).name == "Given name"
    page = browser.page("/benchmarks/given-name")
    assert "1 run<" in page
    [history] = re.findall(r'href="(/history[^"]+)"', page)
    assert browser.get(unescape(history)).status_code == 200


def test_runs_of_another_benchmark_with_the_same_content_are_not_counted(browser: Browser) -> None:
    upload(browser, SUITE, file="suite.yaml", name="Given name", do="save")
    browser.post("/runs/new", {"benchmark": "given-name", "agent": "demo:librarian", "do": "start"})
    upload(browser, SUITE, file="suite.yaml", name="Other", do="save")
    page = browser.page("/benchmarks/other")
    assert "0 runs<" in page
    assert "/history" not in page.partition("<main")[2]


def test_a_suite_without_a_given_name_is_no_version_of_what_was_there(browser: Browser) -> None:
    assert upload(browser, SUITE, file="suite.yaml", name="", do="save").status_code == 303
    again = upload(browser, SUITE.replace("green", "blue"), file="suite.yaml", name="", do="save")
    assert again.status_code == 422
    assert "there is a benchmark of that name already" in again.text
    assert len(browser.site.library.find("own-name").versions) == 1
    assert upload(browser, SUITE.replace("green", "blue"), file="s.yaml", name="own name", do="save").status_code == 303
    assert len(browser.site.library.find("own-name").versions) == 2


def test_the_estimate_stands_beside_the_form_before_anybody_is_called(browser: Browser) -> None:
    page = browser.page("/runs/new?benchmark=handbook-30&agent=demo%3Alibrarian&trials=3")
    assert "30 cases × 3 trials" in page
    assert re.search(r'class="figure">90 ', page)
    assert browser.site.store.archive.runs() == []


def test_a_model_that_judges_is_counted_with_its_cost(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    declare(
        tmp_path,
        '[reviewers.strict]\nspec = "model:openai:gpt-4o-mini"\n'
        '[prices."openai:gpt-4o-mini"]\ninput = 0.15\noutput = 0.6\n',
    )
    page = browser.page("/runs/new?benchmark=handbook-30&agent=demo%3Alibrarian&reviewer=strict")
    taken = page[page.index('class="taken"') :]
    assert re.search(r"Model calls</dt><dd>30 ", taken)
    assert re.search(r"Cost</dt><dd>0\.\d+ ", taken)
    assert "Tokens out" in taken


def test_looking_gives_the_form_an_address_of_its_own(browser: Browser) -> None:
    answer = browser.post("/runs/new", {"benchmark": "handbook-30", "agent": "demo:librarian", "trials": "2"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/runs/new?benchmark=handbook-30&agent=demo%3Alibrarian&trials=2"
    assert "form_token" not in answer.headers["location"]


def test_a_run_is_started_as_it_was_filled_in(browser: Browser) -> None:
    fields = {
        "benchmark": "handbook-30", "agent": "demo:pushover", "type": "abm-dynamic", "examiner": "prober",
        "trials": "2", "max_turns": "4", "seeds": "3", "passing_score": "0.6", "weight.correctness": "1",
        "labels": "model=small\r\nteam=blue", "name": "pressed", "timeout": "5", "do": "start",
    }  # fmt: skip
    answer = browser.post("/runs/new", fields)
    assert answer.status_code == 303, answer.text
    [run] = browser.site.store.archive.runs()
    assert answer.headers["location"] == f"/runs/{run.id}"
    assert (run.name, run.agent, run.status, run.planned) == ("pressed", "demo:pushover", "queued", 6)
    assert run.labels.items() >= {"model": "small", "team": "blue"}.items()
    settings = run.settings
    assert (settings.type, settings.trials, settings.max_turns, settings.seeds) == ("abm-dynamic", 2, 4, 3)
    assert (settings.passing_score, settings.weights, settings.timeout) == (0.6, {"correctness": 1.0}, 5.0)
    assert "pressed" in browser.page(f"/runs/{run.id}")


def test_another_suite_s_checks_can_be_held_to_as_well(browser: Browser) -> None:
    upload(browser, PARENT, do="save")
    polite = "name: manners\nexpect: {exclusions: [nonsense]}\ncases: [{id: a, question: Anything?}]\n"
    upload(browser, polite, file="manners.yaml", name="manners", do="save")
    page = browser.page("/runs/new?benchmark=faq")
    offered = page[page.index('<select id="checks"') :]
    assert '<option value="manners">' in offered[: offered.index("</select>")]
    asked = {"benchmark": "faq", "agent": "demo:librarian", "budget": "2.5", "max_tokens": "1000", "do": "start"}
    assert browser.post("/runs/new", asked | {"checks": "manners"}).status_code == 303
    [run] = browser.site.store.archive.runs()
    assert run.settings.checks is not None
    assert run.settings.checks.startswith("manners.yaml ")
    assert (run.settings.budget, run.settings.max_tokens) == (2.5, 1000)
    assert browser.post("/runs/new", asked | {"checks": "handbook-30"}).status_code == 422


def test_fields_that_a_type_hides_do_not_stop_it(browser: Browser) -> None:
    fields = {"benchmark": "handbook-30", "agent": "demo:librarian", "max_turns": "4", "seeds": "3"}
    answer = browser.post("/runs/new", {**fields, "examiner": "prober", "do": "start"})
    assert answer.status_code == 303, answer.text


def test_an_older_version_is_played_where_it_is_chosen(browser: Browser) -> None:
    upload(browser, PARENT, do="save")
    upload(browser, GOOD, do="save")
    oldest = browser.site.library.find("faq").versions[-1]
    browser.post("/runs/new", {"benchmark": "faq", "version": oldest.id, "agent": "demo:librarian", "do": "start"})
    [run] = browser.site.store.archive.runs()
    assert (run.digest, run.planned) == (oldest.digest, 1)


def test_conditions_that_are_declared_are_offered_and_played(browser: Browser, tmp_path: Path) -> None:
    declare(tmp_path, '[conditions.search-fails]\ntool = "search_knowledge"\nfails = 2\n')
    assert 'value="search-fails"' in browser.page("/runs/new")
    fields = {"benchmark": "handbook-30", "agent": "demo:orchestrator", "do": "start"}
    answer = browser.post("/runs/new", {**fields, "condition": ["none", "search-fails"]})
    assert answer.status_code == 303, answer.text
    assert browser.site.store.archive.runs()[0].settings.conditions == ("", "search-fails")


@pytest.mark.parametrize(
    ("field", "typed", "told"),
    [
        ("trials", "many", "not a whole number"),
        ("trials", "0", "at least 1"),
        ("passing_score", "2", "from 0 to 1"),
        ("weight.reasoning", "heavy", "not a number"),
        ("labels", "without a sign", "name=value"),
        ("benchmark", "../../etc", "no benchmark"),
        ("reviewer", "python:os:system", "no reviewer"),
    ],
)
def test_what_cannot_be_is_told_and_the_form_keeps_what_was_typed(
    browser: Browser, field: str, typed: str, told: str
) -> None:
    fields = {"benchmark": "handbook-30", "agent": "demo:librarian", "name": "mine", "do": "start", field: typed}
    answer = browser.post("/runs/new", fields)
    assert answer.status_code == 422
    assert told in unescape(answer.text)
    assert value(answer.text, "name") == "mine"
    if field not in ("benchmark", "reviewer"):
        assert value(answer.text, field) == typed
        said = re.search(rf'id="{re.escape(field)}"[^>]*aria-describedby="([^"]*)" aria-invalid="true"', answer.text)
        assert said is not None
        assert all(f'id="{each}"' in answer.text for each in said[1].split())
    assert browser.site.store.archive.runs() == []


def test_desktop_agents_are_shown_and_cannot_be_chosen(browser: Browser, tmp_path: Path) -> None:
    declare(tmp_path, '[agents.clicks]\nspec = "command:cat"\nkind = "desktop"\n')
    assert re.search(r'<option value="clicks"[^>]* disabled', browser.page("/runs/new"))


# the demonstration -----------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/", "/runs", "/benchmarks", "/agents"])
def test_empty_pages_lead_to_the_demonstration_in_one_click(browser: Browser, address: str) -> None:
    assert 'action="/demo" method="post"' in browser.page(address)


def test_the_demonstration_is_stored_and_waits_to_be_played(browser: Browser) -> None:
    answer = browser.post("/demo")
    assert answer.status_code == 303
    runs = browser.site.store.archive.runs()
    assert {run.status for run in runs} == {"queued"}
    assert answer.headers["location"] in {f"/runs/{run.id}" for run in runs}
    assert "librarian on" in browser.page(answer.headers["location"])


@pytest.mark.parametrize("address", ["/demo", "/runs/new", "/benchmarks/new", "/agents/try", "/benchmarks/x/delete"])
def test_forms_without_the_token_of_their_session_reach_nothing(browser: Browser, address: str) -> None:
    assert browser.client.post(address, data={"do": "start"}).status_code == 403
    assert browser.site.store.archive.runs() == []
