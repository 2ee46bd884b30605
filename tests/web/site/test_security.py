"""Each rule of the guard, attacked."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from starlette.types import Message
from starlette.websockets import WebSocketDisconnect
from tests.web.browsing import TOKEN, Browser
from tests.web.conftest import Opener

from proctor.errors import UsageError
from proctor.web import pages
from proctor.web.site.clients import WrongTokens, client_address, networks
from proctor.web.site.security import host_name, local_path
from proctor.web.site.sessions import LIFETIME, Sessions
from proctor.web.site.settings import WebSettings

# the name by which the server is called --------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8321", "127.0.0.1.evil.example", "", "localhost.evil", "localhost.", "a@localhost",
     "localhost:80@evil.example", "localhost:80/evil", "localhost:", "localhost:eighty", "[::1", "[::1]evil", "::1"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/api/runs", "/static/app.css", "/health", "/login"])
def test_a_name_that_a_stranger_points_here_is_not_answered(browser: Browser, host: str, path: str) -> None:
    answer = browser.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1:8321", "[::1]:8321", "proctor.test"])
def test_names_of_this_machine_and_those_allowed_are_answered(opened: Opener, host: str) -> None:
    assert opened(names=("proctor.test",)).get("/", headers={"host": host}).status_code == 200


def test_a_server_for_other_machines_is_called_by_its_address_but_not_by_any_name() -> None:
    wide = WebSettings(store="x", host="0.0.0.0", token=TOKEN)
    assert wide.allows("192.168.1.7")
    assert not wide.allows("evil.example")
    assert not WebSettings(store="x").allows("192.168.1.7")


@pytest.mark.parametrize(
    ("header", "name"), [("a:1", "a"), ("[::1]:8", "::1"), ("[::1]", "::1"), ("a", "a"), ("a@b:1", ""), ("a:b", "")]
)
def test_the_port_is_no_part_of_the_name(header: str, name: str) -> None:
    assert host_name(header) == name


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.2", "::", "example.org"])
def test_listening_for_other_machines_without_a_token_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match="no token is set"):
        WebSettings(store="x", host=host).check()
    WebSettings(store="x", host=host, token=TOKEN).check()


def test_a_short_token_is_refused_without_being_repeated() -> None:
    with pytest.raises(UsageError, match="has 9 characters") as refused:
        WebSettings(store="x", token="guess-me!").check()
    assert "guess-me!" not in str(refused.value)


def test_settings_do_not_print_their_secrets() -> None:
    shown = repr(WebSettings(store="postgresql://u:hush@h/d", token=TOKEN))
    assert "hush" not in shown
    assert TOKEN not in shown


# requests that another site makes --------------------------------------------------------------------


def operations(browser: Browser, *, api: bool) -> list[tuple[str, str]]:
    """(method, path) of everything there is, with something in place of what stands in braces."""
    if api:
        paths = browser.app.openapi()["paths"].items()
        found = [(method.upper(), path) for path, methods in paths for method in methods]
    else:
        routes = [route for router in pages.routers() for route in router.routes if isinstance(route, APIRoute)]
        found = [(method, route.path) for route in routes for method in route.methods or ()]
    assert found
    return [(method, re.sub(r"\{\w+(:\w+)?\}", "x", path)) for method, path in found]


def changing(browser: Browser, *, api: bool) -> list[tuple[str, str]]:
    return [each for each in operations(browser, api=api) if each[0] not in ("GET", "HEAD", "OPTIONS")]


def test_no_page_takes_a_form_without_the_token_of_its_session(browser: Browser) -> None:
    browser.page("/")
    for method, path in changing(browser, api=False):
        for fields in ({}, {"form_token": ""}, {"form_token": "0" * 64}):
            answer = browser.client.request(method, path, data=fields)
            assert answer.status_code == 403, (method, path)


def test_a_form_token_of_another_session_is_worth_nothing(browser: Browser, opened: Opener) -> None:
    theirs = opened().form_token()
    browser.page("/")
    assert browser.client.post("/settings/theme", data={"form_token": theirs, "theme": "dark"}).status_code == 403
    assert browser.post("/settings/theme", {"theme": "dark"}).status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:9999"},
        {"origin": "http://localhost.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_what_a_browser_sends_from_elsewhere_is_refused_by_pages_and_api(
    browser: Browser, headers: dict[str, str]
) -> None:
    token = browser.form_token()
    fields = {"form_token": token, "theme": "dark"}
    assert browser.client.post("/settings/theme", data=fields, headers=headers).status_code == 403
    for method, path in changing(browser, api=True):
        answer = browser.client.request(method, path, headers={**headers, "x-form-token": token})
        assert answer.status_code == 403, (method, path)


def test_a_script_in_a_browser_must_know_the_token_of_its_session(browser: Browser) -> None:
    token = browser.form_token()
    body = {"benchmark": "handbook-30", "agent": "demo:librarian"}
    assert browser.client.post("/api/runs", json=body).status_code == 403
    assert browser.client.post("/api/runs", json=body, headers={"x-form-token": "0" * 64}).status_code == 403
    own = {"x-form-token": token, "origin": "http://localhost", "sec-fetch-site": "same-origin"}
    assert browser.client.post("/api/runs", json=body, headers=own).status_code == 201


def test_a_program_without_cookies_needs_no_form_token_where_there_is_no_token(browser: Browser) -> None:
    body = {"benchmark": "handbook-30", "agent": "demo:librarian"}
    assert browser.client.post("/api/runs", json=body).status_code == 201
    browser.client.cookies.clear()
    answer = browser.client.post("/api/runs", json=body, headers={"origin": "http://localhost"})
    assert answer.status_code == 403, "a browser without a session is still a browser"


def test_another_site_may_lead_here_but_load_nothing_from_here(browser: Browser) -> None:
    for site in ("cross-site", "same-site"):
        for path in ("/", "/runs", "/api/runs", "/static/app.js"):
            for mode, dest in (("no-cors", "image"), ("no-cors", "script"), ("cors", "empty"), ("navigate", "iframe")):
                headers = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
                assert browser.get(path, headers=headers).status_code == 403, (path, headers)
        followed = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        assert browser.get("/runs", headers=followed).status_code == 200
    ours = {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}
    assert browser.get("/api/runs", headers=ours).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_what_a_form_elsewhere_can_send_is_no_request_of_the_api(browser: Browser, kind: str) -> None:
    body = b'{"benchmark": "handbook-30", "agent": "demo:librarian", "name": "x", "labels": {"a": "="}}'
    answer = browser.client.post("/api/runs", content=body, headers={"content-type": kind})
    assert answer.status_code == 422, "even of a browser that tells no origin"


@pytest.mark.parametrize("odd", ['a={"x": 1}', "a=b c", "a[]=1", "flag", "ä=ö", "=x", 'a="open'])
def test_cookies_of_other_servers_on_this_machine_do_not_hide_ours(browser: Browser, odd: str) -> None:
    token = browser.form_token()
    [ours] = [f"{each.name}={each.value}" for each in browser.client.cookies.jar]
    browser.client.cookies.clear()
    header = {b"cookie": f"{odd}; {ours}; {odd}".encode()}
    answer = browser.client.post("/settings/theme", data={"form_token": token}, headers=header)
    assert answer.status_code == 303


# logging in ------------------------------------------------------------------------------------------


def test_nothing_but_the_door_is_open_without_the_token(stranger: Browser) -> None:
    for method, path in [
        *operations(stranger, api=False),
        *operations(stranger, api=True),
        ("GET", "/api/openapi.json"),
    ]:
        if path in ("/login", "/health") or path.startswith(("/static", "/shared")):
            continue
        answer = stranger.client.request(method, path)
        assert answer.status_code == (401 if path.startswith("/api") else 303), (method, path)
        if not path.startswith("/api"):
            assert answer.headers["location"].startswith("/login?next=")


def test_the_token_logs_in_and_leads_to_where_one_wanted_to_go(stranger: Browser) -> None:
    sent = stranger.get("/runs?status=failed").headers["location"]
    assert sent == "/login?next=%2Fruns%3Fstatus%3Dfailed"
    answer = stranger.log_in(next="/runs?status=failed")
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs?status=failed")
    assert "No run is stored yet" in stranger.page("/runs")


def test_the_cookie_cannot_be_read_by_scripts_nor_sent_by_other_sites(stranger: Browser) -> None:
    cookie = stranger.log_in().headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Path=/" in cookie
    assert TOKEN not in cookie
    assert "Secure" not in cookie


def test_behind_a_server_that_speaks_https_the_cookie_is_for_https_alone(stranger: Browser) -> None:
    answer = stranger.get("/login", headers={"x-forwarded-proto": "https"})
    assert answer.headers["set-cookie"].endswith("; Secure")


def test_a_session_from_before_the_login_does_not_become_one_that_is_logged_in(stranger: Browser) -> None:
    stranger.get("/login")
    [before] = [cookie.value for cookie in stranger.client.cookies.jar]
    stranger.log_in()
    [after] = [cookie.value for cookie in stranger.client.cookies.jar]
    assert before != after
    stranger.client.cookies.clear()
    name = stranger.site.sessions.cookie
    assert stranger.get("/runs", headers={"cookie": f"{name}={before}"}).status_code == 303
    assert stranger.get("/runs", headers={"cookie": f"{name}={after}"}).status_code == 200


@pytest.mark.parametrize("forged", ["", "x", "a.1.1.", "a.1.1.00", "..1.", "\xff", "a.b.c.d.e"])
def test_a_cookie_that_was_not_signed_here_is_none(stranger: Browser, forged: str) -> None:
    name = stranger.site.sessions.cookie
    header = f"{name}={forged}".encode("latin-1")
    assert stranger.get("/runs", headers={"cookie": header}).status_code == 303


def test_a_signed_cookie_cannot_be_promoted(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path, TOKEN)
    value = sessions.seal(sessions.begin())
    identity, since, known, signature = value.split(".")
    assert sessions.read(value) is not None
    assert sessions.read(f"{identity}.{since}.1.{signature}") is None
    assert sessions.read(f"{identity}.{since}.{known}.{sessions.form_token(sessions.begin())}") is None


def test_sessions_survive_a_restart_but_not_a_new_token_nor_logging_out(tmp_path: Path) -> None:
    first = Sessions(tmp_path, TOKEN)
    sealed = first.seal(first.begin(known=True))
    assert Sessions(tmp_path, TOKEN).read(sealed) is not None
    assert Sessions(tmp_path, "another token, longer").read(sealed) is None
    assert (tmp_path / "session.key").stat().st_mode & 0o077 == 0
    first.forget_all()
    assert first.read(sealed) is None
    assert Sessions(tmp_path, TOKEN).read(sealed) is None


@pytest.mark.parametrize("broken", [b"", b"short"])
def test_a_key_that_was_not_written_whole_is_made_anew(tmp_path: Path, broken: bytes) -> None:
    (tmp_path / "session.key").write_bytes(broken)
    Sessions(tmp_path, TOKEN)
    assert len((tmp_path / "session.key").read_bytes()) == 32
    assert (tmp_path / "session.key").stat().st_mode & 0o077 == 0


def test_sessions_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions(tmp_path, TOKEN)
    session = sessions.begin(known=True)
    sealed = sessions.seal(session)
    monkeypatch.setattr("proctor.web.site.sessions.time.time", lambda: session.since + LIFETIME)
    assert sessions.read(sealed) is None


def test_logging_out_logs_every_browser_out(stranger: Browser) -> None:
    stranger.log_in()
    kept = {cookie.name: cookie.value for cookie in stranger.client.cookies.jar}
    assert stranger.post("/logout").status_code == 303
    stranger.client.cookies.clear()
    header = "; ".join(f"{name}={value}" for name, value in kept.items())
    assert stranger.get("/runs", headers={"cookie": header}).status_code == 303


def test_guessing_the_token_is_slowed_down_on_the_page_and_by_the_api(stranger: Browser) -> None:
    answers = [stranger.log_in(f"guess number {number}").status_code for number in range(WrongTokens.MOST + 2)]
    assert answers == [403] * WrongTokens.MOST + [429] * 2
    late = stranger.log_in()
    assert late.status_code == 429, "the right one has to wait too, or guessing would go on unnoticed"
    assert int(late.headers["retry-after"]) > 0
    stranger.client.cookies.clear()
    answer = stranger.client.get("/api/runs", headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 429


def test_guessing_by_the_api_is_counted_too(stranger: Browser) -> None:
    def status(token: str) -> int:
        return int(stranger.client.get("/api/runs", headers={"authorization": f"Bearer {token}"}).status_code)

    assert [status("an old token") for _ in range(3 * WrongTokens.MOST)] == [401] * 3 * WrongTokens.MOST
    assert [status(f"guess {number}") for number in range(WrongTokens.MOST)] == [401] * (WrongTokens.MOST - 1) + [429]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr("proctor.web.site.clients.time.monotonic", lambda: now[0])
    return now


def test_guessing_does_not_lock_out_those_who_are_in_nor_others(clock: list[float]) -> None:
    guesses = WrongTokens()
    for number in range(WrongTokens.MOST):
        assert guesses.hear("thief", f"guess {number}", right=False) == 0
    assert guesses.hear("thief", "one more", right=False) == 60
    assert guesses.hear("thief", TOKEN, right=True) == 60
    assert guesses.hear("friend", TOKEN, right=True) == 0
    clock[0] += 61
    assert guesses.hear("thief", "one more", right=False) == 0


def test_a_program_with_an_old_token_shuts_nobody_out(clock: list[float]) -> None:
    guesses = WrongTokens()
    for _ in range(1000):
        clock[0] += 0.01
        assert guesses.hear("here", "the token of last year", right=False) == 0
    assert guesses.hear("here", TOKEN, right=True) == 0


def test_who_guesses_beside_those_who_know_the_token_is_heard_out_longer_but_not_for_ever(clock: list[float]) -> None:
    guesses = WrongTokens()
    assert guesses.hear("office", TOKEN, right=True) == 0
    for number in range(WrongTokens.MOST_BESIDE):
        assert guesses.hear("office", TOKEN, right=True) == 0
        assert guesses.hear("office", f"guess {number}", right=False) == 0
    assert guesses.hear("office", "one more", right=False) == 60


def test_guessing_from_many_addresses_is_slowed_down_for_all_but_those_who_knew_the_token() -> None:
    guesses = WrongTokens()
    assert guesses.hear("friend", TOKEN, right=True) == 0
    for number in range(WrongTokens.MOST_IN_ALL):
        assert guesses.hear(f"10.0.0.{number}", "wrong", right=False) == 0
    assert guesses.hear("10.0.1.1", "wrong", right=False) == 60
    assert guesses.hear("10.0.1.2", TOKEN, right=True) == 60
    assert guesses.hear("friend", TOKEN, right=True) == 0


def test_who_has_a_whole_network_of_addresses_is_one() -> None:
    guesses = WrongTokens()
    for number in range(WrongTokens.MOST):
        assert guesses.hear(f"2001:db8::{number}", f"guess {number}", right=False) == 0
    assert guesses.hear("2001:db8::ffff", "wrong", right=False) == 60
    assert guesses.hear("2001:db8:0:1::1", "wrong", right=False) == 0
    for number in range(WrongTokens.MOST):
        guesses.hear("::ffff:192.0.2.1", f"guess {number}", right=False)
    assert guesses.hear("192.0.2.1", "wrong", right=False) == 60


def test_tokens_that_are_tried_at_the_same_moment_are_counted_one_by_one() -> None:
    guesses = WrongTokens()
    with ThreadPoolExecutor(16) as pool:
        waits = list(pool.map(lambda number: guesses.hear("thief", str(number), right=False), range(200)))
    assert waits.count(0) == WrongTokens.MOST


def test_the_memory_of_guesses_is_bounded(clock: list[float]) -> None:
    guesses = WrongTokens()
    for number in range(WrongTokens._KEPT + 50):
        clock[0] += 1
        guesses.hear(str(number), "wrong", right=False)
        guesses.hear(str(-number), TOKEN, right=True)
    assert len(guesses._wrong) == len(guesses._trusted) == WrongTokens._KEPT


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("203.0.113.9, nonsense", "10.0.0.1"),
        ("10.0.0.3", "10.0.0.1"),
        ("", "10.0.0.1"),
    ],
)
def test_a_trusted_proxy_tells_whom_it_speaks_for_and_nobody_else_does(forwarded: str, client: str) -> None:
    proxies = networks(["10.0.0.0/24"])
    headers = [(b"x-forwarded-for", forwarded.encode())]
    assert client_address({"type": "http", "client": ("10.0.0.1", 1), "headers": headers}, proxies) == client
    assert client_address({"type": "http", "client": ("192.0.2.1", 1), "headers": headers}, proxies) == "192.0.2.1"
    assert client_address({"type": "http", "client": ("10.0.0.1", 1), "headers": headers}) == "10.0.0.1"


def test_behind_a_trusted_proxy_one_guesser_does_not_shut_the_others_out(opened: Opener) -> None:
    browser = opened(token=TOKEN, proxies=("203.0.113.1",))
    browser.client._transport.client = ("203.0.113.1", 1)  # type: ignore[attr-defined]

    def status(client: str, token: str) -> int:
        headers = {"authorization": f"Bearer {token}", "x-forwarded-for": client}
        return int(browser.client.get("/api/runs", headers=headers).status_code)

    assert [status("198.51.100.1", f"guess {number}") for number in range(WrongTokens.MOST + 1)][-1] == 429
    assert status("198.51.100.2", TOKEN) == 200


def test_a_proxy_that_is_no_address_is_refused() -> None:
    with pytest.raises(UsageError, match="expected the address of the proxy"):
        WebSettings(store="x", proxies=("proxy.example",)).check()


def test_programs_use_the_token_as_a_bearer(stranger: Browser) -> None:
    right = {"authorization": f"Bearer {TOKEN}"}
    assert stranger.client.get("/api/runs", headers=right).status_code == 200
    body = {"benchmark": "handbook-30", "agent": "demo:librarian"}
    assert stranger.client.post("/api/runs", json=body, headers=right).status_code == 201
    assert stranger.client.get("/runs", headers=right).status_code == 303, "pages are for people"


@pytest.mark.parametrize(
    "wanted",
    ["//evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example", "javascript:alert(1)", "", "runs",
     "/\t/evil.example", "/runs\r\nset-cookie: a=b"],
)  # fmt: skip
def test_logging_in_leads_nowhere_else(opened: Opener, wanted: str) -> None:
    assert local_path(wanted) == "/"
    browser = opened(token=TOKEN)
    assert browser.log_in(next=wanted).headers["location"] == "/"
    assert browser.get("/login", params={"next": wanted}).headers["location"] == "/"


# what is sent without an end ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status"),
    [("/api/runs", 413), ("/api/benchmarks?file=a.csv", 413), ("/settings/theme", 400), ("/api/nothing", 404)],
)
async def test_nobody_listens_to_a_body_without_an_end(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, path: str, status: int
) -> None:
    monkeypatch.setattr("proctor.web.site.security._DRAINED", 4 * 2**20)
    monkeypatch.setattr("proctor.web.site.forms._DRAINED", 4 * 2**20)
    taken, sent = 0, []

    async def receive() -> Message:
        nonlocal taken
        taken += 1
        assert taken < 10
        return {"type": "http.request", "body": b"x" * 2**20, "more_body": True}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = {"host": "localhost", "content-type": "application/json", "transfer-encoding": "chunked"}
    named, _, query = path.partition("?")
    scope = {
        "type": "http", "method": "POST", "path": named, "raw_path": named.encode(), "query_string": query.encode(),
        "scheme": "http", "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    await browser.app(scope, receive, send)
    assert (sent[0]["status"], dict(sent[0]["headers"])[b"connection"]) == (status, b"close")


@pytest.mark.parametrize("size", [3, 2 * 2**20])
def test_who_says_a_little_too_much_is_heard_out_and_told(browser: Browser, size: int) -> None:
    answer = browser.client.post("/api/runs", content=b"x" * size, headers={"content-type": "application/json"})
    assert answer.status_code == (422 if size == 3 else 413)
    assert "connection" not in answer.headers


# what every answer says ------------------------------------------------------------------------------


def test_every_answer_forbids_what_is_not_ours(browser: Browser) -> None:
    for path in ("/", "/runs", "/login", "/static/app.css", "/api/runs", "/nothing", "/api/nothing", "/health"):
        headers = browser.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "unsafe" not in policy
        assert "script-src 'self';" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in policy
        assert headers["referrer-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers
    assert browser.get("/").headers["cache-control"] == "no-store"


def test_web_sockets_are_not_opened(browser: Browser) -> None:
    with pytest.raises(WebSocketDisconnect), browser.client.websocket_connect("/"):
        pass


def test_a_bug_of_ours_is_told_without_its_words(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("hush: a secret")

    monkeypatch.setattr(browser.site.store.archive.__class__, "runs", lambda self: broken())
    for path in ("/runs", "/api/runs"):
        answer = browser.get(path)
        assert answer.status_code == 500
        assert "hush" not in answer.text
        assert "RuntimeError" in answer.text
