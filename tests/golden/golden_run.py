"""The golden run: every number of the sample ads as it was when somebody last looked at all of them.

`golden.json` keeps scores with their intervals, areas with their scores, and densities on 12 x 12 cells, rounded so
that a difference can be read. `update.py` makes it again.
"""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import mediaan as mn
from mediaan.saliency.density import resize_density
from mediaan.saliency.density_storage import read_densities
from mediaan.studies.drift.statistics import AreaPairs, pair_area_scores, pair_areas, pair_scores
from mediaan.types.densities import WINDOWS

HERE = Path(__file__).resolve().parent
FILE = HERE / "golden.json"
SAMPLES = HERE.parent / "sample_ads"
CELLS = 12
PER_MYRIAD = 10_000
"""Densities are kept as whole 1/10000: a cell of even attention holds 69."""

_DIGITS = 3
_SIDES = ["x0", "y0", "x1", "y1"]
_NUMBERS = ["value", "lo", "hi"]
_OF_AREAS = ["attention", "percentage_seen", "time_spent", "availability", "first_seen_s"]

Golden = dict[str, Any]


class Numbers(NamedTuple):
    """The same as tables, as the tables of a run have it.

    Attributes
    ----------
    scores, areas, area_scores : DataFrame
        As ``metrics``, ``aois``, ``aoi_scores``; medium_id is the path.
    densities : dict of (str, str) to (12, 12) int
        By path and window, in 1/10000.
    """

    scores: pd.DataFrame
    areas: pd.DataFrame
    area_scores: pd.DataFrame
    densities: dict[tuple[str, str], np.ndarray]


class Shifts(NamedTuple):
    """What moved from one to the other.

    Attributes
    ----------
    scores, area_scores : DataFrame
        As `mediaan.studies.drift.statistics` pairs them.
    areas : AreaPairs
    cells : float
        The most that a cell of a density moved, in 1/10000.
    """

    scores: pd.DataFrame
    areas: AreaPairs
    area_scores: pd.DataFrame
    cells: float


def measure(out: Path, *, device: str = "cpu", workers: int = 1) -> mn.Run:
    """Analyse the sample ads as `make demo` does, without maps, into a run directory."""
    settings = (mn.Recipe(maps=(), aois="all"), mn.Execution(device=device, workers=workers))
    return mn.analyze_folder([SAMPLES / "ads", SAMPLES / "videos"], out, *settings)


def golden_of(run: mn.Run) -> Golden:
    """The numbers of a run in the form of the file."""
    paths = dict(zip(run.media.medium_id, run.media.path, strict=True))
    models = {model["name"]: (model["sha256"] or "")[:12] for model in run.facts["models"]}
    made = {"mediaan": run.facts["mediaan"], "scores_id": run.facts["scores_id"], "models": models}
    made["device"] = run.facts["device"]
    return {
        "made_with": made | {"machine": platform.machine()} | run.facts["versions"],
        "media": {path: _medium(run, medium_id) for medium_id, path in paths.items()},
    }


def _medium(run: mn.Run, medium_id: str) -> Golden:
    scores = run.metrics[run.metrics.medium_id == medium_id]
    areas = run.aois[run.aois.medium_id == medium_id]
    return {
        "scores": {f"{r.metric} {r.metric_time}": _rounded(r[_NUMBERS]) for _, r in scores.iterrows()},
        "areas": [_area(run, area) for _, area in areas.iterrows()],
        "densities": _densities(run, medium_id),
    }


def _area(run: mn.Run, area: Any) -> Golden:
    """Other windows and metrics follow from the densities and these; only seen has an interval worth its place."""
    scores = run.aoi_scores[(run.aoi_scores.aoi_id == area.aoi_id) & (run.aoi_scores.metric_time == "total")]
    rows = {row.metric: row for _, row in scores.iterrows()}
    return {
        "type": area.type,
        "label": area.label,
        "box": _rounded(area[_SIDES], 4),
        **({} if pd.isna(area.t0_s) else {"t_s": _rounded(area[["t0_s", "t1_s"]])}),
        **{name: _rounded(rows[name][_NUMBERS if name == "percentage_seen" else ["value"]]) for name in _OF_AREAS},
    }


def _densities(run: mn.Run, medium_id: str) -> dict[str, list[int]]:
    row = run.maps[(run.maps.medium_id == medium_id) & (run.maps["map"] == "density")].iloc[0]
    densities, _ = read_densities(run.path / row.path)
    return {
        window: np.rint(PER_MYRIAD * resize_density(densities[window], (CELLS, CELLS))).astype(int).ravel().tolist()
        for window in WINDOWS
        if window in densities.maps
    }


def _rounded(values: Any, digits: int = _DIGITS) -> list[float | None]:
    return [None if pd.isna(value) else round(float(value), digits) for value in values]


