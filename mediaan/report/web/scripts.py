"""Bundle the ES modules of a page into one classic script, which runs from a file and is known by one hash."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_IMPORT = re.compile(r'^import \{ (\w+(?:, \w+)*) \} from "(\.{1,2}/[\w/.]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function|async function|class) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^\s*((?:import|export)\b.*)", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)
_TRAILING_COMMENT = re.compile(r"""(?<=[;,{}\])]) // [^"'`\n]*$""", re.MULTILINE)  # with a quote it could be in a text
_LAYOUT = re.compile(r"\n\s+")
_SEVERAL_LINES = re.compile(r"^[^`\n]*(?:`[^`\n]*`[^`\n]*)*`[^`\n]*$", re.MULTILINE)


def bundle_scripts(read: Callable[[str], str], entry: str) -> str:
    """Return one script that runs a module after all that it imports.

    Each module becomes a function of its own, so that it shares nothing but its exports; these are found in the
    constant `modules` by path. Indentation, empty lines and comments are left out.

    Parameters
    ----------
    read : callable of str to str
        Gives the text of a module by its path, such as ``core/dom.js``.
    entry : str
        Path of the module that is run.

    Raises
    ------
    ValueError
        Modules import each other in a circle, a name is not exported where it is imported from, or a statement is
        written in another way than ``import { a, b } from "./c.js";`` and ``export const``, ``function`` or ``class``.

    Examples
    --------
    >>> sources = {"a.js": 'import { one } from "./b.js";\\none();\\n', "b.js": "export const one = () => 1;\\n"}
    >>> print(bundle_scripts(sources.__getitem__, "a.js"))
    "use strict";
    const modules = {};
    modules["b.js"] = (() => {
    const one = () => 1;
    return { one };
    })();
    modules["a.js"] = (() => {
    const { one } = modules["b.js"];
    one();
    return {  };
    })();
    """
    modules: dict[str, _Module] = {}
    _collect(entry, read, modules, ())
    texts = [module.text(path) for path, module in modules.items()]
    return "\n".join(['"use strict";', "const modules = {};", *texts])


@dataclass(frozen=True, slots=True)
class _Module:
    """A module without its imports and exports, `imports` being names by path."""

    imports: Mapping[str, str]
    exports: tuple[str, ...]
    body: str

    def text(self, path: str) -> str:
        imports = "".join(f'const {{ {names} }} = modules["{source}"];\n' for source, names in self.imports.items())
        return f'modules["{path}"] = (() => {{\n{imports}{self.body}return {{ {", ".join(self.exports)} }};\n}})();'


def _collect(path: str, read: Callable[[str], str], modules: dict[str, _Module], importers: tuple[str, ...]) -> None:
    """Add a module after those that it imports."""
    if path in importers:
        raise ValueError(f"scripts import each other in a circle: {' -> '.join([*importers, path])}")
    if path in modules:
        return
    source = read(path)
    imports: dict[str, str] = {}
    for statement in _IMPORT.finditer(source):
        imported = posixpath.normpath(posixpath.join(posixpath.dirname(path), statement[2]))
        if imported in imports:
            raise ValueError(f"{path} imports {imported} twice")
        imports[imported] = statement[1]
    for imported, names in imports.items():
        _collect(imported, read, modules, (*importers, path))
        if unknown := set(names.split(", ")) - set(modules[imported].exports):
            raise ValueError(f"{path} imports {', '.join(sorted(unknown))}, which {imported} does not export")
    body = _TRAILING_COMMENT.sub("", _COMMENT.sub("", _IMPORT.sub("", source)))
    exports = tuple(_EXPORT.findall(body))
    body = _EXPORT.sub("", body)
    if other := _OTHER.search(body):
        raise ValueError(f"{path}: not supported here: {other[1]}")
    if several := _SEVERAL_LINES.search(body):
        raise ValueError(f"{path}: a text of several lines would lose its indentation: {several[0].strip()}")
    modules[path] = _Module(imports, exports, _LAYOUT.sub("\n", body).lstrip("\n"))
