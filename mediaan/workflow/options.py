"""Read the options of a function of the library: two models, or keyword arguments of the same names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from mediaan.analysis import Execution, Recipe
from mediaan.config.calibration import load_calibration
from mediaan.errors import UsageError, did_you_mean
from mediaan.types.arguments import check_type


def read_options(
    recipe: Recipe | None, execution: Execution | None, options: Mapping[str, Any], *, used: Collection[str] = ()
) -> tuple[Recipe, Execution]:
    """Apply keyword arguments to a recipe and an execution.

    `recipe`, `execution`: none: the defaults.
    `options`: values by field of either model, over those of the models; a calibration may be the path of its file.
    `used`: options that the function uses; any other that is set is refused. Empty: all.
    Raises UsageError: an unknown option, one that is not used, or a value that cannot be.
    """
    recipe = Recipe() if recipe is None else recipe
    execution = Execution() if execution is None else execution
    check_type(recipe, Recipe, "recipe")
    check_type(execution, Execution, "execution")
    names = used or {*Recipe.model_fields, *Execution.model_fields}
    for name in (*options, *recipe.model_fields_set, *execution.model_fields_set):
        if name not in names:
            raise UsageError(f"there is no option {name!r} here{did_you_mean(name, names)}", code="bad_options")
    options = dict(options)
    if isinstance(options.get("calibration"), (str, Path)):
        options["calibration"] = load_calibration(options["calibration"])
    return (
        recipe.replace(**{name: value for name, value in options.items() if name in Recipe.model_fields}),
        execution.replace(**{name: value for name, value in options.items() if name in Execution.model_fields}),
    )
