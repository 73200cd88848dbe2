"""How large and how entangled the package is, counted from its source; ``python -m bench.house``."""

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[1]
GRAMMAR_NAMES = {"one", "found", "known", "own", "said"}
LONG_FUNCTION = 60  # lines
WINDOW = 6  # lines that make a repeated passage
GEOMETRY_FIELDS = {"box", "boxes", "polygon", "polygons", "region", "regions"}
AREA_NAME = re.compile(r"(Area|AreaFacts|Aoi|AOI)$")
_Node = TypeVar("_Node", bound=ast.AST)


ANALYZE_ONE_IMAGE = """
import sys, tempfile
from pathlib import Path
from PIL import Image
import mediaan as mn
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "plain.png"
    Image.new("RGB", (64, 64), "white").save(path)
    mn.analyze(path)
print("\\n".join(sorted(name for name in sys.modules if name.split(".")[0] == "mediaan")))
"""


@dataclass(frozen=True)
class Module:
    """One module of the package: its dotted name, its file, the number of its lines and its syntax tree."""

    name: str
    path: Path
    lines: int
    tree: ast.Module


def read_package(package: Path) -> dict[str, Module]:
    """Parse every module of a package, keyed by its dotted name."""
    modules = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        modules[name] = Module(name, path, len(text.splitlines()), ast.parse(text))
    return modules


def imports(module: Module, modules: dict[str, Module], when_loaded: bool = False) -> set[str]:
    """Find the modules of the same package that a module imports; what only type checkers read does not count.

    With `when_loaded`, imports inside functions do not count either.
    """
    names: set[str] = set()
    for node in _imports_below(module.tree, when_loaded):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        else:  # the package has no relative imports
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= (inside & modules.keys()) or {node.module or ""}
    return (names & modules.keys()) - {module.name}


def _imports_below(node: ast.AST, when_loaded: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        elif not (when_loaded and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)):
            yield from _imports_below(child, when_loaded)


def longest_chain(graph: dict[str, set[str]]) -> list[str]:
    """Find the longest chain of imports, each module importing the next; an import that closes a circle is left out."""
    chains: dict[str, list[str]] = {}

    def chain(name: str, above: frozenset[str]) -> list[str]:
        if name not in chains:
            below = [chain(target, above | {name}) for target in sorted(graph[name]) if target not in above | {name}]
            chains[name] = [name, *max(below, key=len, default=[])]
        return chains[name]

    return max((chain(name, frozenset()) for name in sorted(graph)), key=len)


