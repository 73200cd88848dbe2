"""The HTML report of a run: one self-contained page that opens from disk."""

from mediaan.report.write import write_report

__all__ = ["write_report"]
