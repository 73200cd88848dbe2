"""Names that a shell completes: models, norm sets, maps, metrics; looked up when they are asked for, not before."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completes(names: Callable[[], Iterable[str]], *, or_file: bool = False, several: bool = False) -> Complete:
    """Make a function that completes one of some names.

    Parameters
    ----------
    names : function
        Called when they are asked for.
    or_file : bool
        Whether a path may stand in place of a name; it is completed where no name begins so.
    several : bool
        Whether names may follow each other, with commas between them.
    """

    def complete(_context: click.Context, _option: click.Parameter, typed: str) -> list[CompletionItem]:
        before, comma, last = typed.rpartition(",") if several else ("", "", typed)
        found = [CompletionItem(before + comma + name) for name in names() if name.startswith(last)]
        # not both: bash forgets the names as soon as one item is a file
        return found or ([CompletionItem(typed, type="file")] if or_file else [])

    return complete


def _models() -> Iterable[str]:
    from mediaan.saliency.onnx.registry import list_cards

    return list_cards()


def _detectors() -> Iterable[str]:
    from mediaan.saliency.onnx.registry import list_detector_cards

    return list_detector_cards()


def _norm_sets() -> Iterable[str]:
    from mediaan.benchmark.registry import norm_set_names

    return norm_set_names()


def _rule_sets() -> Iterable[str]:
    from mediaan.rules.sets import rule_set_names

    return rule_set_names()


def _maps() -> Iterable[str]:
    from mediaan.maps.catalogue import ALL_MAP_NAMES

    return ("all", "none", *ALL_MAP_NAMES)


def _settings() -> Iterable[str]:
    from mediaan.config.vocabulary import BUILT_IN_VOCABULARY

    return BUILT_IN_VOCABULARY.built_in


def _explained() -> Iterable[str]:
    from mediaan.cli.explanations import explanations

    return dict.fromkeys(one.name for one in explanations())


def _domains() -> Iterable[str]:
    from mediaan.config.vocabulary import BUILT_IN_VOCABULARY

    return BUILT_IN_VOCABULARY.words("domain")


def _metrics() -> Iterable[str]:
    from mediaan.metrics.guide import guides

    return guides()


model = _completes(_models, or_file=True)
detector = _completes(_detectors, or_file=True)
any_model = _completes(lambda: (*_models(), *_detectors()), or_file=True)
norm_set = _completes(_norm_sets, or_file=True)
rule_set = _completes(_rule_sets, or_file=True)
benchmark = _completes(lambda: ("auto", "none", *_norm_sets()), or_file=True)
maps = _completes(_maps, several=True)
explained = _completes(_explained)
metric = _completes(_metrics)
setting = _completes(_settings)
domain = _completes(_domains)
aois = _completes(lambda: ("all", "text", "objects", "none"), or_file=True)
