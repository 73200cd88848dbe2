"""Break the program on purpose, in one place at a time, and see whether the tests notice.

mutations.toml lists the places: a text of one file, a plausible mistake to put in its stead, what it breaks, and the
tests that should notice. Nothing in the working tree changes: the files that git knows are copied beside it.

    python tests/mutations/run.py                         every mutation, with the tests of `make check`
    python tests/mutations/run.py --suite check-all       with those of `make check-all`
    python tests/mutations/run.py --only quota-all-media  one mutation
    python tests/mutations/run.py --after before.json     first the test that noticed before
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, NoReturn

# what all tests import, so that it is imported once; nothing of mediaan, which changes
import cv2  # noqa: F401
import numpy  # noqa: F401
import onnxruntime  # noqa: F401
import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pydantic  # noqa: F401
import pytest

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("mutations.toml")
TIME_LIMIT_S = 600.0
_OPTIONS = ("-q", "-n", "0", "--tb=no", "-p", "no:cacheprovider", "--no-header")
_SUITES = {"check": (), "check-all": ("--full",)}
_NO_TESTS_RAN = 5

State = Literal["caught", "hangs", "survived", "stale", "unclear"]


@dataclass(frozen=True)
class Mutation:
    """One mistake.

    Attributes
    ----------
    name : str
    file : str
        From the root of the repository.
    old, new : str
        A text that stands in the file once, and what replaces it.
    breaks : str
        What users would meet.
    tests : tuple of str
        Files and folders that should notice, the quickest first; doctests of the file itself run before them.
    """

    name: str
    file: str
    old: str
    new: str
    breaks: str
    tests: tuple[str, ...]

    def apply(self, root: Path) -> str | None:
        """Return the file's text with the mistake in it; None where the old text does not stand there once."""
        text = (root / self.file).read_text(encoding="utf-8")
        return text.replace(self.old, self.new) if text.count(self.old) == 1 and self.old != self.new else None


@dataclass(frozen=True)
class Finding:
    """What became of a mutation: ``unclear`` if the test that failed also fails without it."""

    name: str
    state: State
    test: str | None
    seconds: float
    breaks: str


def load_mutations() -> list[Mutation]:
    """Read the list."""
    content = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return [Mutation(**{**one, "tests": tuple(one["tests"])}) for one in content["mutation"]]


