"""Several sets that a model is scored on, by domain, as a TOML file lists them.

::

    [[set]]
    name = "osie"                          # how tables call it; the name of the folder unless given
    domain = "photo"                       # what it shows; means are taken by domain
    folder = "gaze/osie"                   # as `mediaan evaluate` reads it: pictures or videos, and gaze on them
    pictures = "split/dev/osie.txt"        # score only those of this list; all form the centre bias
    without = "split/held_out/osie.txt"    # score all but those of this list
    windows = ["total", "start"]           # parts of the exposure; ["total"] unless given

`folder` is relative to the file, or to the folder of data that is named when the file is read; lists are relative to
the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mediaan.errors import UsageError
from mediaan.types.maps import Window


@dataclass(frozen=True, slots=True)
class SuiteSet:
    """One set of a suite.

    Attributes
    ----------
    name : str
    domain : str
        What its media are, such as ``photo``; empty where nobody said.
    folder : Path
    pictures, without : Path or None
        Lists of the pictures or clips to score, and not to score.
    windows : tuple of {'total', 'start', 'end'}
        Clips know ``total`` only.
    """

    name: str
    domain: str
    folder: Path
    pictures: Path | None = None
    without: Path | None = None
    windows: tuple[Window, ...] = ("total",)


@dataclass(frozen=True, slots=True)
class Suite:
    """Sets that a model is scored on.

    Attributes
    ----------
    name : str
        Of the file, without its extension.
    sets : tuple of SuiteSet
        At least one, in the order of the file.
    """

    name: str
    sets: tuple[SuiteSet, ...]

    def only(self, names: Collection[str]) -> Suite:
        """Keep the sets of these names.

        Raises
        ------
        UsageError
            A name is not in the suite.
        """
        known = [one.name for one in self.sets]
        if unknown := [name for name in names if name not in known]:
            raise UsageError(f"the suite {self.name} has no set {unknown[0]!r}; it has {', '.join(known)}")
        return Suite(self.name, tuple(one for one in self.sets if one.name in names))


class _Set(BaseModel):
    model_config = ConfigDict(extra="forbid")

    folder: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    name: str | None = Field(None, min_length=1)
    pictures: str | None = None
    without: str | None = None
    windows: list[Window] = Field(["total"], min_length=1)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    set: list[_Set] = Field(min_length=1)


def read_suite(path: Path, data: Path | None = None) -> Suite:
    """Read the list of sets in a TOML file; the sets themselves are not opened.

    Parameters
    ----------
    path : Path
        In the layout on top of this page.
    data : Path, optional
        Folder to which the sets' folders are relative; by default that of the file.

    Returns
    -------
    Suite

    Raises
    ------
    UsageError
        The file cannot be read or is not in the layout, a folder or a list does not exist, or two sets have one name.
    """
    try:
        file = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"the list of sets {path} cannot be read: {error}") from error
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False))
        raise UsageError(f"the list of sets {path} does not hold together: {wrong}") from error
    beside = path.absolute().parent
    sets = tuple(_resolve(one, data or beside, beside, path) for one in file.set)
    names = [one.name for one in sets]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"{path} lists two sets named {twice[0]!r}; give one of them another `name`")
    return Suite(path.stem, sets)


def _resolve(one: _Set, data: Path, beside: Path, path: Path) -> SuiteSet:
    folder = data / one.folder
    if not folder.is_dir():
        raise UsageError(f"{path} lists the folder {folder}, which does not exist; correct it, or name it by --data")
    pictures, without = (None if name is None else beside / name for name in (one.pictures, one.without))
    for names in (pictures, without):
        if names is not None and not names.is_file():
            raise UsageError(f"{path} names the list {names}, which does not exist")
    return SuiteSet(one.name or folder.resolve().name, one.domain, folder, pictures, without, tuple(one.windows))
