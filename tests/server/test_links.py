"""Signed addresses: who can make them, how long they are good for, what they lead to."""

from __future__ import annotations

import base64
import socket
from dataclasses import replace
from types import SimpleNamespace
from uuid import UUID

import pytest
from asking import Asker
from starlette.requests import Request

from mediaan.errors import MediaanError
from mediaan.server.http.errors import status_of
from mediaan.server.http.files import _signing_key, file_token, file_url, linked_file
from mediaan.server.http.identity import base_url
from mediaan.server.service.media import StoredMedium
from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

NOW = 1_800_000_000.25


class Clock:
    """Time that stands until it is set."""

    def __init__(self) -> None:
        self.now = NOW

    def time(self) -> float:
        return self.now

    def time_ns(self) -> int:
        return round(self.now * 1e9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("mediaan.server.http.files.time", clock)
    return clock


def request(service: Service, host: str | None = "localhost:8000", scheme: str = "http") -> Request:
    headers = [] if host is None else [(b"host", host.encode("latin-1"))]
    app = SimpleNamespace(state=SimpleNamespace(service=service))
    return Request({"type": "http", "scheme": scheme, "headers": headers, "server": ("127.0.0.1", 8000), "app": app})


def predicted(service: Service, run: str = "r1", **results: str) -> StoredMedium:
    ask = Asker(service)
    media_id = ask.add()
    ask.change(media_id, status="done", run=run, results=results or {"heat": "maps/heat.webp", "fog": "maps/fog.webp"})
    return found(service, media_id)


def found(service: Service, media_id: UUID) -> StoredMedium:
    medium = service.media.get(media_id)
    assert medium
    return medium


def token(service: Service, medium: StoredMedium, result: str = "heat") -> str:
    return file_url(request(service), medium, result).rpartition("/files/")[2]


def refusal(service: Service, text: str) -> int | None:
    with pytest.raises(MediaanError) as caught:
        linked_file(service, text)
    return status_of(caught.value)


def test_an_address_leads_to_its_file(service: Service) -> None:
    medium = predicted(service)
    linked = linked_file(service, token(service, medium, "fog"))
    assert linked.path == service.folder.run(medium.media_id, "r1") / "maps" / "fog.webp"
    assert (linked.medium, linked.result) == (medium, "fog")


def test_there_is_no_address_of_what_is_not_there(service: Service) -> None:
    medium = predicted(service)
    assert file_url(request(service), medium, "clarity_heat") == ""
    unpredicted = found(service, Asker(service).add())
    assert file_url(request(service), unpredicted, "heat") == ""


def test_an_address_is_good_for_five_minutes_at_most_and_four_at_least(service: Service, clock: Clock) -> None:
    medium = predicted(service)
    for second in range(0, 120, 7):
        clock.now = NOW + second
        text = token(service, medium)
        for good_s in (0.0, 239.9):
            clock.now = NOW + second + good_s
            assert 0 < linked_file(service, text).seconds_left <= 300
        clock.now = NOW + second + 300.0
        assert refusal(service, text) == 403


def test_it_stays_the_same_within_a_minute(service: Service, clock: Clock) -> None:
    medium = predicted(service)
    seen = []
    for second in range(600):
        clock.now = NOW + second
        seen.append(token(service, medium))
    assert len(set(seen)) in (10, 11)
    assert sorted(set(seen), key=seen.index) == [text for i, text in enumerate(seen) if i == 0 or text != seen[i - 1]]


@pytest.mark.parametrize(("lifetime_s", "longest_s"), [(1, 1), (10, 10), (3600, 300)])
def test_the_lifetime_is_a_setting_below_the_service_s(
    service: Service, clock: Clock, lifetime_s: int, longest_s: int
) -> None:
    medium = predicted(service)
    service.settings = replace(service.settings, link_lifetime_s=lifetime_s)
    assert 0.79 * longest_s <= linked_file(service, token(service, medium)).seconds_left <= longest_s


def test_whatever_is_changed_in_it_it_is_refused(service: Service) -> None:
    text = token(service, predicted(service))
    signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for place in range(len(text)):
        for sign in (signs[(signs.index(text[place]) + 1) % 64], signs[(signs.index(text[place]) + 32) % 64]):
            assert refusal(service, text[:place] + sign + text[place + 1 :]) == 403
    wrong = [
        text[:-1],
        text[1:],
        text + "A",
        text + "=",
        text + "A=",
        f"{text}\n",
        f" {text}",
        text[:10] + "!" + text[10:],
    ]
    wrong += ["", "A", "====", "../../secret", text.replace("-", "+").replace("_", "/") + "==", "ä" * 40, text * 2]
    assert [refusal(service, one) for one in wrong] == [403] * len(wrong)


def test_it_is_signed_by_this_data_folder_alone(service: Service, tmp_path_factory: pytest.TempPathFactory) -> None:
    medium = predicted(service)
    other = Service(ServerSettings(tmp_path_factory.mktemp("other")))
    forged = file_token(other, medium, "r1", "heat")
    assert refusal(service, forged) == 403
    signed = token(service, medium)
    _signing_key.cache_clear()  # as after a restart
    assert linked_file(service, signed).result == "heat"
    other.database.close()


def test_no_path_is_in_it(service: Service) -> None:
    medium = predicted(service, heat="maps/heat.webp")
    text = token(service, medium)
    content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert b"maps" not in content
    assert b"webp" not in content
    assert b"/" not in text.encode()


def test_a_deleted_medium_s_addresses_are_gone(service: Service) -> None:
    medium = predicted(service)
    text = token(service, medium)
    service.media.delete(medium.company_id, medium.media_id)
    assert refusal(service, text) == 404


def test_after_a_rerun_an_address_leads_to_the_run_that_it_was_made_for(service: Service) -> None:
    medium = predicted(service)
    text = token(service, medium)
    Asker(service).change(medium.media_id, run="r2")
    assert linked_file(service, text).path.parts[-3:] == ("r1", "maps", "heat.webp")
    newer = token(service, found(service, medium.media_id))
    assert linked_file(service, newer).path.parts[-3:] == ("r2", "maps", "heat.webp")


def test_the_address_of_the_server_is_that_of_its_names_by_which_the_client_called_it(service: Service) -> None:
    machine = socket.gethostname()
    said = {
        "localhost:8000": "http://localhost:8000",
        "[::1]:8000": "http://[::1]:8000",
        "127.0.0.1": "http://127.0.0.1",
        f"{machine}:80": f"http://{machine}:80",
        "media.example.com": "http://127.0.0.1:8000",
        "192.168.1.7": "http://127.0.0.1:8000",
    }
    assert {host: base_url(request(service, host)) for host in said} == said
    assert base_url(request(service, scheme="https")) == "https://localhost:8000"
    lan = request(service, "192.168.1.7:8000")
    lan.scope["server"] = ("192.168.1.7", 8000)  # where the connection came to
    assert base_url(lan) == "http://192.168.1.7:8000"


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.com/path",
        "a b",
        "a:b",
        "user@host",
        'x"onload="',
        "<script>",
        "a\tb",
        "[::1",
        "a:123456",
        "ä.com",
        None,
    ],
)
def test_a_host_with_strange_signs_is_not_believed(service: Service, host: str | None) -> None:
    assert base_url(request(service, host)) == "http://127.0.0.1:8000"
