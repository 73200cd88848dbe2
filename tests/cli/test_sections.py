"""Options that are built from the option models, and the help that shows them."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from mediaan.analysis import Execution, Recipe
from mediaan.cli.commands.analyze import analyze
from mediaan.cli.options import AdvancedOption, option, read_models

OPTIONS = {str(one.name): one for one in analyze.params if isinstance(one, click.Option)}


def test_help_shows_each_option_once_the_advanced_ones_below() -> None:
    text = CliRunner().invoke(analyze, ["--help"]).stdout
    usual, advanced = text.split("\nAdvanced:\n")
    for one in analyze.params:
        if isinstance(one, click.Option):
            flag = rf"^  (?:-\w, )?{one.opts[0]}\b(?!-)"
            assert bool(re.search(flag, advanced, re.MULTILINE)) == isinstance(one, AdvancedOption), one.opts
            assert len(re.findall(flag, usual + advanced, re.MULTILINE)) == 1


def test_most_people_see_few_options() -> None:
    assert sum(not isinstance(one, AdvancedOption) for one in OPTIONS.values()) <= 17


@pytest.mark.parametrize("model", [Recipe, Execution])
def test_an_option_has_the_limits_and_the_default_of_its_field(model: type[Recipe | Execution]) -> None:
    for name, field in model.model_fields.items():
        made = OPTIONS.get(name)
        if made is None or name in ("aois", "maps", "calibration"):  # whose values are read first
            continue
        if made.is_flag:
            assert field.default is False
        elif isinstance(made.default, str | int | float):
            assert read_models({name: made.type.convert(made.default, made, None)}) == (Recipe(), Execution())
        else:
            assert field.default in (None, "", ())


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("fps", "61"), ("fps", "0"), ("max_megapixels", "-1"), ("intervals", "some"), ("time_limit_s", "0")],
)
def test_what_a_field_refuses_its_option_refuses(name: str, wrong: str) -> None:
    @click.command
    @option(Recipe, name)
    def command(**values: object) -> None:
        """Do nothing."""

    flag = command.params[0].opts[0]
    assert CliRunner().invoke(command, [flag, wrong]).exit_code == 2
    assert CliRunner().invoke(command, []).exit_code == 0


def test_values_become_the_two_models() -> None:
    recipe, execution = read_models({"no_densities": True, "fps": 2.0, "workers": 3, "domain": None, "limit": None})
    assert (recipe, execution) == (Recipe(densities=False, fps=2.0), Execution(workers=3))
