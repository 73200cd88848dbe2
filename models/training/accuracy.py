"""Measure the attention model on every set, by domain, and write what the documents say of it.

    python models/training/accuracy.py score dev --data DATA               # a table; as often as needed
    python models/training/accuracy.py score held_out --data DATA --keep   # every look is counted
    python models/training/accuracy.py score left_out --data DATA --set osie --model CARD.toml
    python models/training/accuracy.py show FIGURES.json --markdown        # what score --json wrote
    python models/training/accuracy.py card runs/a/checkpoint.pt OUT       # a checkpoint as ONNX, with its card
    python models/training/accuracy.py render                              # into README.md and models/attention.md
    python models/training/accuracy.py manifest                            # figures for models/manifest.toml

`models/accuracy.json` holds the figures that were kept and every look at held-out pictures.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from mediaan.cli.commands.evaluate import DEFAULT_METRICS, suite_as_markdown, suite_as_text
from mediaan.config.calibration import load_columns
from mediaan.evaluation.saliency.inter_observer import ConsistencyCache
from mediaan.evaluation.saliency.scores import METRICS
from mediaan.evaluation.saliency.suite import SuiteEvaluation, SuiteModel, SuiteRow, evaluate_suite, read_suite

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEPT = ROOT / "models" / "accuracy.json"
PARTS = {"README.md": "summary", "models/attention.md": "tables"}
"""What is written into which document, between the comments ``accuracy:begin`` and ``accuracy:end``."""

IN_SUMMARY = {
    "osie": ("photographs", ".861"),
    "crowd": ("photographs of many people", "–"),
    "scene": ("photographs of places", "–"),
    "saleci": ("product ads", ".789"),
    "fiwi": ("web pages", "–"),
    "hevc": ("videos", "–"),
}
"""Rows of README's table: the kind of picture, and the CC published for SUM (Hosseini et al. 2024) if any."""


def score(args: argparse.Namespace) -> None:
    """Score a model on a suite and print the table; a look at held-out pictures is noted before it is taken."""
    suite = read_suite(HERE / "suites" / f"{args.suite}.toml", args.data)
    suite = suite.only(args.set) if args.set else suite
    partial = bool(args.set) or args.limit is not None
    if args.keep and (partial or args.against or args.suite == "left_out"):
        raise SystemExit(
            "--keep is for the whole of dev or held_out and one model; leave --set, --limit, --against out"
        )
    model = SuiteModel.load(args.model, args.device)
    against = SuiteModel.load(args.against, args.device) if args.against else None
    kept = read_kept()
    if args.suite == "held_out":
        for card in (model, against):
            if card is not None:
                about = {"model": card.pictures.name, "sha256": card.pictures.sha256}
                sets = [each.name for each in suite.sets]
                kept["held_out_looks"].append({"date": str(datetime.date.today()), **about, "sets": sets})
        write_kept(kept)
    evaluation = evaluate_suite(
        suite,
        model,
        against,
        consistencies=ConsistencyCache(args.cache),
        limit=args.limit,
        columns=load_columns,
        progress_of=lambda name: lambda media: tqdm(media, desc=name, disable=not sys.stderr.isatty()),
    )
    if args.json:
        args.json.write_text(json.dumps(evaluation.to_dict(), indent=1) + "\n", encoding="utf-8")
    if args.keep:
        kept[args.suite] = evaluation.to_dict()
        write_kept(kept)
    print(suite_as_text(evaluation, tuple(METRICS) if args.all_metrics else DEFAULT_METRICS))


def show(args: argparse.Namespace) -> None:
    """Print figures that were written by ``score --json`` or ``mediaan evaluate SUITE.toml --json``."""
    evaluation = SuiteEvaluation.from_dict(json.loads(args.figures.read_text(encoding="utf-8")))
    as_shown = suite_as_markdown if args.markdown else suite_as_text
    print(as_shown(evaluation, tuple(METRICS) if args.all_metrics else DEFAULT_METRICS))


def card(args: argparse.Namespace) -> None:
    """Export a checkpoint of train.py and write a card beside it, so that any command takes it by ``--model``."""
    from export import export  # torch, which nothing else here needs
    from network import KINDS, WINDOWS

    args.out.mkdir(parents=True, exist_ok=True)
    weights = args.out / f"{args.name}.onnx"
    export(args.checkpoint, weights, twice=args.twice)
    facts = {
        "name": args.name,
        "file": weights.name,
        "sha256": hashlib.sha256(weights.read_bytes()).hexdigest(),
        "pixels": args.pixels,
        "multiple": 32,
        "windows": list(WINDOWS),
        "video_pixels": args.video_pixels,
        "domains": list(KINDS),
        "domain_output": "domain",
        "domain_input": "domain_weight",
        **({"video_output": "first_look"} if args.twice else {}),
    }
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in facts.items())
    weights.with_suffix(".toml").write_text(text, encoding="utf-8")
    print(weights.with_suffix(".toml"))


def read_kept() -> dict[str, Any]:
    """What was measured and kept; nothing yet where the file is not there."""
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {"held_out_looks": []}


def write_kept(kept: dict[str, Any]) -> None:
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def render(args: argparse.Namespace) -> None:
    """Write the parts of the documents again; with ``--check`` only say which are out of date, with exit code 1."""
    kept = read_kept()
    stale = []
    for name, part in PARTS.items():
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        renewed = between_markers(text, summary(kept) if part == "summary" else tables(kept), name)
        if renewed != text:
            stale.append(name)
            if not args.check:
                path.write_text(renewed, encoding="utf-8")
    print(
        f"out of date: {', '.join(stale)}" if args.check and stale else f"written: {', '.join(stale) or 'nothing new'}"
    )
    if args.check and stale:
        raise SystemExit(1)


