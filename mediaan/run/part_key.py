"""Name the parts of a run: the key of a medium's part follows from the recipe and from what identifies the medium."""

from __future__ import annotations

import hashlib
import json

_DIGITS = 32  # of a key that say which medium it is; the rest says what was asked of it


def part_key(recipe_id: str, identity: str, options_id: str = "") -> str:
    """Return the key of the part of a medium: 32 hexadecimal digits, by which it is filed, and its options.

    `identity`: the medium's id, which follows from its content; of a file that cannot be read, its path.
    `options_id`: of what is asked of this medium in particular: a part of other options takes the place of the one
        before.

    >>> part_key("r", "m") == part_key("r", "m", ""), part_key("r", "m") == part_key("r", "n")
    (True, False)
    >>> part_key("r", "m", "w").removeprefix(part_key("r", "m"))
    '-w'
    """
    digits = hashlib.sha256(json.dumps([recipe_id, identity]).encode()).hexdigest()[:_DIGITS]
    return f"{digits}-{options_id}" if options_id else digits


def medium_prefix(name: str) -> str:
    """Return the digits of a key, or of the path of a part, that identify the medium."""
    return name.rpartition("/")[2][:_DIGITS]
