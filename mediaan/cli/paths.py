"""Check paths of this machine and addresses of object stores that commands are given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from mediaan.errors import UsageError
from mediaan.storage import is_url
from mediaan.storage.connection import AZURE_SCHEMES, GOOGLE_SCHEMES, S3_SCHEMES, parse_address

_TAKEN_BY = "analyze"
_STORES = S3_SCHEMES | GOOGLE_SCHEMES | AZURE_SCHEMES


class PathOrUrl(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click only
    """A Path, or an address such as ``s3://bucket/ads`` as text: a Path would make one slash of its two."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | Path:
        """Convert what was typed to what it is."""
        return str(value) if is_url(str(value)) else Path(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete files and folders of this machine, which the shell knows itself."""
        return [CompletionItem(incomplete, type="file")]


def shown_below(location: str | Path, *names: str) -> str:
    """Return what a file below a location is called in front of users, without the credentials of an address."""
    if isinstance(location, Path):
        return str(location.joinpath(*names))
    return "/".join((parse_address(location).display_name, *names))


def check_addresses(arguments: Sequence[str]) -> None:
    """Refuse addresses of object stores given to commands that know none: as a path they would name a folder here.

    `arguments`: of the program: the command, then what it is given.
    Raises UsageError: ``not_local``: with the address, but for its credentials.
    """
    if arguments and arguments[0] != _TAKEN_BY:
        for address in _addresses(arguments):
            if parse_address(address).scheme in _STORES:
                message = (
                    f"{parse_address(address).display_name}: only analyze can use object stores, for files and --out; "
                    "copy it to this machine first, and give the copy"
                )
                raise UsageError(message, code="not_local")


def without_credentials(text: str, arguments: Sequence[str]) -> str:
    """Drop from a message what is secret in the addresses that the program was given.

    >>> given = "s3://key:secret@ads/rules.yaml?region=eu"
    >>> without_credentials(f"{Path(given)}: cannot be read", ["analyze", "ads", "--rules", given])
    's3://ads/rules.yaml: cannot be read'
    """
    for address in _addresses(arguments):
        try:
            shown = parse_address(address).display_name
        except UsageError:  # whoever cannot take it apart cannot tell what is secret in it
            shown = f"{address.partition('://')[0]}://..."
        for form in (address, str(Path(address))):
            text = text.replace(form, shown)
    return text


def _addresses(arguments: Sequence[str]) -> list[str]:
    """Return the addresses among arguments, also behind ``--option=``."""
    values = (argument.partition("=")[2] if argument.startswith("-") else argument for argument in arguments)
    return [value for value in values if is_url(value)]


def check_output_path(option: str, target: Path | None, *suffixes: str) -> None:
    """Refuse a file that could not be kept, or that does not say what it is; None is no file.

    `option`: that named it, such as ``--out``.
    `suffixes`: what its name may end in, such as ``.csv``; none: anything.
    """
    if target is None:
        return
    if suffixes and target.suffix.lower() not in suffixes:
        raise UsageError(f"{option} {target}: the name must end in {' or '.join(suffixes)}", code="bad_out")
    if not target.absolute().parent.is_dir():
        raise UsageError(
            f"{option} {target} cannot be written: the folder {target.parent} does not exist; create it first",
            code="bad_out",
        )
