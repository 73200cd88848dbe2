"""`mediaan init`: a configuration to start from, which knows your folders."""

from __future__ import annotations

import shlex
from pathlib import Path, PurePosixPath

import click

from mediaan.cli.options import FILE, PATH
from mediaan.cli.paths import check_output_path
from mediaan.errors import UsageError


@click.command()
@click.argument("folder", type=PATH, required=False)
@click.option("--out", type=FILE, default=Path("mediaan.yaml"), help="File to write.")
@click.option("--rules", is_flag=True, help="Also write rules.yaml: what your ads must reach.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def init(folder: Path | None, out: Path, rules: bool, force: bool) -> None:
    """Write a file to say what your ads are for, with an entry for each folder inside FOLDER and each file beside them.

    Every setting is explained and switched off, so the file is valid as it is. Fill in what you know. Nothing is
    analyzed yet.
    """
    from mediaan.config.objectives_template import objectives_template, rules_template
    from mediaan.workflow.folder.listing import media_listing

    rules_file = out.with_name("rules.yaml")
    for target in [out, rules_file] if rules else [out]:  # before anything is written
        check_output_path("--out", target, ".yaml", ".yml")
        if target.exists() and not force:
            message = f"{target} exists already; choose another --out, or overwrite it with --force"
            raise UsageError(message, code="bad_out")
    file, media = shlex.quote(str(out)), shlex.quote(str(folder)) if folder else "FOLDER"
    paths = [file.display_path for file in media_listing([folder]).files] if folder else []
    _write(out, objectives_template(file, media, paths))
    count = ""
    if folder:
        folders = len({parent for path in paths for parent in PurePosixPath(path).parents if parent.name})
        inside = f" in {folders:,} {'folder' if folders == 1 else 'folders'}" if folders else ""
        count = f" ({len(paths):,} {'file' if len(paths) == 1 else 'files'} found{inside})"
    click.echo(f"{out}: all settings, explained{count}")
    if rules:
        _write(rules_file, rules_template(shlex.quote(str(rules_file))))
        click.echo(f"{rules_file}: one rule to start from")
    click.echo(
        "next\n"
        f"  open {file} and fill in what your ads are for (words you can use: mediaan objectives list)\n"
        f"  mediaan objectives check {file} {media}\n"
        f"  mediaan analyze {media} --objectives {file}"
    )


def _write(target: Path, text: str) -> None:
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}; name another --out", code="bad_out") from error
