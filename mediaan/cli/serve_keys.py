"""`mediaan serve keys`: who may use the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from mediaan.errors import UsageError

if TYPE_CHECKING:
    from mediaan.server.storage.keys import KeyFacts, Keys

Command = TypeVar("Command", bound=Callable[..., Any])


def _company(required: bool, text: str) -> Callable[[Command], Command]:
    return click.option("--company", required=required, metavar="NAME", help=text)


def _folder(context: click.Context, option: click.Parameter, given: Path) -> Path:
    """Named here or, as in ``mediaan serve --data DIR keys ...``, before: a key must not land in another folder."""
    if context.get_parameter_source("data") is not ParameterSource.DEFAULT:
        return given
    serve = context.parent and context.parent.parent
    return serve.params.get("data", given) if serve else given


_data = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("mediaan-server"),
    show_default=True,
    metavar="DIR",
    callback=_folder,
    help="Folder of the server.",
)


@click.group()
def keys() -> None:
    """Make, list and revoke API keys, also while the server runs."""


@keys.command()
@_company(True, "Whose key it is; made if it is new.")
@_data
def create(company: str, data: Path) -> None:
    """Make a key for a company.

    The key is the last line of stdout, alone. It is shown this once: the server keeps only a hash of it.
    """
    from mediaan.server.storage.folder import DataFolder

    DataFolder(data).make()
    with _opened(data) as found:
        key = found.create(company)
    click.echo("Keep this key: it is not shown again. Send it in the header X-API-Key.", err=True)
    click.echo(key)


@keys.command("list")
@_company(False, "Only keys of this company.")
@_data
def list_keys(company: str | None, data: Path) -> None:
    """List keys by their ids.

    With the company, and when they were made and revoked; the keys themselves are not known.
    """
    _check_folder(data)
    with _opened(data) as found:
        facts = found.list(company)
    if not facts:
        click.echo("There are no keys yet; make one: mediaan serve keys create --company NAME", err=True)
        return
    for line in _table(facts):
        click.echo(line)


@keys.command()
@_company(True, "Whose keys.")
@click.option("--key", "key_id", metavar="ID", help="Only this one; its id is its part between the underscores.")
@_data
def revoke(company: str, key_id: str | None, data: Path) -> None:
    """Make all keys of a company invalid, or one.

    A server that runs knows it at once. The company's media stay, and can be reached with another key of the company.
    """
    _check_folder(data)
    with _opened(data) as found:
        revoked = found.revoke(company, key_id)
    keys_were = "1 key was" if revoked == 1 else f"{revoked} keys were"
    click.echo(f"{keys_were} revoked" if revoked else "nothing to revoke: none of these was valid")


@contextmanager
def _opened(data: Path) -> Iterator[Keys]:
    from mediaan.server.storage.database import Database
    from mediaan.server.storage.folder import DataFolder
    from mediaan.server.storage.keys import Keys

    database = Database(DataFolder(data).database)
    try:
        yield Keys(database)
    finally:
        database.close()


def _check_folder(data: Path) -> None:
    """Refuse a folder without a server's database, instead of making one that has no keys."""
    from mediaan.server.storage.folder import DataFolder

    if not DataFolder(data).database.is_file():
        message = f"--data {data}: is no data folder of a server; name the folder that the server was started with"
        raise UsageError(message, code="bad_data_folder")


def _table(facts: list[KeyFacts]) -> Iterator[str]:
    rows = [("id", "company", "created", "revoked")]
    rows += [(one.key_id, one.company, one.created_at, one.revoked_at or "-") for one in facts]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
