"""Carries out changes of runs in processes that die on request: one JSON object a line in, one exit status out.

All is loaded once; each change happens in a fork, which gets SIGKILL so many seconds after its start, or after its
first edit lies in the run.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from mediaan.workflow.aois import apply_aois, detect_aois
from mediaan.workflow.derived import write_ranges


def change(asked: dict[str, Any]) -> None:
    run = asked["run"]
    if asked["what"] == "apply":
        apply_aois(run, asked["file"])
    elif asked["what"] == "detect":
        detect_aois(run, [asked["file"]], aois="text", workers=1, threads=1)
    else:
        write_ranges(run, asked["file"])


def doomed(asked: dict[str, Any]) -> int:
    """The exit status of a change; less than zero where it was killed."""
    child = os.fork()
    if not child:
        try:
            change(asked)
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    if asked.get("after_s") is not None:
        until = time.monotonic() + 60
        while asked.get("in_edits") and not any(Path(asked["run"]).glob("edits/.*.gz")) and time.monotonic() < until:
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
            time.sleep(0.0005)
        time.sleep(asked["after_s"])
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    warnings.simplefilter("ignore", DeprecationWarning)  # of forks, which see no thread of ours
    print("ready", flush=True)
    for line in sys.stdin:
        began = time.monotonic()
        status = doomed(json.loads(line))
        print(json.dumps([status, time.monotonic() - began]), flush=True)


if __name__ == "__main__":
    main()
