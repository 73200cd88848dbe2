"""Pack the objectives of a run for ``run.json``: each distinct objective once, by folder."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Objective = Mapping[str, Any]

_SAID, _OF = "said", "of"


def pack_objectives(objectives: Iterable[tuple[str, Objective]]) -> dict[str, Any]:
    """Pack objectives by path: a million media share a few of them, and most are alike within a folder.

    `objectives` (iterable of (str, mapping)): path of a medium as tables show it, and what is said of it; taken one at
        a time.
    Returns: ``said``: each distinct objective once; ``of``: places in that list, by folder (which ends with ``/``;
        empty for everything) and, where one differs from its folder's, by path. The most specific counts.

    >>> sold, liked = {"purpose": "conversion"}, {"purpose": "brand_building"}
    >>> media = [("a.png", sold), ("b.png", sold), ("tv/c.mp4", liked), ("tv/d.mp4", liked), ("tv/e.mp4", sold)]
    >>> pack_objectives(media)["of"]
    {'': 0, 'tv/': 1, 'tv/e.mp4': 0}
    """
    places: dict[str, int] = {}
    distinct: list[Objective] = []
    of: dict[str, int] = {}
    place_of: dict[int, int] = {}  # by identity, so that what many media share is compared once
    for path, objective in objectives:
        place = place_of.get(id(objective))
        if place is None:
            place = places.setdefault(json.dumps(objective, sort_keys=True), len(places))
            if place == len(distinct):
                distinct.append(objective)
            if distinct[place] is objective:
                place_of[id(objective)] = place
        of[path] = place
    # by folder and path, without those that follow from an outer folder's
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for path, place in of.items():
        counts[next(_folders(path))][place] += 1
    folders = {"": Counter(of.values()).most_common(1)[0][0]} if of else {}
    for folder in sorted(counts):
        usual = counts[folder].most_common(1)[0][0]
        if _place(folders, folder) != usual:
            folders[folder] = usual
    return {
        _SAID: distinct,
        _OF: folders | {path: place for path, place in of.items() if _place(folders, path) != place},
    }


def objective_of(facts: Mapping[str, Any], path: str) -> Objective:
    """Return the objective of the medium at a path of the table media; empty where there is none.

    `facts`: contents of ``run.json``; those of earlier versions hold an objective for each path.
    """
    objectives = facts.get("objectives")
    if not objectives:
        return {}
    if not _is_packed(objectives):
        objective: Objective = objectives.get(path, {})
        return objective
    place = _place(objectives[_OF], path)
    return {} if place is None else objectives[_SAID][place]


def distinct_objectives(facts: Mapping[str, Any]) -> list[Objective]:
    """Return every distinct objective of a run."""
    objectives = facts.get("objectives") or {}
    return list(objectives[_SAID] if _is_packed(objectives) else objectives.values())


def _is_packed(objectives: Mapping[str, Any]) -> bool:
    return isinstance(objectives.get(_SAID), list)


def _place(of: Mapping[str, int], path: str) -> int | None:
    if path in of:
        return of[path]
    return next((of[folder] for folder in _folders(path) if folder in of), None)


def _folders(path: str) -> Iterator[str]:
    """Yield the folders of a path, the innermost first; the empty text, for everything, last.

    >>> list(_folders("ads/tv/a.mp4"))
    ['ads/tv/', 'ads/', '']
    """
    end = path.rfind("/", 0, len(path) - 1)
    while end >= 0:
        yield path[: end + 1]
        end = path.rfind("/", 0, end)
    yield ""
