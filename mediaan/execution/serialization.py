"""Pickle what crosses process boundaries, with errors that name what could not be pickled."""

from __future__ import annotations

import pickle
import traceback
from typing import Any, NoReturn


def pickle_value(value: Any, what: str) -> bytes:
    """Pickle a value.

    Raises TypeError: it cannot be pickled; the message names it as `what`.
    """
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # pickling calls the methods of whatever it is given
        raise TypeError(f"{what} cannot be sent to another process: {error}") from error


def pickle_error(error: BaseException) -> bytes:
    """Pickle an exception with its traceback as text; one that cannot be pickled is described by another."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickled = pickle.dumps((error, trace))
        pickle.loads(pickled)
    except Exception:  # exceptions whose arguments are not those of their class, and more
        return pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), trace))
    return pickled


def raise_pickled_error(pickled: bytes) -> NoReturn:
    """Raise what `pickle_error` pickled, with a note on where it was raised."""
    error, trace = pickle.loads(pickled)
    error.add_note(f"in a worker:\n{trace}")
    raise error
