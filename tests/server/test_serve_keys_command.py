"""`mediaan serve keys`: what scripts and people get."""

from __future__ import annotations

import subprocess
from pathlib import Path

from asking import API, Asker
from click.testing import CliRunner, Result
from serving import MEDIAAN

from mediaan.cli.main import cli
from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings


def command(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["serve", "keys", *map(str, words)], catch_exceptions=False, standalone_mode=False)


def test_the_key_stands_alone_on_the_last_line(tmp_path: Path) -> None:
    found = subprocess.run(
        [MEDIAAN, "serve", "keys", "create", "--company", "Blue", "--data", tmp_path / "data"],
        capture_output=True,
        text=True,
        check=True,
    )
    key = found.stdout.splitlines()[-1]
    assert key not in found.stderr
    service = Service(ServerSettings(tmp_path / "data"))
    assert service.keys.company(key) == (1, "Blue")
    service.database.close()


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
