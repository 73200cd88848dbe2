"""Sessions of the web page: who gets in, for how long, and what other pages can make a browser do."""

import re

import pytest
from asking import API, Asker
from httpx import Response

from mediaan.server.service.database import ago
from mediaan.server.service.keys import SESSION_S
from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

OWN = {"host": "127.0.0.1:8000"}
SAME = OWN | {"sec-fetch-site": "same-origin"}


def sign_in(ask: Asker, key: str | None = None, **headers: str) -> Response:
    return ask("POST", "/session", key=None, data={"key": key or ask.key, "to": "/"}, headers=OWN | headers)


def session(ask: Asker) -> dict[str, str]:
    """The header with the cookie of a session."""
    answer = sign_in(ask)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    return {"cookie": answer.headers["set-cookie"].partition(";")[0]}


def test_without_a_session_or_a_right_key_the_page_asks_for_a_key_and_tells_nothing(ask: Asker):
    ask.add(name="launch.png")
    assert "launch.png" in ask("GET", "/", headers=OWN).text
    for key in (None, "mdn_aaaaaaaa_guess"):
        text = ask("GET", "/", key=key, headers=OWN).text
        assert ('name="key"' in text, "launch.png" in text) == (True, False)


def test_a_session_sees_its_own_company_only(ask: Asker):
    other = ask.service.keys.create("rival")
    ask.add(name="ours.png")
    ask.add(name="theirs.png", company="rival")
    mine = ask("GET", "/", key=None, headers=OWN | session(ask)).text
    assert ("ours.png" in mine, "theirs.png" in mine) == (True, False)
    cookie = {"cookie": sign_in(ask, other).headers["set-cookie"].partition(";")[0]}
    theirs = ask("GET", "/", key=None, headers=OWN | cookie).text
    assert ("ours.png" in theirs, "theirs.png" in theirs) == (False, True)


@pytest.mark.parametrize("key", ["", "guess", "mdn_aaaaaaaa_guess", "\ud7ff", "x" * 3000])
def test_a_wrong_key_begins_nothing(ask: Asker, key: str):
    answer = ask("POST", "/session", key=None, data={"key": key}, headers=OWN)
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert "not valid" in answer.text


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites_and_holds_no_key(ask: Asker):
    cookie = sign_in(ask).headers["set-cookie"]
    flags = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", f"max-age={SESSION_S}", "path=/"} <= flags
    assert ask.key.split("_", 2)[2] not in cookie


def test_the_cookie_is_for_https_alone_where_the_server_is_reached_so(tmp_path):
    service = Service(ServerSettings(tmp_path / "data", public_url="https://ads.example"))
    ask = Asker(service)
    assert "secure" in sign_in(ask, host="ads.example").headers["set-cookie"].lower()
    service.database.close()


def test_a_session_is_over_after_twelve_hours(ask: Asker):
    ask.add(name="launch.png")
    cookie = session(ask)
    for after_s, open_yet in ((SESSION_S - 60, True), (SESSION_S + 60, False)):
        with ask.service.database.transaction() as connection:
            connection.execute("UPDATE sessions SET created_at = ?", (ago(after_s),))
        assert ("launch.png" in ask("GET", "/", key=None, headers=OWN | cookie).text) is open_yet


def test_a_session_ends_with_its_key_and_not_with_another(ask: Asker):
    ask.add(name="launch.png")
    ask.service.keys.create("acme")
    cookie = session(ask)
    mine, other = (facts.key_id for facts in ask.service.keys.list("acme"))
    ask.service.keys.revoke("acme", other)
    assert "launch.png" in ask("GET", "/", key=None, headers=OWN | cookie).text
    ask.service.keys.revoke("acme", mine)
    assert "launch.png" not in ask("GET", "/", key=None, headers=OWN | cookie).text
    assert ask("GET", f"{API}/media", key=None, headers=OWN | cookie).status_code == 401


def test_signing_out_takes_the_cookie_away_and_ends_copies_of_it(ask: Asker):
    mine, other = session(ask), session(ask)
    assert mine != other, "each sign-in is a session of its own"
    foreign = OWN | {"sec-fetch-site": "cross-site"}
    assert "set-cookie" not in ask("POST", "/session/end", key=None, headers=foreign | mine).headers
    answer = ask("POST", "/session/end", key=None, headers=SAME | mine)
    assert answer.status_code == 303
    assert re.search(r"max-age=0", answer.headers["set-cookie"], re.IGNORECASE)
    assert ask("GET", f"{API}/media", key=None, headers=OWN | mine).status_code == 401
    assert ask("GET", f"{API}/media", key=None, headers=OWN | other).status_code == 200


def test_a_cookie_that_was_not_made_here_is_nothing(ask: Asker, tmp_path):
    name, _, value = session(ask)["cookie"].partition("=")
    elsewhere = Service(ServerSettings(tmp_path / "elsewhere"))
    foreign = session(Asker(elsewhere))["cookie"].partition("=")[2]
    elsewhere.database.close()
    for forged in (foreign, value[:-1], value.swapcase(), f"{value}x", "", "."):
        answer = ask("GET", f"{API}/media", key=None, headers=OWN | {"cookie": f"{name}={forged}"})
        assert answer.status_code == 401, forged


@pytest.mark.parametrize(
    ("headers", "taken"),
    [
        ({"sec-fetch-site": "same-origin"}, True),
        ({"origin": "http://127.0.0.1:8000"}, True),
        ({"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:8000"}, True),
        ({}, False),
        ({"sec-fetch-site": "same-site"}, False),  # another port of this machine: the cookie comes along
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"origin": "http://127.0.0.1:3000"}, False),
        ({"origin": "null"}, False),
        ({"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:8000"}, False),
    ],
)
def test_what_changes_anything_must_come_from_a_page_of_this_server(ask: Asker, headers: dict[str, str], taken: bool):
    media_id = ask.add()
    sent = OWN | headers | session(ask)
    answer = ask("DELETE", f"{API}/media/{media_id}", key=None, headers=sent)
    assert answer.status_code == (200 if taken else 401)
    assert ask("GET", f"{API}/media/{media_id}").status_code == (404 if taken else 200)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "[::1",
        "[::1].evil",
        "[::1].evil:80",
        "localhost:x",
        "",
    ],
)
def test_a_strange_name_that_leads_to_this_machine_gets_no_session(ask: Asker, host: str):
    media_id, cookie = ask.add(name="launch.png"), session(ask)
    sent = {"host": host, "sec-fetch-site": "same-origin"} | cookie
    assert "launch.png" not in ask("GET", "/", key=None, headers=sent).text
    assert ask("GET", f"{API}/media/{media_id}", key=None, headers=sent).status_code == 401
    assert ask("POST", "/session", key=None, data={"key": ask.key}, headers={"host": host}).status_code == 403


def test_another_page_cannot_sign_anybody_in(ask: Asker):
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "http://evil.example"}, {"origin": "null"}):
        answer = sign_in(ask, **headers)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


@pytest.mark.parametrize(
    ("to", "leads_to"),
    [
        ("/?status=done&page=2", "/?status=done&page=2"),
        (f"/media/{'0' * 8}-0000-4000-8000-{'0' * 12}/report/", f"/media/{'0' * 8}-0000-4000-8000-{'0' * 12}/report/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("/?status=done\r\nX-Evil: 1", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_signing_in_leads_nowhere_else(ask: Asker, to: str, leads_to: str):
    answer = ask("POST", "/session", key=None, data={"key": ask.key, "to": to}, headers=OWN)
    assert answer.headers["location"] == leads_to
    assert "x-evil" not in answer.headers
