"""`mediaan mcp`: tools for an assistant, over the files of folders that its user names."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from mediaan.cli.options import PATH
from mediaan.errors import SetupError


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...", type=PATH)
def mcp(folders: tuple[Path, ...]) -> None:
    """Give an assistant tools to analyze, compare, place, edit and explain the files in FOLDERs.

    It is started by the assistant's program, and speaks the Model Context Protocol over stdin and stdout until that
    closes them. Files outside FOLDERs are never read, and none is written. It needs pip install 'mediaan[mcp]'.
    """
    if find_spec("mcp") is None:
        raise SetupError("mediaan mcp needs an extra package: pip install 'mediaan[mcp]'", code="no_mcp_extra")
    from mediaan.mcp import serve

    serve(folders)
