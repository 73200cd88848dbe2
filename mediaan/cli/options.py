"""Build the options of commands from the fields of `Recipe` and `Execution`, and show the rarer ones last."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import click

from mediaan.analysis.options import Execution, Options, Recipe
from mediaan.cli import complete

Command = TypeVar("Command", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
EXISTING_PATH = click.Path(path_type=Path, exists=True)
EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)

_METAVARS = {
    "model": "NAME",
    "detector": "NAME",
    "maps": "NAMES",
    "viewport": "auto|whole|WIDTHxHEIGHT",
    "calibration": "FILE",
    "objectives": "FILE",
    "brand_kit": "FOLDER",
    "rules": "FILE",
    "domain": "photo|ad|design|page",
    "benchmark": "NAME",
    "benchmark_despite": "REASON",
    "memory_limit_mb": "MB",
    "ray_address": "HOST:PORT",
}
_COMPLETIONS = {
    "model": complete.model,
    "detector": complete.detector,
    "maps": complete.maps,
    "rules": complete.rule_set,
    "domain": complete.domain,
    "benchmark": complete.benchmark,
}


class AdvancedOption(click.Option):
    """An option that few people need."""


class TwoPartCommand(click.Command):
    """A command whose help shows advanced options below the others."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, called by click."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], "Advanced": []}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record and isinstance(option, click.Option):
                sections["Advanced" if isinstance(option, AdvancedOption) else "Options"].append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def option(model: type[Options], name: str, **attributes: Any) -> Callable[[Command], Command]:
    """Make the option of a field: its flag, type, limits, default and help.

    A unit at the end of the field's name is no part of the flag. What its documentation says of None becomes the
    default that the help shows. A field that is true by default becomes a flag ``--no-NAME``.

    `name`: of the field.
    `**attributes`: arguments of `click.option` in the place of those of the field.
    """
    field = model.model_fields[name]
    flag = re.sub(r"_(s|mb)$", "", name).replace("_", "-")
    text, _, none = " ".join((field.description or "").split()).partition(" None: ")
    settings: dict[str, Any] = {"help": f"{text}  [default: {none.rstrip('.')}]" if none else text}
    if field.annotation is bool:
        settings["is_flag"] = True
        declarations = (f"--no-{flag}", f"no_{name}") if field.default else (f"--{flag}", name)
    else:
        declarations = (f"--{flag}", name)
        settings |= {"type": _click_type(field.annotation, field.metadata), "metavar": _METAVARS.get(name)}
        settings["shell_complete"] = _COMPLETIONS.get(name)
        if field.default not in (None, "", ()):
            default = f"{field.default:g}" if isinstance(field.default, float) else field.default
            settings["default"] = default
    return click.option(*declarations, **settings | attributes)


def _click_type(annotation: Any, limits: list[Any]) -> Any:
    types = [kind for kind in get_args(annotation) if kind is not type(None)]
    if get_origin(annotation) is Literal:
        return click.Choice(types)
    kind = types[0] if types else annotation
    if Path in types:
        return click.Path()
    if kind not in (int, float):
        return click.STRING
    names = ("gt", "ge", "le")
    bounds = {name: getattr(limit, name) for limit in limits for name in names if hasattr(limit, name)}
    number_range = click.IntRange if kind is int else click.FloatRange
    return number_range(bounds.get("ge", bounds.get("gt")), bounds.get("le"), min_open="gt" in bounds)


def read_models(values: Mapping[str, Any]) -> tuple[Recipe, Execution]:
    """Build a recipe and an execution from the values of options; None leaves a field at its default."""
    stated = {name: value for name, value in values.items() if value is not None}
    for name in [name for name in stated if name.startswith("no_")]:
        stated[name.removeprefix("no_")] = not stated.pop(name)
    recipe = {name: stated.pop(name) for name in Recipe.model_fields if name in stated}
    return Recipe(**recipe), Execution(**stated)


model = option(Recipe, "model")
detector = option(Recipe, "detector")
domain = option(Recipe, "domain")
brand_kit = option(Recipe, "brand_kit")
benchmark = option(Recipe, "benchmark")
benchmark_despite = option(Recipe, "benchmark_despite")
device = option(Execution, "device")
workers = option(Execution, "workers")
run = click.argument("run", type=PATH)
aoi_level = click.option(
    "--aois", type=click.Choice(["text", "objects", "all"]), default="all", help="What to look for."
)
brand = click.option("--brand", metavar="NAME", help="Brand to look for.  [default: any]")
medium_type = click.option("--type", type=click.Choice(["image", "video", "mixed"]), help="Only files of this type.")
metric = partial(click.option, "--metric", metavar="NAME", shell_complete=complete.metric)
quiet = partial(click.option, "--quiet", "-q", is_flag=True)
json_lines = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout instead of text.")
