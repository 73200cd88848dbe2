"""``python -m bench.house`` counts what stands in the source."""

from pathlib import Path

from bench import house

AREAS = """
from __future__ import annotations
from dataclasses import dataclass
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from small import rows

@dataclass(frozen=True)
class PrintedArea:
    lo: float
    hi: float

@dataclass
class Mark:
    box: tuple[int, int, int, int]

class Text:
    box = None
"""
ROWS = """
from small.areas import PrintedArea
from small import areas

def totals(rows, found):
    from small import late
    for row in rows:
        one = row["x"] + row[0]
        found += row["y"]
    return found, one
"""


def test_figures_of_a_small_package(tmp_path: Path) -> None:
    package = tmp_path / "small"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "areas.py").write_text(AREAS)
    (package / "rows.py").write_text(ROWS)
    (package / "late.py").write_text("from small import rows\n" + "VALUES = [\n" + "    1,\n" * 70 + "]\n")
    modules = house.read_package(package)

    graph = {name: house.imports(module, modules) for name, module in modules.items()}
    assert graph["small.rows"] == {"small.areas", "small.late"}
    assert graph["small.areas"] == set()
    assert house.imports(modules["small.rows"], modules, when_loaded=True) == {"small.areas"}
    assert len(house.longest_chain(graph)) == 3
    assert house.reachable("small.areas", graph) == {"small", "small.areas"}

    assert house.area_classes(modules) == (["PrintedArea"], ["Mark"])
    assert house.interval_classes(modules) == ["PrintedArea"]
    assert house.row_accesses(modules) == {"small.rows": 2}
    assert house.grammar_bindings(modules) == {"found": 2, "one": 1}
    assert house.long_functions(modules) == []
    assert house.repeated_lines(modules)[0] == 70
