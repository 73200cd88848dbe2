"""What all tests share: how much is run, and in which process and order; Ctrl-C that works; one browser for pages."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import budget
import pytest

if TYPE_CHECKING:
    from selenium import webdriver
    from xdist.scheduler import Scheduling

collect_ignore = ["declared"]
"""What it declares holds for the processes of `test_registries.py`; looking for doctests would import it here."""

TESTS = Path(__file__).parent
LONGEST_FIRST = (
    "server",
    "crashes",
    "hostile",
    "execution",
    "storage",
    "golden",
    "workflow",
    "cli",
    "report",
    "studies",
)
"""Folders of tests, so that all processes end at about the same time."""


_CAP_SYS_NICE, _PR_CAPBSET_DROP, _CAPABILITY_VERSION_3 = 23, 24, 0x20080522


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run tests marked `full` as well, and try more examples")


def pytest_configure(config: pytest.Config) -> None:
    budget.FULL = config.getoption("--full")
    if sys.platform == "linux":
        _give_up_real_time()
    # A shell that starts us in the background has us, and all that we start, ignore Ctrl-C.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not budget.FULL:
        later = [item for item in items if item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=later)
        items[:] = [item for item in items if not item.get_closest_marker("full")]
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    parts = item.path.relative_to(TESTS).parts if item.path.is_relative_to(TESTS) else ("",)
    return LONGEST_FIRST.index(parts[0]) if parts[0] in LONGEST_FIRST else len(LONGEST_FIRST)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """Keep each file in one process, with all that its module makes once, and all clusters of Ray in one."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "ray" if "/test_ray_" in file or file.endswith("/test_ray.py") else file

    config.option.loadscopereorder = False
    return ByFile(config, log)


def _give_up_real_time() -> None:
    """Keep this process and all that it starts from running in real time.

    SVT-AV1, which clips are made with, asks for that where it runs as root, for the thread that calls it and thereby
    for all processes that follow: these then starve the other tests. Without CAP_SYS_NICE it is refused (capset(2)).
    """
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_CAPBSET_DROP, _CAP_SYS_NICE, 0, 0, 0)
    header, sets = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets) == 0:
        for i in range(3):  # effective, permitted, inheritable; the other half has the capabilities from 32 on
            sets[i] &= ~(1 << _CAP_SYS_NICE)
        libc.capset(header, sets)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    # imported by those who need one only
    from browsing import CHROMIUM, DRIVER, FLAGS
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(str(DRIVER), log_output=subprocess.DEVNULL)
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()
