"""A terminal that names of files cannot steer: control characters are shown and not obeyed."""

from __future__ import annotations

import io
import re
import sys
from typing import TextIO

_CONTROL = re.compile(
    r"\x1b(?!\[[01]m)"  # escape sequences, but for bold and its end, which are our own
    r"|(?<!^)\r(?!$)"  # back to the start of the line, in the middle of a text: not that of a progress bar
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
    r"|[\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # what turns the direction of writing
)


def escape_control_characters(text: str) -> str:
    r"""Show what a terminal would obey as Python writes it.

    Examples
    --------
    >>> print(escape_control_characters("done: \x1b]0;title\x07\x1b[31mred.png"))
    done: \x1b]0;title\x07\x1b[31mred.png
    >>> escape_control_characters("\rhalf of it\n") == "\rhalf of it\n"
    True
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class EscapingTerminal(io.TextIOWrapper):
    """Writes to a terminal what `escape_control_characters` makes of it."""

    def write(self, text: str) -> int:
        """Write; return how many characters were asked for."""
        super().write(escape_control_characters(text))
        return len(text)


def wrap_terminals() -> None:
    """Put stdout and stderr behind `EscapingTerminal` where they are terminals; files and pipes get every byte."""
    sys.stdout, sys.stderr = _wrap_terminal(sys.stdout), _wrap_terminal(sys.stderr)


def _wrap_terminal(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or not stream.isatty():
        return stream
    encoding, errors = stream.encoding, stream.errors
    stream.flush()
    return EscapingTerminal(stream.detach(), encoding=encoding, errors=errors or "strict", line_buffering=True)
