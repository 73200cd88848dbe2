"""`mediaan serve`: the v2 media analysis service on this machine, and who may use it."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from mediaan.cli import options
from mediaan.cli.options import FOLDER
from mediaan.cli.table import table_lines
from mediaan.errors import SetupError, UsageError

if TYPE_CHECKING:
    from mediaan.server.service.keys import Keys


Command = TypeVar("Command", bound=Callable[..., Any])


def _company(required: bool, text: str) -> Callable[[Command], Command]:
    return click.option("--company", required=required, metavar="NAME", help=text)


def _folder(context: click.Context, option: click.Parameter, given: Path) -> Path:
    """Take the folder given here or before, as in ``mediaan serve --data DIR keys``: keys must not land elsewhere."""
    if context.get_parameter_source("data") is not ParameterSource.DEFAULT:
        return given
    serve = context.parent and context.parent.parent
    return serve.params.get("data", given) if serve else given


_data = click.option(
    "--data", type=FOLDER, default=Path("mediaan-server"), metavar="DIR", callback=_folder, help="Folder of the server."
)


@click.group()
def keys() -> None:
    """Create, list and revoke API keys, also while the server runs."""


@keys.command()
@_company(True, "Company that the key belongs to; created if it is new.")
@_data
def create(company: str, data: Path) -> None:
    """Create a key for a company.

    The key is the last line of stdout. It is shown only once: the server keeps a hash of it.
    """
    from mediaan.server.service.folder import DataFolder

    DataFolder(data).make()
    with _opened(data) as key_store:
        key = key_store.create(company)
    click.echo("Keep this key: it is not shown again. Send it in the header X-API-Key.", err=True)
    click.echo(key)


@keys.command("list")
@_company(False, "Only keys of this company.")
@_data
def list_keys(company: str | None, data: Path) -> None:
    """List keys by their ids.

    Shows the company, and when each key was created and revoked. The keys themselves are not stored.
    """

    _check_folder(data)
    with _opened(data) as key_store:
        facts = key_store.list(company)
    if not facts:
        click.echo("There are no keys yet. Create one: mediaan serve keys create --company NAME", err=True)
        return
    rows = [("id", "company", "created", "revoked")]
    rows += [(key.key_id, key.company, key.created_at, key.revoked_at or "-") for key in facts]
    click.echo("\n".join(table_lines(rows, left=range(4))))


@keys.command()
@_company(True, "Company whose keys to revoke.")
@click.option("--key", "key_id", metavar="ID", help="Revoke only this key; the id is the part between the underscores.")
@_data
def revoke(company: str, key_id: str | None, data: Path) -> None:
    """Revoke all keys of a company, or one of them.

    This takes effect at once. The company's files stay; another key of the company can reach them.
    """
    _check_folder(data)
    with _opened(data) as key_store:
        revoked = key_store.revoke(company, key_id)
    keys_were = "1 key was" if revoked == 1 else f"{revoked} keys were"
    click.echo(f"{keys_were} revoked" if revoked else "nothing to revoke: these keys were already revoked")


@contextmanager
def _opened(data: Path) -> Iterator[Keys]:
    from mediaan.server.service.database import Database, database_errors
    from mediaan.server.service.folder import DataFolder
    from mediaan.server.service.keys import Keys

    path = DataFolder(data).database
    database = Database(path)
    try:
        with database_errors(path):
            yield Keys(database)
    finally:
        database.close()


def _check_folder(data: Path) -> None:
    """Refuse a folder without a server's database, instead of making one that has no keys."""
    from mediaan.server.service.folder import DataFolder

    if not DataFolder(data).database.is_file():
        message = f"--data {data}: is not the data folder of a server; give the folder that the server was started with"
        raise UsageError(message, code="bad_data_folder")


_MOST_BYTES = 1 << 62
"""More the database cannot count."""
_NEEDED = ("anyio", "h11", "python_multipart", "starlette", "uvicorn")


@click.group(invoke_without_command=True)
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, help="Port to listen on; 0 uses a free one.")
@click.option(
    "--data",
    type=FOLDER,
    default=Path("mediaan-server"),
    metavar="DIR",
    help="Folder for everything that the server keeps.",
)
@click.option("--workers", type=click.IntRange(1, 256), default=2, help="Processes that analyze.")
@options.device
@click.option("--no-films", is_flag=True, help="Do not make overlay videos (videos with attention drawn over them).")
@click.option(
    "--max-video-bytes",
    type=click.IntRange(1, _MOST_BYTES),
    envvar="MAX_VIDEO_BYTES",
    default=2048 << 20,
    metavar="N",
    help="Refuse larger videos and mixed media; also the environment variable MAX_VIDEO_BYTES.",
)
@click.option(
    "--max-image-bytes",
    type=click.IntRange(1, _MOST_BYTES),
    default=64 << 20,
    metavar="N",
    help="Refuse larger images.",
)
@click.option(
    "--min-free-bytes",
    type=click.IntRange(0, _MOST_BYTES),
    default=1024 << 20,
    metavar="N",
    help="Refuse files that would leave less room on the disk.",
)
@click.option(
    "--max-company-bytes",
    type=click.IntRange(1, _MOST_BYTES),
    metavar="N",
    help="Refuse files of a company beyond this total; no limit if not given.",
)
@click.option("--brand-kits", type=FOLDER, metavar="DIR", help="Folder of brand kits that objectives may name.")
@click.option("--public-url", metavar="URL", help="Address at which clients reach the server, behind a proxy.")
@options.quiet(help="No log of requests; errors still appear.")
def serve(quiet: bool, no_films: bool, **options: Any) -> None:
    """Run the analysis as an HTTP server, with the Media Analysis Service API, version 2, and a web page."""
    if missing := [name for name in _NEEDED if importlib.util.find_spec(name) is None]:
        raise SetupError(
            f"the server needs {', '.join(missing)}; install it with: pip install 'mediaan[server]'", code="no_server"
        )
    if click.get_current_context().invoked_subcommand:
        return
    url = options["public_url"]
    if url is not None and not re.fullmatch(r"https?://[^/?#\s]+(/[^?#\s]*)?", url):
        message = f"--public-url {url}: is not a web address; write it like https://media.example.com"
        raise UsageError(message, code="bad_public_url")
    from mediaan.server.serve import serve as run
    from mediaan.server.settings import ServerSettings

    run(ServerSettings(films=not no_films, access_log=not quiet, **options), click.echo)


serve.add_command(keys)
