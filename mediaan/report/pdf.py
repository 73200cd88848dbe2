"""Print a page to a PDF by an installed browser without a window or a network."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from mediaan.errors import SetupError
from mediaan.media.installed_browser import find_browser
from mediaan.run.files import disk_errors

SheetFormat = Literal["pdf", "pptx"]


def sheet_formats() -> tuple[SheetFormat, ...]:
    """Return what reports can be besides a page on this machine: a PDF takes a browser, slides a package."""
    pptx: tuple[SheetFormat, ...] = ("pptx",) if find_spec("pptx") else ()
    try:
        find_browser()
    except SetupError:
        return pptx
    return ("pdf", *pptx)


_FLAGS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--disable-extensions"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"),
    *("--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND"),  # the page asks for nothing; nor may the browser
    "--no-pdf-header-footer",
)
_ERROR_LINES = 3  # of the browser, in our message


def print_pdf(page: str, out: Path, browser: Path, time_limit_s: float) -> None:
    """Print a page.

    `page`: a document that stands alone.
    `out`: the PDF, replaced whole or not at all.
    `browser`: program, as `find_browser` finds it.
    Raises SetupError: it did not print (code no_pdf), or not in time; the disk is full.
    """
    with disk_errors(out):
        out.parent.mkdir(exist_ok=True)
    # beside the result, where a browser that is kept to the user's own files can read and write
    with disk_errors(out), tempfile.TemporaryDirectory(prefix="mediaan-pdf-", dir=out.parent) as folder:
        source, printed = Path(folder) / "index.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8")
        errors = _run_browser(source.resolve().as_uri(), printed, browser, time_limit_s, Path(folder) / "profile")
        if not printed.exists() or not printed.stat().st_size:
            words = " | ".join(errors.strip().splitlines()[-_ERROR_LINES:]) or "it said nothing"
            raise SetupError(f"{browser} printed no PDF: {words}", code="no_pdf")
        printed.replace(out)


def _run_browser(address: str, pdf: Path, browser: Path, time_limit_s: float, profile: Path) -> str:
    """Have a page printed; return what the browser wrote to its errors."""
    command = [str(browser), *_FLAGS, f"--user-data-dir={profile}", f"--print-to-pdf={pdf}", address]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.insert(1, "--no-sandbox")  # Chromium refuses to sandbox what the administrator runs
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise SetupError(f"{browser} cannot be started: {error}", code="no_browser") from error
    try:
        return process.communicate(timeout=time_limit_s)[1].decode(errors="replace")
    except subprocess.TimeoutExpired as error:
        message = f"{browser} printed no PDF within {time_limit_s:g} s; give it fewer files with --limit"
        raise SetupError(message, code="no_pdf") from error
    finally:  # the browser and its helpers
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()