class MutatedCopy:
    """Copy of the working tree, beside it, in which files are changed and brought back."""

    def __init__(self, root: Path) -> None:
        self.root = root
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
        for name in filter(None, tracked.stdout.split("\0")):
            if (ROOT / name).is_file():  # a link to a folder is none
                target = root / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)
        self._times = itertools.count(2_000_000_000)  # bytecode is kept by time in whole seconds and size

    def write(self, file: str, text: str) -> None:
        """Write a file so that no bytecode of what stood there before is taken for it."""
        (self.root / file).write_text(text, encoding="utf-8")
        moment = next(self._times)
        os.utime(self.root / file, (moment, moment))

    def run(self, tests: Sequence[str], options: Sequence[str] = ()) -> list[str] | None:
        """Run tests and return those that failed; None where they took longer than the time limit."""
        with tempfile.TemporaryFile("w+") as printed:
            sys.stdout.flush()
            pid = os.fork()  # of a process that has what all tests import: half of the time
            if pid == 0:
                _run_pytest(self.root, [*_OPTIONS, *options, *tests], printed.fileno())
            code = _wait_for(pid, TIME_LIMIT_S)
            printed.seek(0)
            output = printed.read()
        if code is None:
            return None
        failed = (line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR ")))
        names = [line.partition(" ")[2].split(" - ")[0] for line in failed]
        if not names and code not in (0, _NO_TESTS_RAN):
            raise RuntimeError(f"pytest ended with {code}: {output[-2000:]}")
        return names


def _run_pytest(root: Path, arguments: list[str], output: int) -> NoReturn:
    os.setsid()
    for stream in (1, 2):
        os.dup2(output, stream)
    os.chdir(root)
    os.environ |= {"PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    sys.path[0] = str(root)
    sys.argv = ["pytest"]
    code: int = 1
    try:
        code = int(pytest.main(arguments))
        sys.stdout.flush()
    finally:
        os._exit(code)


def _wait_for(pid: int, limit_s: float) -> int | None:
    """Return the exit code of a process; kill it and all that it started after the limit."""
    until = time.monotonic() + limit_s
    while (found := os.waitpid(pid, os.WNOHANG)) == (0, 0):
        if time.monotonic() > until:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return None
        time.sleep(0.05)
    return os.waitstatus_to_exitcode(found[1])


def check(copy: MutatedCopy, mutation: Mutation, suite: str, caught_before: str | None = None) -> Finding:
    """Apply a mutation, run the tests that should notice, and bring the file back.

    Parameters
    ----------
    copy : MutatedCopy
    mutation : Mutation
    suite : {'check', 'check-all'}
    caught_before : str, optional
        Test that noticed before: it is tried first.
    """
    began = time.monotonic()

    def found(state: State, test: str | None = None) -> Finding:
        return Finding(mutation.name, state, test, round(time.monotonic() - began, 1), mutation.breaks)

    broken = mutation.apply(copy.root)
    if broken is None:
        return found("stale")
    whole = (copy.root / mutation.file).read_text(encoding="utf-8")
    known = [caught_before] if caught_before and (copy.root / caught_before.partition("::")[0]).exists() else []
    for tests in (known, [mutation.file, *mutation.tests]):
        if not tests:
            continue
        options = _SUITES[suite] if tests[-1].startswith("tests/") else ()  # whose conftest.py knows them
        copy.write(mutation.file, broken)
        try:
            failed = copy.run(tests, ("-x", *options))
        finally:
            copy.write(mutation.file, whole)
        if failed is None:
            return found("hangs")
        if failed:
            return found("caught", failed[0])
    return found("survived")


def check_all(mutations: Sequence[Mutation], suite: str, before: dict[str, str]) -> Iterator[Finding]:
    """Check mutations one after another in a copy beside the working tree, where tests find ../shared.

    Tests that failed are run once more without any mutation; what fails then too has noticed nothing. Such findings
    come a second time, at the end.
    """
    with tempfile.TemporaryDirectory(prefix="mutated-", dir=ROOT.parent) as folder:
        copy, caught = MutatedCopy(Path(folder)), list[Finding]()
        for mutation in mutations:
            finding = check(copy, mutation, suite, before.get(mutation.name))
            yield finding
            if finding.test is not None:
                caught.append(finding)
        failing = copy.run(sorted({str(one.test) for one in caught})) if caught else []
        for one in caught:
            if failing is None or one.test in failing:
                yield replace(one, state="unclear")


def main() -> int:
    parser = argparse.ArgumentParser(description="See which mistakes the tests notice.")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these mutations; all by default")
    parser.add_argument("--suite", choices=tuple(_SUITES), default="check")
    parser.add_argument("--results", type=Path, metavar="FILE", help="write what was found as JSON, a line each")
    parser.add_argument("--after", type=Path, metavar="FILE", help="results of an earlier run")
    options = parser.parse_args()
    mutations = {one.name: one for one in load_mutations()}
    names = options.only or list(mutations)
    if unknown := set(names) - mutations.keys():
        parser.error(f"no mutation is called {', '.join(sorted(unknown))}")
    earlier = [json.loads(line) for line in options.after.read_text("utf-8").splitlines()] if options.after else []
    before = {one["name"]: one["test"] for one in earlier if one["state"] == "caught"}
    found: dict[str, Finding] = {}
    for finding in check_all([mutations[name] for name in names], options.suite, before):
        found[finding.name] = finding
        place = finding.test or finding.breaks
        print(f"{finding.state:9} {finding.seconds:6.1f} s  {finding.name}  {place}", flush=True)
        if options.results:
            options.results.write_text("".join(json.dumps(asdict(one)) + "\n" for one in found.values()), "utf-8")
    states = Counter(one.state for one in found.values())
    print(", ".join(f"{count} {state}" for state, count in states.most_common()))
    return 0 if set(states) <= {"caught", "hangs"} else 1


if __name__ == "__main__":
    sys.exit(main())
