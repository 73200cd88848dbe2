"""Versions of one design, looked at again under changes that should not matter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from mediaan.analysis import Plan, load_models
from mediaan.analysis.paired import Looks, look_at
from mediaan.analysis.plan import AOI_VIEW
from mediaan.comparison.versions import Versions
from mediaan.config.calibration_file import calibration_of_recipe
from mediaan.errors import UsageError
from mediaan.media import file_medium_id, open_picture
from mediaan.run.aoi_tables import read_aois
from mediaan.types.aoi import Aoi
from mediaan.workflow.compare_media import Held

MOST = 24
"""Versions that are looked at again: each takes some seconds of one core."""


def look_at_versions(media: Sequence[Held], device: str = "auto") -> Versions:
    """Look at still pictures in the views by which `mediaan.analysis.paired` tells differences.

    Raises
    ------
    UsageError
        Media that move, that are not at hand as files, or too many (``bad_versions``).
    """
    if len(media) > MOST:
        raise UsageError(f"--versions: {len(media)} media; at most {MOST} are looked at again", code="bad_versions")
    areas = {path: read_aois(run) for path, run in {one.run.path: one.run for one in media}.items()}
    return Versions({one.name: _looks(one, areas[one.run.path].get(UUID(one.medium_id), ()), device) for one in media})


def _looks(one: Held, aois: Sequence[Aoi], device: str) -> Looks:
    if one.type != "image":
        raise UsageError(f"--versions: {one.name} moves; it takes still pictures", code="bad_versions")
    recipe = one.run.facts["recipe"]
    plan = Plan(
        model=recipe["model"],
        detector=recipe["detector"],
        device=device,
        exposure_s=one.run.exposure_s(one.path),
        max_megapixels=recipe["max_megapixels"],
        intervals=False,  # of the differences alone
        calibration=calibration_of_recipe(recipe),
        domain=one.run.stated_domain(one.path),
    )
    opened = open_picture(_file(one), [AOI_VIEW], max_megapixels=plan.max_megapixels)
    rgb = opened.chunks[0].views[AOI_VIEW.name][0]
    return look_at(rgb, opened.medium, aois, plan, load_models(*plan.models))


def _file(one: Held) -> Path:
    """The medium's own file."""
    for path in filter(None, (one.file, Path(one.path))):
        if path.is_file() and str(file_medium_id(path)) == one.medium_id:
            return path
    raise UsageError(
        f"--versions: the file of {one.name} is not at hand; name it by a path that leads to it from here",
        code="bad_versions",
    )
