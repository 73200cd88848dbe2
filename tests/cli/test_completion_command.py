"""What a real bash completes, and what the help costs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from mediaan.cli import complete
from mediaan.cli.main import _COMMANDS
from mediaan.saliency import list_cards, list_detector_cards

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


@pytest.mark.parametrize("command", sorted(_COMMANDS))
def test_help_loads_nothing_heavy(command: str) -> None:
    """What is slow is what is imported, and that does not depend on how busy the machine is."""
    script = (
        "import sys; from mediaan.cli.main import cli; cli.main([sys.argv[1], '--help'], standalone_mode=False);"
        "print('LOADED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script, command], capture_output=True, text=True, timeout=60)
    loaded = set(done.stdout.rpartition("LOADED")[2].split())
    assert "mediaan.cli.main" in loaded
    heavy = {"numpy", "pandas", "pyarrow", "cv2", "onnxruntime", "av", "PIL", "jinja2", "tqdm", "starlette"}
    assert not loaded & heavy
