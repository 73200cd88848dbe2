"""`mediaan aois`: areas of interest of a run that is there already."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from mediaan.cli import options
from mediaan.cli.main import EXIT_SOME_FAILED
from mediaan.cli.options import EXISTING_FILE, EXISTING_FOLDER, EXISTING_PATH, FILE, PATH
from mediaan.cli.paths import check_output_path
from mediaan.cli.table import join_blocks, number_text, table_lines
from mediaan.errors import UsageError
from mediaan.types.glossary import media_count

if TYPE_CHECKING:
    from mediaan.evaluation.aoi.evaluation import AoiEvaluation
    from mediaan.evaluation.aoi.methods import AdFacts, LabelledImage
    from mediaan.evaluation.aoi.scores import Rate, TypeScores
    from mediaan.types.aoi import AoiLevel
    from mediaan.workflow.aois import AoiChanges


_MOST_SHOWN = 20
"""Sentences of one kind."""


@click.group()
def aois() -> None:
    """Areas of interest (AOIs) of a finished run: find them, take them from a file, write them to one."""


@aois.command()
@options.run
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
@options.aoi_level
@click.option("--objectives", type=PATH, metavar="FILE", help="YAML file with brands and platforms.")
@options.brand_kit
@options.detector
@options.workers
@options.quiet(help="No progress, no summary.")
def detect(run: Path, paths: tuple[Path, ...], quiet: bool, **settings: Any) -> int:
    """Look for AOIs in the files of RUN, whose files lie under PATH, without predicting attention again.

    What was detected before is replaced; what was drawn stays.
    """
    from tqdm import tqdm

    from mediaan.workflow.aois import detect_aois

    with tqdm(unit=" files", disable=quiet or not sys.stderr.isatty(), file=sys.stderr) as bar:
        changes = detect_aois(run, paths, on_medium=lambda path: bar.update(), **settings)
    return _tell(changes, run, "no file in the given paths has the content of", quiet=quiet)


@aois.command()
@options.run
@click.argument("file", type=PATH)
@options.quiet(help="No summary.")
def apply(run: Path, file: Path, quiet: bool) -> int:
    """Replace the AOIs in RUN with those of FILE, and score them. Ads that FILE does not name keep theirs.

    FILE is what the report's editor saves, JSON, CSV, or an export of an annotation tool; see docs/aois.md. What cannot
    be read is listed. An ad of which nothing can be read keeps its AOIs. Exit code 3 when nothing was read at all.
    """
    from mediaan.workflow.aois import apply_aois

    return _tell(apply_aois(run, file), run, "no file in the run is called", quiet=quiet, file=file)


@aois.command()
@options.run
@click.option("--out", type=PATH, metavar="FILE", help="Write to this file instead of stdout.")
@click.option(
    "--format",
    type=click.Choice(["json", "csv", "coco", "labelstudio", "fiftyone"]),
    default="json",
    help="json keeps everything; the others leave tracks out, and fiftyone all videos.",
)
@click.option(
    "--prefix",
    default="",
    show_default=False,
    metavar="TEXT",
    help="Put before each name, such as ads/: where the other program finds the files.",
)
def export(run: Path, out: Path | None, format: str, prefix: str) -> int:
    """Write the AOIs of RUN as a file for `--aois` and `aois apply`."""
    from mediaan.run import read_run
    from mediaan.workflow.aois import exported_aois

    text = exported_aois(run, format, prefix)
    if format == "fiftyone" and (videos := int(read_run(run).media["type"].isin(["video", "mixed"]).sum())):
        click.echo(f"left out: {media_count(videos)} that move; FiftyOne gets images", err=True)
    if out is None:
        if isinstance(sys.stdout, TextIOWrapper) and not sys.stdout.isatty():
            sys.stdout.reconfigure(encoding="utf-8")  # as in a file
        sys.stdout.write(text)
        return 0
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out {out} cannot be written ({error.strerror})", code="bad_out") from error
    return 0


def _tell(changes: AoiChanges, run: Path, unused: str, *, quiet: bool, file: Path | None = None) -> int:
    """Say what came of it, and return the exit code."""

    if not quiet:
        for path, problem in (*changes.problems, *changes.notes):
            click.echo(f"{path}: {problem.message}", err=True)
        for sentence in _shortened(changes.unread):
            click.echo(f"{file}: {sentence}", err=True)
        for name in _shortened(changes.unused):
            click.echo(f"{unused} {name}", err=True)
        for path in _shortened(changes.kept):
            click.echo(f"{path}: no area was read, so it keeps those that it had", err=True)
    if file is not None and not changes.media:
        click.echo(f"{file}: no area was read for any file of the run; nothing was changed", err=True)
        return EXIT_SOME_FAILED
    if not quiet:
        areas = "1 AOI" if changes.aois == 1 else f"{changes.aois} AOIs"
        click.echo(f"{areas} of {media_count(changes.media)}\nreport: {run / 'report' / 'index.html'}")
    return EXIT_SOME_FAILED if changes.unused and not changes.media else 0


def _shortened(sentences: Sequence[str]) -> list[str]:
    """Return the first sentences, and how many more there are."""
    more = len(sentences) - _MOST_SHOWN
    return [*sentences[:_MOST_SHOWN], *([f"and {more} more"] if more > 0 else [])]


@aois.command()
@click.argument("pictures", type=EXISTING_FOLDER)
@click.argument("labels", type=EXISTING_PATH)
@options.aoi_level
@click.option(
    "--lines", is_flag=True, help="LABELS holds single lines of text: compare them with the lines that mediaan reads."
)
@click.option(
    "--brands",
    type=EXISTING_FILE,
    help="Brand of each ad: CSV (name, brand; optional: aliases, kind), or objectives (YAML). Branding is "
    "then also scored with the brand's name; kind adds a table by kind.",
)
@click.option(
    "--ignore",
    type=EXISTING_PATH,
    metavar="FILE",
    help="File of areas that count neither as right nor as wrong, in the format of LABELS.",
)
@click.option(
    "--iou", type=click.FloatRange(min=0.05, max=1), default=0.5, help="Overlap from which an area counts as found."
)
@options.json_lines
@click.option("--out", type=FILE, help="Write the outcome of each AOI (Parquet).")
@click.option("--gallery", type=FILE, help="Write the worst images (JPEG).")
@options.detector
@options.device
def evaluate(
    pictures: Path,
    labels: Path,
    aois: str,
    lines: bool,
    brands: Path | None,
    ignore: Path | None,
    iou: float,
    as_json: bool,
    out: Path | None,
    gallery: Path | None,
    detector: str,
    device: str,
) -> None:
    """Score the detection on PICTURES, a folder, against what people drew on them, in LABELS.

    LABELS is a file of AOIs as `analyze --aois` takes it; pictures that it does not name are passed over, and a name
    with an empty list says that there is nothing. Types that it never names are not scored. Areas of type other count
    where their label is offer or platform.
    """

    from tqdm import tqdm

    from mediaan.analysis import load_models
    from mediaan.evaluation.aoi.evaluation import aois_table, evaluate_aois
    from mediaan.evaluation.aoi.gallery import write_aoi_gallery
    from mediaan.evaluation.aoi.methods import DetectionMethods
    from mediaan.evaluation.saliency.tables import write_table

    check_output_path("--out", out)
    check_output_path("--gallery", gallery)
    labelled = _labelled(pictures, labels, brands, ignore)
    finders = DetectionMethods(load_models("attention", device, detector=detector), cast("AoiLevel", aois), lines=lines)
    bar = partial(tqdm, unit=" pictures", disable=as_json or not sys.stderr.isatty(), file=sys.stderr)
    evaluation = evaluate_aois(finders, labelled, iou=iou, progress=bar)
    if out:
        write_table(aois_table(evaluation), out)
    if gallery:
        write_aoi_gallery(evaluation, gallery)
    click.echo(json.dumps(evaluation.to_dict()) if as_json else aois_as_text(evaluation))


def _labelled(folder: Path, labels: Path, brands: Path | None, ignore: Path | None) -> tuple[LabelledImage, ...]:
    from mediaan.config.aoi_formats.reading import AoiFile, load_aois
    from mediaan.evaluation.aoi.methods import check_names_exist, labelled_images
    from mediaan.media import find_files

    sheet = load_aois(labels)
    undecided = load_aois(ignore) if ignore else AoiFile({}, "")
    paths = [file.display_path for file in find_files([folder]).files]
    drawn, left_out = sheet.among(paths), undecided.among(paths)
    for file, sentences in ((labels, (*sheet.problems, *drawn.problems)), (ignore, undecided.problems)):
        for sentence in _shortened(sentences):
            click.echo(f"{file}: {sentence}", err=True)
    images = labelled_images(folder, drawn.drawings, _facts(brands), left_out.drawings)
    check_names_exist(drawn.unused, folder)
    # One file may serve several files of labels: what it names must be there, but need not be labelled.
    check_names_exist(left_out.unused, folder, str(ignore))
    return images


def _facts(file: Path | None) -> Callable[[str], AdFacts]:
    """Return whose advertisement an image is, and of which kind, by its name."""
    from mediaan.config import load_objectives, resolve_objective
    from mediaan.evaluation.aoi.methods import AdFacts, find_facts, read_ad_facts

    if file is None:
        return lambda name: AdFacts()
    if file.suffix.lower() not in (".yaml", ".yml"):
        by_name = read_ad_facts(file)
        return lambda name: find_facts(name, by_name)
    config = load_objectives(file)

    def facts(name: str) -> AdFacts:
        settings = resolve_objective(config, name).brand
        return AdFacts(settings.located(file.parent) if settings else None)

    return facts


_number = partial(number_text, form=".2f")
_COLUMNS = (
    "", "drawn", "found", "precision [90 %]", "recall [90 %]", "F1 [90 %]", "AP",
    "IoU ≥ .3", "median IoU", "first 3", "as other", "ignored",
)  # fmt: skip
_BRAND_COLUMNS = ("marks of the brand", "marks", "found [90 %]", "pictures", "with one found [90 %]")
_WORST = 8
_FOOTNOTES = (
    "Each found area counts once, most confident first. [ ]: from resampled images. IoU ≥ .3: recall at that overlap.",
    "Median IoU: of each drawn area with the nearest found one. As other: found only under another type.",
    "Ignored: found in areas that count neither way. Found wrongly where its own type was drawn: found twice.",
    "First 3: recall of three proposals per image, and the most that three can reach. Any text: whatever its role.",
)


def aois_as_text(evaluation: AoiEvaluation) -> str:
    """Write scores by role, of marks with and without their name, by kind; confusions; the worst pictures."""
    models = ", ".join(f"{name} {sha256}" for name, sha256 in evaluation.models.items())
    heading = f"{len(evaluation.images)} labelled images, found at IoU ≥ {evaluation.iou:g}; {models}"
    blocks = [[heading], table_lines([_COLUMNS, *map(_cells, evaluation.scores)])]
    if evaluation.brands:
        brands = [
            (brand.finder, str(brand.n_marks), _rate(brand.marks), str(brand.n_pictures), _rate(brand.pictures))
            for brand in evaluation.brands
        ]
        blocks.append(table_lines([_BRAND_COLUMNS, *brands]))
    if evaluation.kinds:
        rows = [["", "pictures", *(scores.type for scores in evaluation.kinds[0].scores)]]
        for kind in evaluation.kinds:
            pairs = [
                f"{_number(brand.precision.value)}/{_number(brand.recall.value)} ({brand.n_drawn})"
                if brand.n_drawn or brand.n_found
                else "–"
                for brand in kind.scores
            ]
            rows.append([kind.kind, str(kind.n_pictures), *pairs])
        blocks.append(["By kind of ad: precision/recall (drawn):", *table_lines(rows)])
    confusion = evaluation.confusion
    if confusion.found_as:
        blocks.append(["Drawn (rows), by the found area that overlaps it most:", *_counts(confusion.found_as)])
    if any(confusion.false_as.values()):
        blocks.append(["Found wrongly (rows), by what was drawn there:", *_counts(confusion.false_as)])
    if worst := evaluation.worst(_WORST):
        lines = ["Worst images:"]
        for row in worst:
            wrong = {"missed": row.missed, "extra": row.extra}
            told = "; ".join(f"{what} {_counted(types)}" for what, types in wrong.items() if types)
            lines.append(f"  {row.image}  F1 {row.f1:.2f}: {told}")
        blocks.append(lines)
    blocks.append([*_FOOTNOTES, *(f"Note: {note}." for note in evaluation.notes)])
    return join_blocks(blocks)


def _cells(scores: TypeScores) -> tuple[str, ...]:
    name = scores.type if scores.finder == "detected" else f"{scores.type} ({scores.finder})"
    product = scores.type == "product" and scores.first_recall is not None
    return (
        name,
        str(scores.n_drawn),
        str(scores.n_found),
        *(_rate(rate) for rate in (scores.precision, scores.recall, scores.f1)),
        *(_number(value) for value in (scores.average_precision, scores.loose_recall, scores.median_iou)),
        f"{scores.first_recall:.2f} of {scores.first_ceiling:.2f}" if product else "",
        str(scores.n_as_other),
        str(scores.n_ignored),
    )


def _counts(rows: Mapping[str, Mapping[str, int]]) -> list[str]:
    from mediaan.evaluation.aoi.scores import confusion_columns

    columns = confusion_columns(rows)
    body = [(name, *(str(row.get(column, "·")) for column in columns)) for name, row in rows.items()]
    return table_lines([("", *columns), *body])


def _counted(types: Sequence[str]) -> str:
    return ", ".join(f"{count} {kind}" if count > 1 else kind for kind, count in Counter(types).items())


def _rate(rate: Rate) -> str:
    return _number(rate.value, rate.lo, rate.hi)
