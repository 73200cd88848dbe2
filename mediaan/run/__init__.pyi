from .directory import is_run
from .reader import Run, read_run
from .tables.schema import OTHER_TABLES, TABLES
from .writer import RunWriter

__all__ = ["OTHER_TABLES", "TABLES", "Run", "RunWriter", "is_run", "read_run"]