def between_markers(text: str, part: str, name: str) -> str:
    """Put a part between the markers of a document."""
    replaced = re.subn(
        r"(<!-- accuracy:begin[^>]*-->\n).*?(<!-- accuracy:end -->)",
        lambda match: f"{match[1]}{part}\n{match[2]}",
        text,
        flags=re.DOTALL,
    )
    if replaced[1] != 1:
        raise SystemExit(
            f"{name} needs one <!-- accuracy:begin --> and one <!-- accuracy:end -->; put them around the part"
        )
    return replaced[0]


def summary(kept: dict[str, Any]) -> str:
    """The README's part: CC of one set for each kind of picture, over the whole exposure."""
    rows = {row.name: row for _, evaluation in blocks(kept) for row in evaluation.sets if row.window == "total"}
    lines = ["| kind of picture | a perfect model | mediaan | best published | centre bias |", "|---|---|---|---|---|"]
    for name, (kind, published) in IN_SUMMARY.items():
        row = rows[name]
        people, model, centre = (_shown(row, "cc", key).lstrip("0") for key in ("ceiling", "model", "centre"))
        lines.append(f"| {kind} ({row.n} {row.medium}, {name}) | {people} | **{model}** | {published} | {centre} |")
    return "\n".join(lines)


def tables(kept: dict[str, Any]) -> str:
    """The card's part: all metrics of every set, with intervals, people and share."""
    lines = []
    for title, evaluation in blocks(kept):
        lines += [title, "", suite_as_markdown(evaluation, tuple(METRICS)), ""]
    return "\n".join([*lines, looks(kept)])


def blocks(kept: dict[str, Any]) -> Iterator[tuple[str, SuiteEvaluation]]:
    """Held-out pictures; then the sets that were never trained on, but that choices were made on."""
    set_names: set[str] = set()
    for suite, title in (
        ("held_out", "Held-out images; the model was neither trained nor fitted on them:"),
        ("dev", "Sets that the model was not trained on, but that were used to make choices:"),
    ):
        if suite in kept:
            evaluation = SuiteEvaluation.from_dict(kept[suite])
            rows = tuple(row for row in evaluation.sets if row.name not in set_names)
            set_names |= {row.name for row in rows}
            yield title, replace(evaluation, sets=rows, domains=())


def looks(kept: dict[str, Any]) -> str:
    """How often held-out pictures were scored."""
    taken = kept["held_out_looks"]
    if not taken:
        return "Held-out images have not been scored yet."
    models = len({look["sha256"] for look in taken})
    times = {1: "once", 2: "twice"}.get(len(taken), f"{len(taken)} times")
    return (
        f"Held-out images were scored {times}, {'one model' if models == 1 else f'{models} models'} in all, "
        f"last on {taken[-1]['date']}."
    )


def manifest(kept: dict[str, Any]) -> Iterator[str]:
    """The tables `measured` of the manifest, from held-out pictures."""
    for row in SuiteEvaluation.from_dict(kept["held_out"]).sets:
        if row.window == "total":
            yield f"[attention.measured.{row.name}]  # held-out pictures, total window"
            yield from (f"{metric} = {_shown(row, metric, 'model')}" for metric in METRICS)
            yield ""


def _shown(row: SuiteRow, metric: str, key: str) -> str:
    value = getattr(row.metrics[metric], key)
    return "–" if value is None else f"{value:.3f}"


def arguments(argv: Iterable[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("score", help="score a model on a suite")
    command.add_argument("suite", choices=("dev", "held_out", "left_out"))
    command.add_argument("--data", type=Path, required=True, help="folder with gaze/")
    command.add_argument("--model", default="attention", help="name or card (.toml)")
    command.add_argument("--against", help="another model, for paired differences")
    command.add_argument("--set", action="append", help="only this set; may be repeated")
    command.add_argument("--limit", type=int, help="only the first so many pictures or clips of each set")
    command.add_argument("--device", default="cpu", choices=("auto", "cpu", "cuda"))
    command.add_argument("--cache", type=Path, help="folder in which what people reach is kept")
    command.add_argument("--json", type=Path, help="write the figures to this file")
    command.add_argument("--keep", action="store_true", help="keep the figures in models/accuracy.json")
    command.add_argument("--all-metrics", action="store_true")
    command.set_defaults(run=score)
    command = commands.add_parser("show", help="print figures that were written as JSON")
    command.add_argument("figures", type=Path)
    command.add_argument("--markdown", action="store_true")
    command.add_argument("--all-metrics", action="store_true")
    command.set_defaults(run=show)
    command = commands.add_parser("card", help="export a checkpoint and write its card")
    command.add_argument("checkpoint", type=Path)
    command.add_argument("out", type=Path, help="folder")
    command.add_argument("--name", default="trial")
    command.add_argument("--pixels", type=int, default=196_608)
    command.add_argument("--video-pixels", type=int, default=110_592)
    command.add_argument("--twice", action="store_true", help="look at the mirror image, smaller, too")
    command.set_defaults(run=card)
    command = commands.add_parser("render", help="write the figures into the documents")
    command.add_argument("--check", action="store_true", help="only say whether they are there")
    command.set_defaults(run=render)
    command = commands.add_parser("manifest", help="print the measured figures for models/manifest.toml")
    command.set_defaults(run=lambda args: print("\n".join(manifest(read_kept()))))
    return parser.parse_args(None if argv is None else list(argv))


if __name__ == "__main__":
    args = arguments()
    args.run(args)
