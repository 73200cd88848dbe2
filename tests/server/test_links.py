"""Signed addresses: who can make them, how long they are good for, what they lead to."""

from __future__ import annotations

import base64
import socket
from uuid import UUID

import pytest
from asking import Asker
from starlette.requests import Request

from mediaan.server.errors import RequestError
from mediaan.server.files import Links
from mediaan.server.services import Services
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.media import StoredMedium

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
    monkeypatch.setattr("mediaan.server.files.time", clock)
    return clock


def request(host: str | None = "localhost:8000", scheme: str = "http") -> Request:
    headers = [] if host is None else [(b"host", host.encode("latin-1"))]
    return Request({"type": "http", "scheme": scheme, "headers": headers, "server": ("127.0.0.1", 8000)})


def predicted(services: Services, run: str = "r1", **results: str) -> StoredMedium:
    ask = Asker(services)
    media_id = ask.add()
    ask.change(media_id, status="done", run=run, results=results or {"heat": "maps/heat.webp", "fog": "maps/fog.webp"})
    return found(services, media_id)


def found(services: Services, media_id: UUID) -> StoredMedium:
    medium = services.media.get(media_id)
    assert medium
    return medium


def token(services: Services, medium: StoredMedium, result: str = "heat") -> str:
    return services.links.file_url(request(), medium, result).rpartition("/files/")[2]


def refusal(links: Links, text: str) -> int:
    with pytest.raises(RequestError) as caught:
        links.file(text)
    return caught.value.status


def test_an_address_leads_to_its_file(services: Services) -> None:
    medium = predicted(services)
    linked = services.links.file(token(services, medium, "fog"))
    assert linked.path == services.folder.run(medium.media_id, "r1") / "maps" / "fog.webp"
    assert (linked.medium, linked.result) == (medium, "fog")


def test_there_is_no_address_of_what_is_not_there(services: Services) -> None:
    medium = predicted(services)
    assert services.links.file_url(request(), medium, "clarity_heat") == ""
    unpredicted = found(services, Asker(services).add())
    assert services.links.file_url(request(), unpredicted, "heat") == ""


def test_an_address_is_good_for_five_minutes_at_most_and_four_at_least(services: Services, clock: Clock) -> None:
    medium = predicted(services)
    for second in range(0, 120, 7):
        clock.now = NOW + second
        text = token(services, medium)
        for good_s in (0.0, 239.9):
            clock.now = NOW + second + good_s
            assert 0 < services.links.file(text).seconds_left <= 300
        clock.now = NOW + second + 300.0
        assert refusal(services.links, text) == 403


def test_it_stays_the_same_within_a_minute(services: Services, clock: Clock) -> None:
    medium = predicted(services)
    seen = []
    for second in range(600):
        clock.now = NOW + second
        seen.append(token(services, medium))
    assert len(set(seen)) in (10, 11)
    assert sorted(set(seen), key=seen.index) == [text for i, text in enumerate(seen) if i == 0 or text != seen[i - 1]]


@pytest.mark.parametrize(("lifetime_s", "longest_s"), [(1, 1), (10, 10), (3600, 300)])
def test_the_lifetime_is_a_setting_below_the_service_s(
    services: Services, clock: Clock, lifetime_s: int, longest_s: int
) -> None:
    medium = predicted(services)
    links = Links(services.folder, services.media, ServerSettings(services.folder.path, link_lifetime_s=lifetime_s))
    text = links.token(medium, "r1", "heat")
    assert 0.79 * longest_s <= links.file(text).seconds_left <= longest_s


def test_whatever_is_changed_in_it_it_is_refused(services: Services) -> None:
    text = token(services, predicted(services))
    signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for place in range(len(text)):
        for sign in (signs[(signs.index(text[place]) + 1) % 64], signs[(signs.index(text[place]) + 32) % 64]):
            assert refusal(services.links, text[:place] + sign + text[place + 1 :]) == 403
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
    assert [refusal(services.links, one) for one in wrong] == [403] * len(wrong)


def test_it_is_signed_by_this_data_folder_alone(services: Services, tmp_path_factory: pytest.TempPathFactory) -> None:
    from mediaan.server.services import open_services

    medium = predicted(services)
    other = open_services(ServerSettings(tmp_path_factory.mktemp("other")))
    forged = other.links.token(medium, "r1", "heat")
    assert refusal(services.links, forged) == 403
    again = Links(services.folder, services.media, services.settings)  # as after a restart
    assert again.file(token(services, medium)).result == "heat"
    other.database.close()


def test_no_path_is_in_it(services: Services) -> None:
    medium = predicted(services, heat="maps/heat.webp")
    text = token(services, medium)
    content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert b"maps" not in content
    assert b"webp" not in content
    assert b"/" not in text.encode()


def test_a_deleted_medium_s_addresses_are_gone(services: Services) -> None:
    medium = predicted(services)
    text = token(services, medium)
    services.media.delete(medium.company_id, medium.media_id)
    assert refusal(services.links, text) == 404


def test_after_a_rerun_an_address_leads_to_the_run_that_it_was_made_for(services: Services) -> None:
    medium = predicted(services)
    text = token(services, medium)
    Asker(services).change(medium.media_id, run="r2")
    assert services.links.file(text).path.parts[-3:] == ("r1", "maps", "heat.webp")
    newer = token(services, found(services, medium.media_id))
    assert services.links.file(newer).path.parts[-3:] == ("r2", "maps", "heat.webp")


def test_the_address_of_the_server_is_that_of_its_names_by_which_the_client_called_it(services: Services) -> None:
    links, machine = services.links, socket.gethostname()
    said = {
        "localhost:8000": "http://localhost:8000",
        "[::1]:8000": "http://[::1]:8000",
        "127.0.0.1": "http://127.0.0.1",
        f"{machine}:80": f"http://{machine}:80",
        "media.example.com": "http://127.0.0.1:8000",
        "192.168.1.7": "http://127.0.0.1:8000",
    }
    assert {host: links.base_url(request(host)) for host in said} == said
    assert links.base_url(request(scheme="https")) == "https://localhost:8000"
    lan = request("192.168.1.7:8000")
    lan.scope["server"] = ("192.168.1.7", 8000)  # where the connection came to
    assert links.base_url(lan) == "http://192.168.1.7:8000"


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
def test_a_host_with_strange_signs_is_not_believed(services: Services, host: str | None) -> None:
    assert services.links.base_url(request(host)) == "http://127.0.0.1:8000"
