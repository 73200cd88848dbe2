"""The command `mediaan` run in the process of the test: what it prints and its exit code, without a new process."""

from __future__ import annotations

import os
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from mediaan.cli.main import main


def mediaan_command(*arguments: object, cwd: Path, **environment: str) -> CompletedProcess[str]:
    """Run `main` as the script does; what only a process of its own has (signals, descriptors) is tested with one."""
    command = ["mediaan", *map(str, arguments)]
    out, err, code = StringIO(), StringIO(), None
    kept = {name: value for name, value in os.environ.items() if name != "MEDIAAN_MODELS"}
    with (
        chdir(cwd),
        patch.dict(os.environ, kept | environment, clear=True),
        patch.object(sys, "argv", command),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    assert isinstance(code, int)
    return CompletedProcess(command, code, out.getvalue(), err.getvalue())