def numbers_of(golden: Golden) -> Numbers:
    """The numbers of the file as tables."""
    media = golden["media"].items()
    areas = [(path, f"{path} {i}", area) for path, medium in media for i, area in enumerate(medium["areas"])]
    return Numbers(
        scores=_score_table((path, "", name, row) for path, m in media for name, row in m["scores"].items()),
        areas=pd.DataFrame(
            {"medium_id": path, "aoi_id": aoi_id, "type": area["type"], "label": area["label"]}
            | dict(zip([*_SIDES, "t0_s", "t1_s"], [*area["box"], *area.get("t_s", (None, None))], strict=True))
            for path, aoi_id, area in areas
        ),
        area_scores=_score_table((p, aoi_id, name, row) for p, aoi_id, a in areas for name, row in _of(a)),
        densities={
            (path, window): np.array(cells).reshape(CELLS, CELLS)
            for path, medium in media
            for window, cells in medium["densities"].items()
        },
    )


def _score_table(rows: Any) -> pd.DataFrame:
    """Of rows (path, area's id, name with time, value and perhaps bounds); units are other tests' business."""
    return pd.DataFrame(
        {"medium_id": path, "aoi_id": aoi_id, "metric": name.split()[0], "metric_time": [*name.split(), "total"][1]}
        | {"unit": "", **dict.fromkeys(_NUMBERS, np.nan)}
        | {key: np.nan if value is None else value for key, value in zip(_NUMBERS, row, strict=False)}
        for path, aoi_id, name, row in rows
    )


def _of(area: Golden) -> list[tuple[str, list[float | None]]]:
    return [(name, area[name]) for name in _OF_AREAS]


def shifts(old: Numbers, new: Numbers) -> Shifts:
    """Bring together what belongs together; areas are told by type and place."""
    areas = pair_areas(old.areas, new.areas)
    both = old.densities.keys() & new.densities.keys()
    cells = max((float(np.abs(old.densities[key] - new.densities[key]).max()) for key in both), default=0.0)
    return Shifts(
        pair_scores(old.scores, new.scores), areas, pair_area_scores(old.area_scores, new.area_scores, areas), cells
    )


class Tolerance(NamedTuple):
    """How far numbers may move.

    Attributes
    ----------
    score, bound, area : float
        Points: of scores, of the ends of their intervals, and of the shares of areas (attention, seen).
    alone : float
        Share of areas that may be in one of the two only.
    cells : float
        Of a cell of a density, in 1/10000.
    """

    score: float
    bound: float
    area: float
    alone: float
    cells: float


CPU = Tolerance(score=0.05, bound=0.05, area=0.05, alone=0.0, cells=1)
"""What arithmetic alone moves on a CPU; what moves further are other numbers."""

CUDA = Tolerance(score=1.0, bound=1.5, area=3.0, alone=0.05, cells=20)
"""What a GPU may move: see docs/drift.md."""


def deviations(moved: Shifts, tolerance: Tolerance) -> list[str]:
    """What moved further than it may, in words; values that only one side has move without limit."""
    found = [line for name in _NUMBERS for line in _too_far(moved.scores, name, tolerance)]
    shares = moved.area_scores[moved.area_scores.metric.isin(["attention", "percentage_seen"])]
    found += _too_far(shares, "value", tolerance._replace(score=tolerance.area))
    if moved.areas.alone > tolerance.alone * moved.areas.n_old:
        found.append(f"{moved.areas.alone} of {moved.areas.n_old} areas are in one only")
    if moved.cells > tolerance.cells:
        found.append(f"a cell of a density moved by {moved.cells:.0f} / {PER_MYRIAD}")
    return found


def _too_far(rows: pd.DataFrame, name: str, tolerance: Tolerance) -> list[str]:
    old, new = rows[f"{name}_old"], rows[f"{name}_new"]
    limit = tolerance.score if name == "value" else tolerance.bound
    far = ((new - old).abs() > limit) | (old.isna() != new.isna())
    return [
        f"{row.medium_id}: {row.metric} ({row.metric_time}, {row.subject}) {name} "
        f"{row[f'{name}_old']} -> {row[f'{name}_new']}"
        for _, row in rows[far].iterrows()
    ]


def read_golden() -> Golden:
    """What the file says."""
    golden: Golden = json.loads(FILE.read_text(encoding="utf-8"))
    return golden


def as_text(golden: Golden) -> str:
    """JSON with a line for each score, area and density."""
    media = {path: _object({key: _lines(part) for key, part in m.items()}) for path, m in golden["media"].items()}
    return _object({"made_with": _json(golden["made_with"]), "media": _object(media)}) + "\n"


def _lines(part: Any) -> str:
    if isinstance(part, dict):
        return _object({key: _json(value) for key, value in part.items()})
    return "[\n" + ",\n".join(map(_json, part)) + "\n]"


def _object(members: dict[str, str]) -> str:
    return "{\n" + ",\n".join(f"{_json(key)}: {text}" for key, text in members.items()) + "\n}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
