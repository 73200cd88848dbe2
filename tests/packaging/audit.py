"""Look up known holes of what is installed, and of the oldest versions that pyproject.toml admits: `make audit`.

The database of PyPI has to be reached for that. Where it cannot be, or a mirror has none, nothing is checked, which is
said and is no failure.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BOUND = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?>=([0-9][^,; ]*)")


def lower_bounds(project: dict[str, object]) -> list[str]:
    """List the oldest version of each requirement, of the extras too, as ``name==version``."""
    extras = project.get("optional-dependencies")
    groups = [project["dependencies"], *(extras.values() if isinstance(extras, dict) else ())]
    texts = [text for group in groups if isinstance(group, list) for text in group]
    found = (_BOUND.match(text) for text in texts)
    return sorted({f"{match[1]}=={match[2]}" for match in found if match})


def report(output: str) -> tuple[list[str], int]:
    """Return a line for each hole in what pip-audit wrote, and how many packages it could look up."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError):
        return [], 0
    looked_up = [package for package in packages if "skip_reason" not in package]
    holes = [
        f"{package['name']} {package['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'none'}"
        for package in looked_up
        for hole in package["vulns"]
    ]
    return holes, len(looked_up)


def audits() -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what is audited, with the arguments of pip-audit."""
    yield "installed", ["--skip-editable"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "oldest.txt")
        file.write_text("\n".join(lower_bounds(project)))
        yield "oldest versions admitted", ["--requirement", str(file), "--no-deps", "--disable-pip"]


def main() -> int:
    """Print what was found; 1 where there are holes."""
    code = 0
    for what, arguments in audits():
        command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        holes, looked_up = report(done.stdout)
        print("\n".join(holes))
        if looked_up:
            print(f"{what}: {len(holes)} known holes in {looked_up} packages")
        else:
            print(f"{what}: NOTHING WAS CHECKED, since the database of holes cannot be reached")
        code |= bool(holes)
    return code


if __name__ == "__main__":
    sys.exit(main())
