"""Say what a written report is to those who forward it."""

from __future__ import annotations

from pathlib import Path


def page_size(page: Path) -> str:
    """Say how large a page is, and whether it can be forwarded.

    Parameters
    ----------
    page : Path
        As `write_report` wrote it.
    """
    from mediaan.report.web.layout import is_one_file

    size = format_megabytes(page)
    if is_one_file(page):
        return f"one file, {size}; you can forward it as it is"
    return f"{size}; shows images from the folder maps. To forward it: mediaan report RUN --out FILE"


def format_megabytes(file: Path) -> str:
    """Format the size of a file."""
    return f"{file.stat().st_size / 1e6:.1f} MB"
