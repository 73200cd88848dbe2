"""Paths of this machine and addresses of object stores, as arguments of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mediaan.storage import is_url, open_place


class Location(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click only
    """A Path, or an address such as ``s3://bucket/ads`` as text: a Path would make one slash of its two."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | Path:
        """What was typed, as what it is."""
        return str(value) if is_url(str(value)) else Path(value)


def shown_below(location: str | Path, *names: str) -> str:
    """What a file below a location is called in front of users, without the credentials of an address."""
    if isinstance(location, Path):
        return str(location.joinpath(*names))
    return "/".join((open_place(location).shown, *names))
