"""A link that opens one run to be read: what it opens, and what ends it."""

from __future__ import annotations

import logging
import re
import stat
import time
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.web.browsing import TOKEN, Browser
from tests.web.conftest import Opener
from tests.web.test_home import examined, numbered

from proctor.run import Run
from proctor.workflows.human_labels import put_label


@pytest.fixture
def owner(opened: Opener, demo_run: Run) -> Browser:
    """Somebody who has logged in."""
    browser = opened(token=TOKEN)
    browser.log_in()
    return browser


@pytest.fixture
def guest(owner: Browser) -> Browser:
    """Somebody at the same server who has not."""
    return Browser(owner.app)


def link_to(owner: Browser, run: Run, days: int = 7) -> str:
    """The address that the run's page shows anew, without the server's name."""
    known = links_on(owner, run)
    assert owner.post(f"/runs/{run.id}/share", {"days": str(days)}).status_code == 303
    [link] = links_on(owner, run) - known
    return link


def links_on(owner: Browser, run: Run) -> set[str]:
    found = re.findall(r'value="http://localhost(/shared/[^"]+)"', owner.page(f"/runs/{run.id}"))
    return {unescape(link) for link in found}


def opened_by(guest: Browser, link: str) -> str:
    """Where the link leads."""
    answer = guest.get(link)
    assert answer.status_code == 303, answer.text
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    return str(answer.headers["location"])


def cookie_of(guest: Browser) -> dict[str, str]:
    return {"cookie": f"proctor_share={guest.client.cookies['proctor_share']}"}


def test_a_link_opens_the_run_and_its_attempts_to_who_cannot_log_in(
    owner: Browser, guest: Browser, demo_run: Run
) -> None:
    assert guest.get(f"/runs/{demo_run.id}").headers["location"].startswith("/login")
    where = opened_by(guest, link_to(owner, demo_run))
    page = guest.page(where)
    assert "shared with you to read" in page
    assert "What colour is the tide?" in page
    assert "What colour is the tide?" in guest.page(f"{where}/attempt?case=nonsense")
    assert guest.page(f"{where}?verdict=passed&sort=-score")
    assert "<form" not in page.replace('<form class="filters"', ""), "nothing can be changed"
    assert "/export/" not in page
    assert "/shared/" not in page, "nobody shares further what was shared"


def test_nobody_who_follows_a_link_is_told_on_which_replies_people_disagree(
    owner: Browser, guest: Browser, demo_run: Run, store_path: str
) -> None:
    key = next(attempt.key for attempt in owner.site.store.archive.attempts(demo_run.id))
    for who, passed in (("ann", True), ("bob", False)):
        put_label(key, passed=passed, who=who, store=store_path)
    assert "people=disagree" in owner.page(f"/runs/{demo_run.id}")
    where = opened_by(guest, link_to(owner, demo_run))
    page = guest.page(where)
    assert "disagree" not in page
    assert "/judges" not in page
    rows = [guest.page(f"{where}?by=attempt{chosen}").count("<tr") for chosen in ("", "&people=disagree")]
    assert rows[0] == rows[1] > 1


def test_it_opens_nothing_else(owner: Browser, guest: Browser, demo_run: Run, store_path: str) -> None:
    other = examined(store_path, numbered(), right=3)
    where = opened_by(guest, link_to(owner, demo_run))
    cookie = cookie_of(guest)
    others = ["/", "/runs", "/settings", "/benchmarks", "/compare", f"/runs/{other.id}", f"/runs/{other.id}/attempt"]
    others += [f"{where}/{each}" for each in ("export/json", "events", "parts", "label", "judges", "compare")]
    others += ["/runs/last", f"/runs/{demo_run.id[:8]}", "/runs/two questions", "/runs/new"]
    for address in others:
        answer = guest.get(address, headers=cookie)
        assert answer.status_code == 303, address
        assert answer.headers["location"].startswith("/login"), address
    assert guest.get(f"/api/runs/{demo_run.id}", headers=cookie).status_code == 401
    assert guest.get("/api/runs", headers=cookie).status_code == 401


def test_nothing_is_changed_by_it(owner: Browser, guest: Browser, demo_run: Run) -> None:
    where = opened_by(guest, link_to(owner, demo_run))
    token = guest.form_token(where)
    for address in (where, f"{where}/attempt"):
        answer = guest.client.post(address, data={"form_token": token})
        assert answer.status_code == 403
        assert "opens the run to be read" in answer.text
    for act in ("delete", "describe", "share", "unshare", "rescore", "extend", "sync", "resume"):
        answer = guest.client.post(f"{where}/{act}", data={"form_token": token, "days": "1", "name": "stolen"})
        assert answer.headers["location"].startswith("/login"), act
    for method in ("PUT", "PATCH", "DELETE"):
        assert guest.client.request(method, where).status_code == 403
    assert (
        guest.client.patch(f"/api/runs/{demo_run.id}", json={"name": "x"}, headers=cookie_of(guest)).status_code == 401
    )
    assert owner.site.store.archive.find(demo_run.id) == demo_run
    assert len(owner.site.shares.of(demo_run.id)) == 1


def test_a_revoked_link_opens_nothing_also_where_it_was_open(owner: Browser, guest: Browser, demo_run: Run) -> None:
    link, kept = link_to(owner, demo_run), link_to(owner, demo_run)
    where = opened_by(guest, link)
    [share] = [each for each in owner.site.shares.of(demo_run.id) if each.id in link]
    assert owner.post(f"/runs/{demo_run.id}/unshare", {"link": share.id}).status_code == 303
    assert guest.get(where).headers["location"].startswith("/login")
    assert "it has expired, was revoked" in guest.get(link).text
    assert guest.get(kept).status_code == 303, "others stay"


