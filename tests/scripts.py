"""Calling the page's script modules from Python, in Node, to compare their arithmetic with Python's."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import mediaan.report.web

VIEWS = Path(mediaan.report.web.__file__).parent / "views"
NODE = shutil.which("node")

needs_node = pytest.mark.skipif(NODE is None, reason="needs node")

_PROGRAM = """
import { text } from "node:stream/consumers";
const { args, data } = JSON.parse(await text(process.stdin));
globalThis.document = { getElementById: () => ({ textContent: data }), querySelector: () => null };
const { %(names)s } = await import(%(module)s);
process.stdout.write(JSON.stringify(await (async () => { %(body)s })()));
"""


def call_module(module: str, names: str, body: str, *args: object, page: Path | None = None) -> Any:
    """Run a function body on `args` with names that a module of `views` exports, and return its value.

    What other modules export is had by `await load("core/state.js")`. The modules see the data of a page that was
    written.
    """
    assert NODE is not None
    data = page and page.read_text("utf-8").split('id="data">')[1].split("</script>")[0]
    load = f"const load = (module) => import({json.dumps(VIEWS.as_uri())} + '/' + module);"
    program = _PROGRAM % {"names": names, "module": json.dumps((VIEWS / module).as_uri()), "body": load + body}
    command = [NODE, "--no-warnings", "--input-type=module", "--eval", program]
    message = json.dumps({"args": args, "data": data or "{}"})
    process = subprocess.run(command, input=message, capture_output=True, text=True, check=False, timeout=120)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)
