"""Write and read run directories: what an analysis of many media leaves behind."""

from mediaan.run.directory import is_run
from mediaan.run.reader import Run, read_run
from mediaan.run.result_store import MapWriter
from mediaan.run.tables.schema import OTHER_TABLES, TABLES
from mediaan.run.writer import RunWriter

__all__ = ["OTHER_TABLES", "TABLES", "MapWriter", "Run", "RunWriter", "is_run", "read_run"]
