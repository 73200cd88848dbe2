"""Keys: shown once, kept as hashes, valid until they are revoked; and the command that makes and revokes them."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

import pytest
from asking import API, Asker
from click.testing import CliRunner, Result

from mediaan.cli.main import cli
from mediaan.errors import UsageError
from mediaan.server.service.keys import Keys
from mediaan.server.service.service import Service


@pytest.fixture
def keys(service: Service) -> Keys:
    return service.keys


def test_a_key_belongs_to_the_company_that_it_was_made_for(keys: Keys) -> None:
    blue, red, blue_again = keys.create("Blue"), keys.create("Red"), keys.create("Blue")
    assert len({blue, red, blue_again}) == 3
    assert keys.company(blue) == keys.company(blue_again)
    assert [found and found[1] for found in map(keys.company, (blue, red))] == ["Blue", "Red"]
    assert keys.company(blue) != keys.company(red)


def test_nothing_in_the_data_folder_holds_a_key_or_its_secret(keys: Keys, service: Service) -> None:
    key = keys.create("Blue")
    service.database.close()
    files = [path for path in service.folder.path.rglob("*") if path.is_file()]
    content = b"".join(path.read_bytes() for path in files)
    assert hashlib.sha256(key.encode()).digest() in content, "what is kept lies in one of these files"
    assert key.encode() not in content
    assert key.split("_", 2)[2].encode() not in content


def test_what_is_not_exactly_a_key_is_none(keys: Keys) -> None:
    key = keys.create("Blue")
    other = keys.create("Red")
    prefix, key_id, secret = key.split("_", 2)
    swapped = f"{prefix}_{key_id}_{other.split('_', 2)[2]}"
    wrong = [key[:-1], key + "x", key.upper(), f" {key}", key_id, secret, "", "mdn", "mdn__", "a_b_c", swapped]
    wrong += [f"{key}\0", "mdn_%_x", "mdn_\ud800_x", "\xff" * 50, f"{prefix}_{key_id}_", f"xxx_{key_id}_{secret}"]
    assert [keys.company(one) for one in wrong] == [None] * len(wrong)


def test_every_key_is_compared_once_in_constant_time(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """How long an answer takes tells neither how much of a key is right nor whether its id is known."""
    known, revoked = keys.create("Blue"), keys.create("Red")
    keys.revoke("Red")
    compared: list[int] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.extend((len(one), len(other)))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", compare)
    for key in (known, known[:-1] + "!", revoked, "mdn_unknown1_secret", "guess"):
        compared.clear()
        assert (keys.company(key) is not None) == (key == known)
        assert compared == [32, 32]


def test_a_revoked_key_is_none_at_once_for_those_who_knew_it(keys: Keys, service: Service) -> None:
    first, second = keys.create("Blue"), keys.create("Blue")
    red = keys.create("Red")
    elsewhere = Keys(service.database)
    assert elsewhere.company(first)
    assert keys.revoke("Blue", first.split("_")[1]) == 1
    assert elsewhere.company(first) is None
    assert elsewhere.company(second)
    assert keys.revoke("Blue") == 1, "one was still valid"
    assert keys.revoke("Blue") == 0
    assert elsewhere.company(second) is None
    assert elsewhere.company(red)


def test_company_names_are_trimmed_and_composed(keys: Keys) -> None:
    same = [keys.create(name) for name in ("Söhne", "  Söhne\t", "So\u0308hne")]
    assert {keys.company(key) for key in same} == {keys.company(same[0])}
    assert keys.create("x" * 200)


@pytest.mark.parametrize("name", ["", "   ", "x" * 201, "a\nb", "a\0b", "a\x1b[31mb", "\u202eeulB", "a\ud800"])
def test_names_that_cannot_be_shown_are_refused(keys: Keys, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        keys.create(name)
    assert caught.value.code == "bad_company"
    assert keys.list() == []


def test_what_does_not_exist_cannot_be_listed_or_revoked(keys: Keys) -> None:
    red = keys.create("Red")
    keys.create("Blue")
    for refused in (lambda: keys.list("Green"), lambda: keys.revoke("Green")):
        with pytest.raises(UsageError, match="no such company"):
            refused()
    with pytest.raises(UsageError, match="no such key"):
        keys.revoke("Blue", red.split("_")[1])
    assert keys.company(red), "another company's key stays"


def command(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["serve", "keys", *map(str, words)], catch_exceptions=False, standalone_mode=False)


def test_a_server_that_runs_knows_of_keys_at_once(service: Service) -> None:
    ask = Asker(service)
    data = service.folder.path
    key = command("create", "--company", "Blue", "--data", data).stdout.splitlines()[-1]
    assert ask("GET", f"{API}/account", key=key).json()["company_name"] == "Blue"
    assert "1 key was revoked" in command("revoke", "--company", "Blue", "--data", data).stdout
    assert ask("GET", f"{API}/account", key=key).status_code == 401
    assert ask("GET", f"{API}/account").status_code == 200


def test_list_shows_ids_companies_and_times_but_no_key(tmp_path: Path) -> None:
    data = tmp_path / "data"
    keys = [
        command("create", "--company", name, "--data", data).stdout.splitlines()[-1] for name in ("Blue", "Red & Co")
    ]
    ids = [key.split("_")[1] for key in keys]
    command("revoke", "--company", "Red & Co", "--key", ids[1], "--data", data)
    lines = command("list", "--data", data).stdout.splitlines()
    assert lines[0].split() == ["id", "company", "created", "revoked"]
    assert [line.split()[0] for line in lines[1:]] == ids
    assert lines[1].endswith("-")
    assert "Red & Co" in lines[2]
    assert not lines[2].endswith("-")
    assert not any(key in "\n".join(lines) for key in keys)
    assert [
        line.split()[0] for line in command("list", "--company", "Blue", "--data", data).stdout.splitlines()[1:]
    ] == [ids[0]]
