"""Options that are built from the option models, the help that shows them, and what a real bash completes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from mediaan.analysis import Execution, Recipe
from mediaan.cli import complete
from mediaan.cli.commands.analyze import analyze
from mediaan.cli.main import _COMMANDS
from mediaan.cli.options import AdvancedOption, option, read_models
from mediaan.saliency import list_cards, list_detector_cards

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
    ("name", "wrong"), [("fps", "61"), ("fps", "0"), ("max_megapixels", "-1"), ("time_limit_s", "0")]
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


MEDIAAN = Path(sys.executable).with_name("mediaan")
BASH = shutil.which("bash")

needs_bash = pytest.mark.skipif(BASH is None, reason="bash is not installed")

_ASK = """
compopt() { :; }  # bash has it inside of a completion that a key began, and not here
eval "$(mediaan completion bash)"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_mediaan_completion mediaan "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(*words: str) -> set[str]:
    """What bash offers for the last of some words; an empty one is what stands behind a space."""
    assert BASH
    path = f"{MEDIAAN.parent}{os.pathsep}{os.environ['PATH']}"
    command = [BASH, "--norc", "-c", _ASK, "bash", "mediaan", *words]
    done = subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return set(done.stdout.split())


@needs_bash
def test_all_commands() -> None:
    assert completed("") == set(_COMMANDS)
    assert completed("ana") == {"analyze"}


@needs_bash
def test_names_of_what_there_is() -> None:
    assert completed("analyze", "--model", "") >= set(list_cards())
    assert completed("analyze", "--detector", "") >= set(list_detector_cards())
    assert completed("analyze", "--benchmark", "") >= {"auto", "none", "ads", "charts", "films", "web"}
    assert completed("benchmark", "show", "we") == {"web"}
    assert "cognitive_demand" in completed("compare", "--metric", "cog")
    assert "first_seen_s" in completed("explain", "first")


COMPLETERS = {name: made for name, made in vars(complete).items() if getattr(made, "__name__", "") == "complete"}


@pytest.mark.parametrize("name", COMPLETERS)
def test_every_list_of_names_is_found_where_it_is_looked_for(name: str) -> None:
    option = click.Option(["--name"])
    assert {item.type for item in COMPLETERS[name](click.Context(click.Command("x")), option, "")} == {"plain"}


@pytest.mark.parametrize(
    ("shell", "of_it"), [("bash", "complete -o"), ("zsh", "#compdef mediaan"), ("fish", "complete ")]
)
def test_a_script_for_each_shell(shell: str, of_it: str) -> None:
    done = subprocess.run([MEDIAAN, "completion", shell], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert of_it in done.stdout
    assert "_MEDIAAN_COMPLETE" in done.stdout


def test_help_loads_nothing_heavy() -> None:
    """What is slow is what is imported, and that does not depend on how busy the machine is."""
    script = (
        "import sys; from mediaan.cli.main import cli\n"
        "for command in sys.argv[1:]:\n"
        "    cli.main([command, '--help'], standalone_mode=False); print('LOADED', command, *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script, *_COMMANDS], capture_output=True, text=True, timeout=60)
    told = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("LOADED")]
    assert [command for command, *_ in told] == list(_COMMANDS), done.stderr
    heavy = {"numpy", "pandas", "pyarrow", "cv2", "onnxruntime", "av", "PIL", "jinja2", "tqdm", "starlette"}
    assert not [command for command, *loaded in told if heavy & {*loaded}]