def reachable(start: str, graph: dict[str, set[str]]) -> set[str]:
    """Find every module that is loaded with one, packages above included."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in graph:
            continue
        seen.add(name)
        waiting += [*graph[name], *([name.rpartition(".")[0]] if "." in name else [])]
    return seen


def home_of(name: str, stub: Path) -> str:
    """Return the package that the public stub imports a name from."""
    nodes = [node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ImportFrom)]
    return next(f"{stub.parent.name}.{node.module}" for node in nodes if name in {alias.name for alias in node.names})


def fields(node: ast.ClassDef) -> set[str]:
    """Return the names that a class declares with a type."""
    return {ast.unparse(item.target) for item in node.body if isinstance(item, ast.AnnAssign)}


def is_record(node: ast.ClassDef) -> bool:
    """Tell a dataclass, pydantic model, NamedTuple or TypedDict from other classes, by its decorators and bases."""
    decorators = " ".join(ast.unparse(decorator) for decorator in node.decorator_list)
    return "dataclass" in decorators or bool(node.bases and fields(node))


def area_classes(modules: dict[str, Module]) -> tuple[list[str], list[str]]:
    """List the records for an area: those named so, and all others with a box, a polygon or a region."""
    by_name, by_field = [], []
    for node in _nodes(modules, ast.ClassDef):
        if AREA_NAME.search(node.name) and is_record(node):
            by_name.append(node.name)
        elif fields(node) & GEOMETRY_FIELDS and is_record(node):
            by_field.append(node.name)
    return sorted(by_name), sorted(by_field)


def interval_classes(modules: dict[str, Module]) -> list[str]:
    """List the classes that declare their own `lo` and `hi`."""
    return sorted(node.name for node in _nodes(modules, ast.ClassDef) if {"lo", "hi"} <= fields(node))


def row_accesses(modules: dict[str, Module]) -> Counter[str]:
    """Count the lines that subscript a variable called `row`, by module."""
    lines = {
        (module.name, node.lineno)
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "row"
    }
    return Counter(name for name, _ in lines)


def grammar_bindings(modules: dict[str, Module]) -> Counter[str]:
    """Count the variables and parameters that are named by grammar instead of by what they hold."""
    names = Counter(node.arg for node in _nodes(modules, ast.arg))
    names += Counter(node.id for node in _nodes(modules, ast.Name) if isinstance(node.ctx, ast.Store))
    return Counter({name: count for name, count in names.items() if name in GRAMMAR_NAMES})


def long_functions(modules: dict[str, Module]) -> list[str]:
    """List the functions that are longer than `LONG_FUNCTION` lines, docstring included."""
    return [
        f"{module.name}.{node.name} ({node.end_lineno - node.lineno + 1})"
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno - node.lineno >= LONG_FUNCTION
    ]


def repeated_lines(modules: dict[str, Module]) -> tuple[int, int]:
    """Count the lines of code that stand in a passage of `WINDOW` lines which occurs twice, and all lines of code.

    Blank lines, comments, imports and docstrings do not count.
    """
    passages: defaultdict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    total = 0
    for module in modules.values():
        lines = _code_lines(module)
        total += len(lines)
        for start in range(len(lines) - WINDOW + 1):
            passages[tuple(lines[start : start + WINDOW])].append((module.name, start))
    repeated = {
        (name, start + offset)
        for places in passages.values()
        if len(places) > 1
        for name, start in places
        for offset in range(WINDOW)
    }
    return len(repeated), total


def _code_lines(module: Module) -> list[str]:
    lines = module.path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(module.tree):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if isinstance(node, ast.Import | ast.ImportFrom) or text:
            for number in range(node.lineno - 1, node.end_lineno):
                lines[number] = ""
    return [line.strip() for line in lines if line.strip(" ()[]{},") and not line.strip().startswith("#")]


def _nodes(modules: dict[str, Module], kind: type[_Node]) -> list[_Node]:
    return [node for module in modules.values() for node in ast.walk(module.tree) if isinstance(node, kind)]


def rows(root: Path) -> Iterator[tuple[str, str]]:
    """Measure the checkout at `root`, one named figure after the other."""
    modules = read_package(root / "mediaan")
    rooms: defaultdict[str, list[Module]] = defaultdict(list)
    for module in modules.values():
        inside = module.path.relative_to(root / "mediaan").parts
        rooms[inside[0] if len(inside) > 1 else "(top)"].append(module)
    for room, members in sorted(rooms.items()):
        yield f"  {room}", f"{len(members)} files, {sum(module.lines for module in members):,} lines"
    yield "the package", f"{len(modules)} files, {sum(module.lines for module in modules.values()):,} lines"
    for folder in ("models", "bench", "tests"):
        yield folder, f"{sum(len(path.read_text().splitlines()) for path in (root / folder).rglob('*.py')):,} lines"
    yield "docs", f"{sum(len(path.read_text().split()) for path in (root / 'docs').rglob('*.md')):,} words"

    graph = {name: imports(module, modules) for name, module in modules.items()}
    loaded_graph = {name: imports(module, modules, when_loaded=True) for name, module in modules.items()}
    yield "imports of the package per module", f"{sum(map(len, graph.values())) / len(graph):.1f}"
    yield "longest chain of imports", str(len(longest_chain(graph)))
    command = [sys.executable, "-c", ANALYZE_ONE_IMAGE]
    loaded = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.split()
    static = reachable(home_of("analyze", root / "mediaan" / "__init__.pyi"), loaded_graph)
    for title, names in (
        ("loaded after analyze of an image", set(loaded)),
        ("loaded with analyze, by its imports", static),
    ):
        lines = sum(modules[name].lines for name in names if name in modules)
        yield title, f"{len(names)} modules, {lines:,} lines"

    by_name, by_field = area_classes(modules)
    yield "classes named for an area", f"{len(by_name)}: {', '.join(by_name)}"
    yield "other records with a box", f"{len(by_field)}: {', '.join(by_field)}"
    yield "classes with lo and hi", f"{len(interval_classes(modules))}: {', '.join(interval_classes(modules))}"
    accesses = row_accesses(modules)
    yield "lines with row[...]", f"{accesses.total()} in {len(accesses)} files"
    bindings = grammar_bindings(modules)
    yield (
        "variables named by grammar",
        f"{bindings.total()}: " + ", ".join(f"{n} {c}" for n, c in bindings.most_common()),
    )
    functions = long_functions(modules)
    yield f"functions over {LONG_FUNCTION} lines", f"{len(functions)}: {', '.join(functions)}"
    repeated, total = repeated_lines(modules)
    yield f"code that stands twice ({WINDOW} lines or more)", f"{repeated:,} of {total:,} lines, {repeated / total:.1%}"


if __name__ == "__main__":
    for title, figure in rows(ROOT):
        print(f"{title:<42} {figure}")
