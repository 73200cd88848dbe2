"""The HTML report of a run: one self-contained page that opens from disk."""

from mediaan.report.write import refresh_report, write_report

__all__ = ["refresh_report", "write_report"]
