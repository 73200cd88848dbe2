"""`mediaan init`: a configuration to start from, which knows the names of your files."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from mediaan.types.glossary import media_count


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("mediaan.yaml"),
    show_default=True,
    metavar="FILE",
    help="Where to write what media are for.",
)
@click.option("--rules", is_flag=True, help="Write rules.yaml beside it as well: what media have to reach.")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
def init(folder: Path | None, out: Path, rules: bool, force: bool) -> None:
    """Write a configuration to start from, with the names of the media in FOLDER.

    Every setting is explained and commented out: nothing is guessed of what your media are for. The file is valid as it
    stands. Nothing is analysed.
    """
    from mediaan.config.objectives.template import objectives_template, rules_template
    from mediaan.workflow.folder.listing import media_listing

    rules_file = out.with_name("rules.yaml")
    _check([out, rules_file] if rules else [out], force)
    paths = [found.display_path for found in media_listing([folder]).files] if folder else []
    _write(out, objectives_template(shlex.quote(str(out)), shlex.quote(str(folder)) if folder else "FOLDER", paths))
    click.echo(f"{out}: every setting, explained" + (f", and the names of {media_count(len(paths))}" if folder else ""))
    if rules:
        _write(rules_file, rules_template(shlex.quote(str(rules_file))))
        click.echo(f"{rules_file}: a rule to start from")
    click.echo("\n".join(_next(out, folder)))


def _next(out: Path, folder: Path | None) -> list[str]:
    """Say what to do now."""
    file, media = shlex.quote(str(out)), shlex.quote(str(folder)) if folder else "FOLDER"
    return [
        "next",
        f"  open {file} and say what your media are for; mediaan objectives list shows the words",
        f"  mediaan objectives check {file} {media}",
        f"  mediaan analyze {media} --objectives {file}",
    ]


def _check(targets: list[Path], force: bool) -> None:
    """Refuse what could not be written, before anything is."""
    from mediaan.cli.paths import check_output_path
    from mediaan.errors import UsageError

    for target in targets:
        check_output_path("--out", target, ".yaml", ".yml")
        if target.exists() and not force:
            message = f"{target} is there already; name another --out, or overwrite it with --force"
            raise UsageError(message, code="bad_out")


def _write(target: Path, text: str) -> None:
    from mediaan.errors import UsageError

    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}; name another --out", code="bad_out") from error
