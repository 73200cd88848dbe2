"""Where a command prints: a terminal that names of files cannot steer, in any encoding; a reader that may leave."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from pathlib import Path
from typing import Any, TextIO

from mediaan.errors import SetupError

_CONTROL = re.compile(
    r"\x1b(?!\[[01]m)"  # escape sequences, but for bold and its end, which are our own
    r"|(?<!^)\r(?!$)"  # back to the start of the line, in the middle of a text: not that of a progress bar
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
    r"|[\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # what turns the direction of writing
)


def escape_control_characters(text: str) -> str:
    r"""Show what a terminal would obey as Python writes it.

    >>> print(escape_control_characters("done: \x1b]0;title\x07\x1b[31mred.png"))
    done: \x1b]0;title\x07\x1b[31mred.png
    >>> escape_control_characters("\rhalf of it\n") == "\rhalf of it\n"
    True
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class EscapingTerminal(io.TextIOWrapper):
    """Writes to a terminal what `escape_control_characters` makes of it."""

    def write(self, text: str) -> int:
        """Write; return how many characters were asked for."""
        super().write(escape_control_characters(text))
        return len(text)


class Output(io.FileIO):
    """A descriptor that the command writes to: where it cannot, the work goes on, or ends with what to do."""

    def write(self, data: Any) -> int:
        """Write; what nobody reads any more is dropped.

        Raises SetupError: the disk is full, or the device refuses to be written to.
        """
        try:
            return super().write(data)
        except OSError as error:
            with Path(os.devnull).open("wb") as nothing:  # the rest, and what is buffered, goes nowhere
                os.dup2(nothing.fileno(), self.fileno())
            if isinstance(error, BrokenPipeError):
                return len(data)
            message = f"what the command prints cannot be written ({error.strerror}); make room, or print elsewhere"
            raise SetupError(message, code="output_failed") from error


_SPELLED = {
    "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
    "\u2026": "...", "\u2192": "->", "\u2264": "<=", "\u2265": ">=", "\u00d7": "x", "\u00b1": "+-",
    **{chr(0x2581 + step): str(step + 1) for step in range(8)},  # the bars of a small chart
}  # fmt: skip
"""Signs of our own texts, for terminals that do not have them."""


def spell_out(error: UnicodeError) -> tuple[str, int]:
    r"""Replace what an encoding does not have, as an error handler of codecs: our signs by ASCII, others by escapes.

    >>> codecs.register_error("mediaan", spell_out)
    >>> "5 \u2192 6 \u2265 7, \u590f.png".encode("latin-1", "mediaan")
    b'5 -> 6 >= 7, \\u590f.png'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    wrong = error.object[error.start : error.end]
    escaped = (_SPELLED.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in wrong)
    return "".join(escaped), error.end


def prepare_streams() -> None:
    """Make stdin, stdout and stderr fit for any command: never absent, on any terminal, with any reader.

    Files and pipes get every byte; a terminal gets what `EscapingTerminal` writes. A stream that is closed leads
    nowhere, so that no file of the run gets its descriptor.
    """
    codecs.register_error("mediaan", spell_out)
    if sys.platform != "win32":
        for descriptor in range(3):
            try:
                os.fstat(descriptor)
            except OSError:  # the lowest that is free, so this one
                os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO())
    sys.stdout, sys.stderr = _prepare(sys.stdout, 1), _prepare(sys.stderr, 2)


def _prepare(stream: TextIO | None, descriptor: int) -> TextIO:
    if stream is None:
        return io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8")
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    try:
        is_terminal = stream.isatty()
        stream.flush()
        raw = Output(stream.fileno(), "w", closefd=False)
    except (OSError, ValueError):  # a stream of another program's, without a descriptor
        return stream
    errors = "mediaan" if stream.errors in ("strict", "backslashreplace") else stream.errors
    kind = EscapingTerminal if is_terminal else io.TextIOWrapper
    return kind(
        io.BufferedWriter(raw), encoding=stream.encoding, errors=errors, line_buffering=is_terminal or descriptor == 2
    )
