"""Every error that mediaan raises, on one page.

::

    MediaanError
    ├─ UsageError      before work starts; says what to change        CLI exit 2
    ├─ SetupError      model missing or corrupt, provider absent      CLI exit 1
    ├─ MediumError     a bad file: becomes a row, the run goes on     exit 3 at the end
    └─ AnalysisError   we failed on a good file: a row                exit 3 at the end

Third-party exceptions are translated in the room that owns the library; nothing else is caught.
"""

from __future__ import annotations

import errno
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache


class MediaanError(Exception):
    """Base of all errors here: a code for machines and a sentence for people.

    Parameters
    ----------
    message : str
        What happened, to which file or key, and what to do about it.
    code : str, optional
        Stable snake_case name for tables and services; defaults to the class's own.
    """

    default_code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the code when the error crosses a process border."""
        return (_rebuild, (type(self), self.message, self.code))


class UsageError(MediaanError):
    """The request cannot be carried out as asked; nothing was done."""

    default_code = "usage"


class SetupError(MediaanError):
    """This machine lacks something that the request needs."""

    default_code = "setup"


class MediumError(MediaanError):
    """This file cannot be analyzed; others can."""

    default_code = "bad_medium"


class AnalysisError(MediaanError):
    """The file is good, the program failed on it."""

    default_code = "analysis"


def cannot_write(path: object, error: OSError) -> str:
    """Return the message for a file that cannot be written, with what to do.

    >>> print(cannot_write("run/run.json", PermissionError(13, "Permission denied")))
    run/run.json cannot be written (Permission denied); make sure that you have write access or use another folder
    """
    why = error.strerror or error  # several at once, from copying a folder, have no one reason
    refused = isinstance(error, PermissionError) or error.errno == errno.EROFS
    way_out = "make sure that you have write access" if refused else "make room"
    return f"{path} cannot be written ({why}); {way_out} or use another folder"


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` or nothing, to end a sentence with."""
    guess = nearest(word, choices)
    return f"; did you mean {guess!r}?" if guess else ""


def nearest(word: str, choices: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known word that was probably meant, or None; `cutoff` is the least similarity, 0-1.

    >>> nearest("Conversoin", ["brand_building", "conversion"]), nearest("Brand-Building", ["brand_building"])
    ('conversion', 'brand_building')
    """
    matches = get_close_matches(normalize_word(word), list(choices), n=1, cutoff=cutoff)
    return matches[0] if matches else None


@lru_cache(maxsize=4096)
def normalize_word(word: str) -> str:
    """Return small letters without accents, words joined by underscores."""
    letters = unicodedata.normalize("NFD", word[:60].strip().lower())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return "_".join(bare.replace("-", " ").replace("_", " ").replace("&", " ").replace("/", " ").split())


def shorten(text: str) -> str:
    """Shorten a text to what a message can show."""
    return text if len(text) <= 60 else text[:59] + "…"


def _rebuild(kind: type[MediaanError], message: str, code: str) -> MediaanError:
    return kind(message, code=code)
