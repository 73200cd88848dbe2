"""Match paths of media against file patterns."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_MEANING = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(pattern: str, path: str) -> bool:
    """Return whether a path matches a pattern.

    ``*`` and ``?`` stay inside one folder, ``**`` crosses folders; brackets mean themselves. A pattern without ``/``
    looks at the file name in any folder. Case does not matter, nor how accents are encoded.

    Parameters
    ----------
    pattern : str
    path : str
        With ``/`` between folders.

    Examples
    --------
    >>> matches("*.png", "summer/a.PNG"), matches("summer/*", "summer/x/a.png"), matches("summer/**", "summer/x/a.png")
    (True, False, True)
    """
    subject = unicodedata.normalize("NFC", path)
    return _compiled(pattern).fullmatch(subject if "/" in pattern else subject.rsplit("/", 1)[-1]) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    tokens = _TOKEN.findall(unicodedata.normalize("NFC", pattern))
    return re.compile("".join(_MEANING.get(token) or re.escape(token) for token in tokens), re.IGNORECASE | re.DOTALL)
