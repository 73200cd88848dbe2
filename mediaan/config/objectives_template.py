"""Write an objectives file to start from: the example with its settings commented out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import PurePosixPath

from mediaan.config.objective import Objective
from mediaan.types.glossary import media_count

_IN_FORCE = ("defaults:", "  benchmark:")
"""What is not commented out, so that the file says something: what holds without it, too."""

_HINT = "# To use a setting, remove the # in front of it and in front of the heading above it."
_MOST_FOLDERS, _MOST_FILES = 40, 100


def example_objectives() -> str:
    """Return an objectives file with every setting, and a comment on each."""
    return files("mediaan.config").joinpath("objectives_example.yaml").read_text(encoding="utf-8")


def objectives_template(name: str, folder: str = "FOLDER", paths: Sequence[str] = ()) -> str:
    """Return the example with its settings commented out, except one that holds anyway.

    `name`, `folder`: what the file will be called, and the folder of the files: for the commands in its first lines.
    `paths`: of files, as patterns see them; entries for their folders and for files in none, without settings yet,
        replace those of the example.
    """
    lines = example_objectives().replace("objectives.yaml", name).replace("FOLDER", folder).splitlines()
    begin = lines.index("media:") - 1  # with the comment above
    end = begin + 1 + next(k for k, line in enumerate(lines[begin + 1 :]) if line.startswith("# "))
    media = [*_media(paths), ""] if paths else lines[begin:end]
    before = lines.index("")
    asleep = map(_comment_out, [*lines[before:begin], *media, *lines[end:]])
    return "\n".join([*lines[:before], _HINT, *asleep]) + "\n"


def rules_template(name: str) -> str:
    """Return the rules of the example, of which the first is in force, as a file of their own.

    `name`: what the file will be called.
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
    """Yield an entry for each folder, the outer before the inner, and for each file that lies in none."""
    files = [path for path in paths if "/" not in path and path.isprintable()]
    file = next((name for path in paths if (name := PurePosixPath(path).name).isprintable()), "a.png")
    yield "# Settings for some files. A later entry wins. Write these below a match:"
    yield f"# {', '.join(Objective.model_fields)}."
    yield f'# A match can also be one file, a part of a name, or a list: [{_quoted(file)}, "*_banner.png"].'
    yield "media:"
    folders = Counter(folder.as_posix() for path in paths for folder in PurePosixPath(path).parents if folder.name)
    named = sorted(sorted(folders, key=lambda folder: folder.count("/"))[:_MOST_FOLDERS])
    for folder in named:
        yield f"  - match: {_quoted(f'{folder}/**')}  # {media_count(folders[folder])}"
    if len(named) < len(folders):
        yield f"# and {len(folders) - len(named):,} folders more"
    for name in files[:_MOST_FILES]:
        yield f"  - match: {_quoted(name)}"
    if len(files) > _MOST_FILES:
        yield f"# and {len(files) - _MOST_FILES:,} files more: a table has a row for each, see below"


def _quoted(text: str) -> str:
    """Quote a text for YAML."""
    return json.dumps(text, ensure_ascii=False)