def test_a_link_ends_with_its_day(
    owner: Browser, guest: Browser, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = link_to(owner, demo_run, days=2)
    where = opened_by(guest, link)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 2 * 86400 - 60)
    assert guest.get(where).status_code == 200
    monkeypatch.setattr(time, "time", lambda: now + 2 * 86400 + 1)
    assert guest.get(where).status_code == 303
    assert guest.get(link).status_code == 404
    assert owner.site.shares.of(demo_run.id) == []


@pytest.mark.parametrize("days", ["0", "91", "-1", "x", "1e3"])
def test_a_link_is_good_for_some_days_and_not_for_ever(owner: Browser, demo_run: Run, days: str) -> None:
    assert owner.post(f"/runs/{demo_run.id}/share", {"days": days}).status_code in (400, 422)
    assert owner.site.shares.of(demo_run.id) == []


def test_a_link_that_was_tampered_with_opens_nothing(
    owner: Browser, guest: Browser, demo_run: Run, store_path: str
) -> None:
    other = examined(store_path, numbered(), right=3)
    mine, theirs = link_to(owner, demo_run), link_to(owner, other)
    identity, _, signature = mine.removeprefix("/shared/").partition(".")
    stranger, _, _ = theirs.removeprefix("/shared/").partition(".")
    turned = signature[:-1] + ("0" if signature[-1] != "0" else "1")
    for token in (f"{identity}.{turned}", f"{stranger}.{signature}", identity, f"{identity}.", f"../{identity}", "x"):
        assert guest.get(f"/shared/{token}").status_code in (404, 303), token
        assert "proctor_share" not in guest.client.cookies
        assert guest.get(f"/runs/{demo_run.id}", headers={"cookie": f"proctor_share={token}"}).status_code == 303
    record = owner.site.settings.folder / "web"
    [path] = record.glob(f"shares-*/{identity}.json")
    path.write_text(path.read_text().replace(demo_run.id, other.id))
    assert guest.get(mine).status_code == 404, "what is signed is the run, too"


def test_a_link_outlives_the_server_but_not_its_run(owner: Browser, opened: Opener, demo_run: Run) -> None:
    link = link_to(owner, demo_run)
    again = opened(token="another token, longer")
    where = opened_by(again, link)
    assert again.get(where).status_code == 200
    owner.post("/chosen/delete", {"run": [demo_run.id]})
    assert again.get(where).status_code == 404


def test_logging_out_everywhere_leaves_links_as_they_are(owner: Browser, guest: Browser, demo_run: Run) -> None:
    link = link_to(owner, demo_run)
    owner.post("/logout")
    assert opened_by(guest, link)


def test_the_secret_of_a_link_is_in_no_log_and_in_no_file(
    owner: Browser, guest: Browser, demo_run: Run, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    link = link_to(owner, demo_run)
    guest.get(link)
    secret = link.rpartition(".")[2]

    def broken(token: str) -> Any:
        raise RuntimeError("on purpose")

    monkeypatch.setattr(owner.site.shares, "read", broken)
    assert guest.get(link).status_code == 500
    said = [record.getMessage() for record in caplog.records if record.name.startswith("proctor")]
    assert said == ["GET /shared/…"]
    assert not any(secret in text for text in said)
    files = [path for path in owner.site.settings.folder.rglob("*") if path.is_file()]
    assert not any(secret.encode() in path.read_bytes() for path in files)
    [key] = [path for path in files if path.name == "share.key"]
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_server_without_a_token_has_nothing_to_share(browser: Browser, demo_run: Run) -> None:
    assert "Make a link" not in browser.page(f"/runs/{demo_run.id}")
    answer = browser.post(f"/runs/{demo_run.id}/share", {"days": "7"})
    assert "asks nobody for a token" in unescape(answer.text)


def test_programs_share_list_and_revoke(owner: Browser, guest: Browser, demo_run: Run) -> None:
    bearer = {"authorization": f"Bearer {TOKEN}"}
    made = guest.client.post(f"/api/runs/{demo_run.id}/shares", json={"days": 3}, headers=bearer)
    assert made.status_code == 201
    assert opened_by(guest, made.json()["path"]) == f"/runs/{demo_run.id}"
    listed = guest.get(f"/api/runs/{demo_run.id}/shares", headers=bearer).json()["shares"]
    assert [each["id"] for each in listed] == [made.json()["id"]]
    address = f"/api/runs/{demo_run.id}/shares/{made.json()['id']}"
    assert guest.client.delete(address, headers=bearer).status_code == 204
    assert guest.client.delete(address, headers=bearer).status_code == 404
    assert guest.get(made.json()["path"]).status_code == 404
    assert guest.client.post(f"/api/runs/{demo_run.id}/shares", json={"days": 400}, headers=bearer).status_code == 422


def test_a_run_that_goes_on_is_loaded_anew_for_a_guest(owner: Browser, guest: Browser, demo_run: Run) -> None:
    where = opened_by(guest, link_to(owner, demo_run))
    owner.site.store.journal.mark(demo_run.id, "queued")
    page = guest.page(where)
    assert '<meta http-equiv="refresh" content="15">' in page
    assert "data-live" not in page


def test_files_of_links_are_nobody_elses(owner: Browser, demo_run: Run) -> None:
    link_to(owner, demo_run)
    [folder] = Path(owner.site.settings.folder / "web").glob("shares-*")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in folder.iterdir())
