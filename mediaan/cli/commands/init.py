"""`mediaan init`: a configuration to start from, which knows your folders."""

from __future__ import annotations

import shlex
from pathlib import Path, PurePosixPath

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("mediaan.yaml"),
    show_default=True,
    metavar="FILE",
    help="File to write.",
)
@click.option("--rules", is_flag=True, help="Also write rules.yaml: what your ads must reach.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def init(folder: Path | None, out: Path, rules: bool, force: bool) -> None:
    """Write a file to say what your ads are for, with a line for each folder inside FOLDER.

    Every setting is explained and switched off, so the file is valid as it is. Fill in what you know. Nothing is
    analyzed yet.
    """
    from mediaan.config.objectives.template import objectives_template, rules_template
    from mediaan.workflow.folder.listing import media_listing

    rules_file = out.with_name("rules.yaml")
    _check([out, rules_file] if rules else [out], force)
    paths = [found.display_path for found in media_listing([folder]).files] if folder else []
    _write(out, objectives_template(shlex.quote(str(out)), shlex.quote(str(folder)) if folder else "FOLDER", paths))
    found = _contents(paths) if folder else ""
    click.echo(f"{out}: all settings, explained{found}")
    if rules:
        _write(rules_file, rules_template(shlex.quote(str(rules_file))))
        click.echo(f"{rules_file}: one rule to start from")
    click.echo("\n".join(_next(out, folder)))


def _contents(paths: list[str]) -> str:
    """Count what was found, for people."""
    folders = len({folder for path in paths for folder in PurePosixPath(path).parents if folder.name})
    inside = f" in {folders:,} {'folder' if folders == 1 else 'folders'}" if folders else ""
    return f" ({len(paths):,} {'file' if len(paths) == 1 else 'files'} found{inside})"


def _next(out: Path, folder: Path | None) -> list[str]:
    """Say what to do now."""
    file, media = shlex.quote(str(out)), shlex.quote(str(folder)) if folder else "FOLDER"
    return [
        "next",
        f"  open {file} and fill in what your ads are for (words you can use: mediaan objectives list)",
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
            message = f"{target} exists already; choose another --out, or overwrite it with --force"
            raise UsageError(message, code="bad_out")


def _write(target: Path, text: str) -> None:
    from mediaan.errors import UsageError

    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}; name another --out", code="bad_out") from error
