"""`mediaan completion`: what makes a shell complete commands, options and names."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands, options, choices, and names of models, benchmarks, maps and metrics.

    \b
    bash   echo 'eval "$(mediaan completion bash)"' >> ~/.bashrc
    zsh    echo 'eval "$(mediaan completion zsh)"' >> ~/.zshrc    after compinit
    fish   mediaan completion fish > ~/.config/fish/completions/mediaan.fish
    """
    from click.shell_completion import get_completion_class

    from mediaan.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "mediaan", "_MEDIAAN_COMPLETE").source())
