"""Write numbers, rows as lines of aligned columns, and blocks of lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


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


def join_blocks(blocks: Iterable[Sequence[str]]) -> str:
    """Join the lines of blocks, with an empty line between those that have any."""
    return "\n\n".join("\n".join(block) for block in blocks if block)


def number_text(value: float | None, lo: float | None = None, hi: float | None = None, *, form: str) -> str:
    """Format a number, with its interval where it has one; – for none.

    >>> number_text(0.5, form=".2f"), number_text(None, form=".2f"), number_text(0.5, 0.3, 0.7, form="+.1f")
    ('0.50', '–', '+0.5 [+0.3, +0.7]')
    """
    if value is None:
        return "–"
    return f"{value:{form}}" + ("" if lo is None or hi is None else f" [{lo:{form}}, {hi:{form}}]")
