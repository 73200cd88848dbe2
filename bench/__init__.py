"""Measurements of speed, memory and growth; ``python -m bench`` prints the main ones as one table."""

import os
import sys
from pathlib import Path

MEDIAAN = Path(sys.executable).with_name("mediaan")
"""The command, as installed beside this Python."""

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # without bytecode each command would compile the program again
