"""Match paths of media against file patterns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_MEANING = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(pattern: str, path: str) -> bool:
    """Return whether a path matches a pattern.

    ``*`` and ``?`` stay inside one folder, ``**`` crosses folders; brackets mean themselves. A pattern without ``/``
    looks at the file name in any folder. Case does not matter, nor how accents are encoded.

    `path`: with ``/`` between folders.

    >>> matches("*.png", "summer/a.PNG"), matches("summer/*", "summer/x/a.png"), matches("summer/**", "summer/x/a.png")
    (True, False, True)
    """
    subject = _plain(path)
    return _compiled(pattern).fullmatch(subject if "/" in pattern else subject.rsplit("/", 1)[-1]) is not None


def is_spelled_otherwise(pattern: str, path: str, patterns: Collection[str]) -> bool:
    """Return whether a pattern names a path in another case or encoding of accents, while another names it exactly.

    So files whose names differ in nothing else can be described apart.

    >>> both = {"A.png", "a.png"}
    >>> [is_spelled_otherwise(pattern, "ads/a.png", both) for pattern in ("A.png", "a.png", "*.png")]
    [True, False, False]
    >>> is_spelled_otherwise("A.png", "ads/a.png", {"A.png"})
    False
    """
    subject = path if "/" in pattern else path.rsplit("/", 1)[-1]
    return _plain(pattern) == _plain(subject) and pattern != subject and subject in patterns


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    tokens = _TOKEN.findall(_plain(pattern))
    return re.compile("".join(_MEANING.get(token) or re.escape(token) for token in tokens), re.DOTALL)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
