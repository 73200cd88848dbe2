"""Write rows as lines of aligned columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def table_lines(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """Align cells in columns, as wide as a terminal shows them.

    `rows`: all of one length; the heading is a row like the others.
    `left`: columns that are aligned to the left, as indices, from the end if negative; all others are to the right.

    >>> print("\\n".join(table_lines([("", "n", "set"), ("focus", "12", "ads")], left=(0, -1))))
            n  set
    focus  12  ads
    """
    from tabulate import tabulate

    if not rows:
        return []
    width = len(rows[0])
    names = {column % width for column in left}
    text = tabulate(
        rows,
        tablefmt="plain",
        colalign=["left" if column in names else "right" for column in range(width)],
        disable_numparse=True,
        preserve_whitespace=True,
    )
    return text.split("\n")
