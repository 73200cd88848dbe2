"""Write an objectives file to start from: the example with its settings commented out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files

from mediaan.config.objectives.objective import Objective

_IN_FORCE = ("defaults:", "  benchmark:")
"""What is not commented out, so that the file says something: what holds without it, too."""

_HINT = "# To use a setting, take away its #, and that of the line which it stands under."
_MOST_NAMED = 40


def example_objectives() -> str:
    """Return an objectives file with every setting, and a comment on each."""
    return files("mediaan.config").joinpath("objectives_example.yaml").read_text(encoding="utf-8")


def objectives_template(name: str, folder: str = "FOLDER", paths: Sequence[str] = ()) -> str:
    """Return the example with its settings commented out, except one that holds anyway.

    Parameters
    ----------
    name, folder : str
        What the file will be called, and where media lie: for the commands in its first lines.
    paths : sequence of str
        Media, as patterns see them; rules for them, which say nothing yet, stand in place of the example's.
    """
    lines = example_objectives().replace("objectives.yaml", name).replace("FOLDER", folder).splitlines()
    begin = lines.index("media:")
    end = begin + next(k for k, line in enumerate(lines[begin:]) if line.startswith("# "))
    media = [*_media(paths), ""] if paths else lines[begin:end]
    before = lines.index("")
    asleep = map(_comment_out, [*lines[before:begin], *media, *lines[end:]])
    return "\n".join([*lines[:before], _HINT, *asleep]) + "\n"


def rules_template(name: str) -> str:
    """Return the rules of the example, of which the first is in force, as a file of their own.

    Parameters
    ----------
    name : str
        What the file will be called.
    """
    lines = example_objectives().splitlines()
    begin = lines.index("rules:")
    first, *others = lines[begin + 1 : lines.index("", begin)]
    use = f"#   mediaan check RUN --rules {name}"
    return "\n".join([lines[begin - 1], use, _HINT, "", "rules:", first, *map(_comment_out, others)]) + "\n"


def _comment_out(line: str) -> str:
    """Comment out a line, unless it is empty, a sentence, or in force."""
    return line if not line or line.startswith((*_IN_FORCE, "#")) else f"#{line}"


def _media(paths: Sequence[str]) -> Iterator[str]:
    """Yield a rule for each folder and each file, up to a limit, for settings to be written below."""
    yield f"# Below a match: {', '.join(Objective.model_fields)}."
    yield '# Files that share their settings can stand in one: match: ["a.png", "b_*.png"].'
    yield "media:"
    folders = Counter(path.partition("/")[0] for path in paths if "/" in path)
    for folder, count in sorted(folders.items())[:_MOST_NAMED]:
        yield f"  - match: {_quoted(f'{folder}/**')}  # {'1 medium' if count == 1 else f'{count:,} media'}"
    named = [path for path in paths if path.isprintable()][:_MOST_NAMED]
    for path in named:
        yield f"  - match: {_quoted(path)}"
    if len(named) < len(paths):
        yield f"# and {len(paths) - len(named):,} media more"


def _quoted(text: str) -> str:
    """Quote a text for YAML."""
    return json.dumps(text, ensure_ascii=False)
