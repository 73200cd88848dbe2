"""Names that a shell completes: models, norm sets, maps, metrics; looked up when they are asked for, not before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pkgutil import resolve_name

import click
from click.shell_completion import CompletionItem

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completes(*lists: str, also: tuple[str, ...] = (), or_file: bool = True, several: bool = False) -> Complete:
    """Make a function that completes one of some names.

    `lists`: objects that hold the names, or functions that return them, as `pkgutil.resolve_name` reads them.
    `or_file`: whether a path may stand in place of a name; it is completed where no name begins so.
    `several`: whether names may follow each other, with commas between them.
    """

    def complete(_context: click.Context, _option: click.Parameter, typed: str) -> list[CompletionItem]:
        before, comma, last = typed.rpartition(",") if several else ("", "", typed)
        names = list(also)
        for path in lists:
            source = resolve_name(path)
            names += source() if callable(source) else source
        items = [CompletionItem(before + comma + name) for name in names if name.startswith(last)]
        # not both: bash forgets the names as soon as one item is a file
        return items or ([CompletionItem(typed, type="file")] if or_file else [])

    return complete


def domains() -> Iterable[str]:
    """List what media may be."""
    from mediaan.config.vocabulary import BUILT_IN_VOCABULARY

    return BUILT_IN_VOCABULARY.words("domain")


_MODELS = "mediaan.saliency.onnx.registry:list_cards"
_DETECTORS = "mediaan.saliency.onnx.registry:list_detector_cards"
_NORM_SETS = "mediaan.judge.benchmark:norm_set_names"

model = _completes(_MODELS)
detector = _completes(_DETECTORS)
any_model = _completes(_MODELS, _DETECTORS)
norm_set = _completes(_NORM_SETS)
rule_set = _completes("mediaan.judge.rules:rule_set_names")
benchmark = _completes(_NORM_SETS, also=("auto", "none"))
aois = _completes(also=("all", "text", "objects", "none"))
maps = _completes("mediaan.maps.catalogue:MAPS", also=("all", "none"), or_file=False, several=True)
explained = _completes("mediaan.explanations:explained_names", or_file=False)
metric = _completes("mediaan.metrics.guide:guides", or_file=False)
placement = _completes("mediaan.types.placement:BUILT_IN_PLACEMENTS", or_file=False)
setting = _completes("mediaan.config.vocabulary:BUILT_IN_VOCABULARY.built_in", or_file=False)
domain = _completes("mediaan.cli.complete:domains", or_file=False)
