"""Make the norm sets that ship: `python benchmarks_data/build.py --data DATA`, whenever models or scores change.

DATA is the folder with the data that models are trained on (models/training/README.md); its pictures and films are not
part of the project. With `--runs DIR` runs are kept there, and those that are there are used. Takes some minutes.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from mediaan.judge.benchmark.norm_set import NormSet
from mediaan.run import is_run
from mediaan.workflow.benchmark_build import NormSettings, build_benchmark, write_norm_set

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent
MODERN = PROJECT / "models" / "training" / "labels" / "modern.csv"
"""What the modern ads are, and whose, labelled by eye for this project."""

SETS = HERE / "sets.toml"
COMMAND = "python benchmarks_data/build.py --data DATA"


def settings_of(name: str, table: dict[str, Any], notes: dict[str, str], data: Path) -> NormSettings:
    """Read what `sets.toml` says of a set."""
    return NormSettings(
        name=name,
        title=table["title"],
        population=table["population"],
        by=tuple(table.get("by", ())),
        attributes=data / table["attributes"] if "attributes" in table else None,
        only={key: tuple(values) for key, values in table.get("only", {}).items()},
        suits={key: tuple(values) for key, values in table["suits"].items()},
        without=table.get("without", {}),
        notes=tuple(notes.get(note, note) for note in table["notes"]),
        command=COMMAND,
    )


def describe_ads(attributes: Path, kinds: list[str], folder: Path) -> tuple[Path, Path]:
    """Write what is known of print ads and modern ones into one table, and whose they are into an objectives file.

    Parameters
    ----------
    attributes : Path
        Table of the print ads.
    kinds : list of str
        Of modern designs, those that advertise.
    folder : Path
        Where both are written.

    Returns
    -------
    (Path, Path)
        The table (image, industry, usable) and the objectives file, which names the brand of each ad that shows one.
    """
    with attributes.open(encoding="utf-8", newline="") as file:
        print_ads = list(csv.DictReader(file))
    with MODERN.open(encoding="utf-8", newline="") as file:
        modern = [row for row in csv.DictReader(file) if row["kind"] in kinds]
    rows = [(row["image"], row["industry"], row["usable"]) for row in print_ads]
    rows += [(Path(row["image"]).stem, "", "1") for row in modern]
    table = folder / "ads.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("image", "industry", "usable"), *rows])
    aliases: dict[str, set[str]] = {}
    media = []
    for row in (*print_ads, *modern):
        if row["brand"]:
            aliases.setdefault(row["brand"], set()).update(filter(None, row.get("aliases", "").split("|")))
            media.append({"match": f"**/{Path(row['image']).stem}.jpg", "brand": row["brand"]})
    brands = [{"name": name, "aliases": sorted(others)} for name, others in sorted(aliases.items())]
    objectives = folder / "ads.yaml"
    objectives.write_text(json.dumps({"media": media, "brands": brands}), encoding="utf-8")  # YAML holds JSON
    return table, objectives


def media_of(table: dict[str, Any], data: Path) -> list[Path]:
    """Files of a set: those below DATA, then those of the project itself."""
    places = [(data, table["media"]), (PROJECT, table.get("own", []))]
    return [path for folder, patterns in places for pattern in patterns for path in sorted(folder.glob(pattern))]


def make(
    settings: NormSettings, media: list[Path], run_dir: Path, workers: int, objectives: Path | None = None
) -> NormSet:
    """One set; a run that is there already is not made again."""
    sources = [run_dir] if is_run(run_dir) else media
    return build_benchmark(sources, settings, run_dir=run_dir, objectives=objectives, workers=workers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="Folder with the data.")
    parser.add_argument("--runs", type=Path, help="Where runs are kept, or are already.")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", metavar="NAME", help="Make this set alone.")
    args = parser.parse_args()
    tables = tomllib.loads(SETS.read_text(encoding="utf-8"))
    notes = tables.pop("notes")
    if args.only not in (None, *tables):
        parser.error(f"--only: there are {', '.join(tables)}")
    with tempfile.TemporaryDirectory() as scratch:
        for name, table in tables.items():
            if args.only not in (None, name):
                continue
            settings = settings_of(name, table, notes, args.data)
            objectives = None
            if "modern_kinds" in table:
                attributes = args.data / table["attributes"]
                attributes, objectives = describe_ads(attributes, table["modern_kinds"], Path(scratch))
                settings = replace(settings, attributes=attributes)
            run_dir = (args.runs or Path(scratch)) / name
            made = make(settings, media_of(table, args.data), run_dir, args.workers, objectives)
            if "image" in made.types and not made.any_exposure:
                parser.error(f"the run {name} kept no densities; remove it from --runs, to be made again")
            path = HERE / f"{name}.parquet"
            write_norm_set(made, path)
            print(
                f"{path.name}: {made.counts['media']} media, {len(made.norms)} norms, "
                f"{made.counts.get('areas', 0)} areas, {path.stat().st_size} bytes",
                flush=True,
            )


if __name__ == "__main__":
    main()
