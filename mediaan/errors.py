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
    """This file cannot be analysed; others can."""

    default_code = "bad_medium"


class AnalysisError(MediaanError):
    """The file is good, the program failed on it."""

    default_code = "analysis"


def cannot_write(path: object, error: OSError) -> str:
    """What to say of a file that cannot be written, up to what to do then.

    Examples
    --------
    >>> print(cannot_write("run/run.json", PermissionError(13, "Permission denied")))
    run/run.json cannot be written (Permission denied); make sure that you may write there or name another folder
    """
    why = error.strerror or error  # several at once, from copying a folder, have no one reason
    refused = isinstance(error, PermissionError) or error.errno == errno.EROFS
    way_out = "make sure that you may write there" if refused else "make room"
    return f"{path} cannot be written ({why}); {way_out} or name another folder"


def _rebuild(kind: type[MediaanError], message: str, code: str) -> MediaanError:
    return kind(message, code=code)
