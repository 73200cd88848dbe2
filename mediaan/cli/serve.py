"""`mediaan serve`: the v2 media analysis service on this machine."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import click

from mediaan.cli import options
from mediaan.cli.serve_keys import keys
from mediaan.errors import SetupError, UsageError

_NEEDED = ("itsdangerous", "python_multipart", "starlette", "uvicorn")


@click.group(invoke_without_command=True)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("mediaan-server"),
    show_default=True,
    metavar="DIR",
    help="Folder of everything that the server keeps.",
)
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True, help="Processes that analyse.")
@options.device
@click.option("--no-films", is_flag=True, help="Make no films with attention over them of videos.")
@click.option(
    "--max-video-bytes",
    type=click.IntRange(min=1),
    envvar="MAX_VIDEO_BYTES",
    default=2048 << 20,
    show_default=True,
    metavar="N",
    help="Refuse larger videos and mixed media; also the environment variable MAX_VIDEO_BYTES.",
)
@click.option(
    "--max-image-bytes",
    type=click.IntRange(min=1),
    default=64 << 20,
    show_default=True,
    metavar="N",
    help="Refuse larger pictures.",
)
@click.option("--public-url", metavar="URL", help="Address at which clients reach the server, behind a proxy.")
@click.option("--quiet", "-q", is_flag=True, help="No log of requests; errors are still told.")
def serve(quiet: bool, no_films: bool, **wishes: Any) -> None:
    """Offer the analysis over HTTP, as the Media Analysis Service API does, version 2."""
    _check_installed()
    if click.get_current_context().invoked_subcommand:
        return
    _check_public_url(wishes["public_url"])
    from mediaan.server.serve import serve as run
    from mediaan.server.settings import ServerSettings

    run(ServerSettings(films=not no_films, access_log=not quiet, **wishes), click.echo)


serve.add_command(keys)


def _check_public_url(url: str | None) -> None:
    if url is not None and not re.fullmatch(r"https?://[^/?#\s]+(/[^?#\s]*)?", url):
        message = f"--public-url {url}: must be an address such as https://media.example.com"
        raise UsageError(message, code="bad_public_url")


def _check_installed() -> None:
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise SetupError(
            f"the server needs {', '.join(missing)}; install it with: pip install 'mediaan[server]'", code="no_server"
        )
