"""The page's modules as one script: in order, each with a scope of its own, and refused where that would not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

import mediaan.report
from mediaan.report.web.scripts import bundle_scripts

VIEWS = Path(mediaan.report.__file__).parent / "web" / "views"


def bundled(**sources: str) -> str:
    return bundle_scripts({f"{name}.js": text for name, text in sources.items()}.__getitem__, "main.js")


def test_a_module_comes_once_and_after_those_that_it_imports() -> None:
    script = bundled(
        main='import { b } from "./b.js";\nimport { c } from "./c.js";\nb(c);\n',
        b='import { c } from "./c.js";\nexport function b() {\n  return c;\n}\n',
        c='// why\nexport const c = "a; // b"; // s\n',
    )
    assert [line for line in script.splitlines() if line.startswith("modules[")] == [
        f'modules["{name}.js"] = (() => {{' for name in ("c", "b", "main")
    ]
    assert 'const c = "a; // b";\nreturn { c };' in script
    assert "why" not in script


@pytest.mark.parametrize(
    ("sources", "complaint"),
    [
        ({"main": 'import { a } from "./a.js";\n', "a": 'import { m } from "./main.js";\n'}, "in a circle"),
        ({"main": 'import { a } from "./a.js";\n', "a": "const a = 1;\n"}, "imports a, which a.js does not export"),
        ({"main": 'import a from "./a.js";\n'}, "not supported here: import a from"),
        ({"main": "export let a = 1;\n"}, "not supported here: export let a"),
        ({"main": "const a = `\n  b`;\n"}, "several lines"),
    ],
)
def test_what_would_not_be_the_same_as_a_module_is_refused(sources: dict[str, str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        bundled(**sources)


def test_all_scripts_of_the_page_are_in_it() -> None:
    script = bundle_scripts(lambda path: (VIEWS / path).read_text("utf-8"), "main.js")
    paths = {path.relative_to(VIEWS).as_posix() for path in VIEWS.rglob("*.js")} - {"print/fit.js"}  # of the PDF
    assert {path for path in paths if f'modules["{path}"] = ' in script} == paths
