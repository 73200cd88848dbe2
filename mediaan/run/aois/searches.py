"""Which types of areas were searched for in the media of a run."""

from __future__ import annotations

from collections.abc import Callable

from mediaan.run.reader import Run
from mediaan.run.tables.reading import count_media
from mediaan.types.aoi import AOI_TYPES, FOUND_BY, AoiType


def types_looked_for(run: Run) -> Callable[[frozenset[str]], frozenset[AoiType]]:
    """Return which types of areas were looked for in a medium, by the sources of its areas.

    Where somebody drew areas, all types count as looked for. A later search may not have covered every file: unless it
    did, it counts only where something was detected.
    """
    everywhere = FOUND_BY[run.metadata.recipe.aois]
    somewhere: frozenset[AoiType] = frozenset()
    changes = run.metadata.aoi_changes
    media = count_media(run.path) if changes else 0
    for change in changes:
        types = FOUND_BY.get(change.get("detected", "none"), frozenset())
        if change["media"] >= media:
            everywhere |= types
        somewhere |= types

    def looked_for(sources: frozenset[str]) -> frozenset[AoiType]:
        if "drawn" in sources:
            return frozenset(AOI_TYPES)
        return everywhere | somewhere if "detected" in sources else everywhere

    return looked_for
