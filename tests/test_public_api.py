"""The public names, what they cost to import, and that they do what the README shows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mediaan as mn

AD = Path(__file__).resolve().parent / "sample_ads" / "ads" / "serum_square.jpg"
PUBLIC = [
    "AnalysisError", "Aoi", "BenchmarkRange", "Brand", "BrandProposal", "Densities", "Drawing", "Edit", "Execution",
    "Failed", "MediaanError", "Medium", "MediumError", "NormSettings", "Recipe", "Result", "Run", "Score",
    "SetupError", "Suggestion", "UsageError", "WhatIf", "analyze", "analyze_folder", "apply_aois", "benchmark_ranges",
    "brand_proposals", "build_benchmark", "check_run", "compare", "detect_aois", "exported_aois", "find_norm_set",
    "fog_map", "heatmap", "list_norm_sets", "load_aois", "load_calibration", "load_detector", "load_predictor",
    "place", "placement_sheet", "predict_densities", "predict_density", "rate_run", "read_run", "recommended_ranges",
    "scanpaths", "results", "trend", "whatif", "write_heat", "write_pdf", "write_pptx", "write_report",
]  # fmt: skip
ROOMS = ["aoi", "context", "evaluation", "maps", "metrics", "review", "saliency"]
HEAVY = {
    "numpy", "cv2", "pandas", "pyarrow", "onnx", "onnxruntime", "PIL", "pydantic", "click", "jinja2", "tqdm", "yaml",
}  # fmt: skip


@pytest.fixture(scope="module")
def result() -> mn.Result:
    return mn.analyze(AD, model="centre-prior", maps=("heat", "fog"), aois="none")


def test_the_list_of_names_is_a_promise() -> None:
    assert sorted(mn.__all__) == sorted([*PUBLIC, *ROOMS])
    assert set(mn.__all__) <= set(dir(mn))


def test_every_name_resolves() -> None:
    for name in (*PUBLIC, *ROOMS):
        assert getattr(mn, name) is getattr(mn, name)
        assert getattr(mn, name).__doc__, name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="No mediaan attribute analyse"):
        mn.analyse  # type: ignore[attr-defined]  # noqa: B018


def test_importing_loads_nothing_heavy() -> None:
    code = "import sys, mediaan; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "mediaan" in loaded
    assert not HEAVY & set(loaded)


def test_the_metrics_room_loads_no_reader_of_tables() -> None:
    code = "import sys, mediaan; mediaan.metrics; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pandas", "pyarrow", "onnxruntime", "click", "jinja2"} & set(loaded)


def test_analyze(result: mn.Result) -> None:
    assert result.medium.name == AD.name
    focus = result["focus"]
    assert focus.value is not None
    assert focus.lo is not None
    assert focus.hi is not None
    assert 0 <= focus.lo <= focus.value <= focus.hi <= 100
    assert result.densities["total"].sum(dtype=np.float64) == pytest.approx(1, abs=1e-5)
    assert list(result.pictures) == ["original", "heat", "fog"]
    with pytest.raises(KeyError, match="there are focus, "):
        result["fokus"]


def test_a_result_is_json(result: mn.Result) -> None:
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain == result.to_dict()
    assert plain["metrics"]["clarity"]["value"] == result["clarity"].value
    assert (plain["status"], plain["width"], plain["height"]) == ("done", result.medium.width, result.medium.height)


def test_errors_are_of_one_family(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no picture")
    with pytest.raises(mn.MediumError) as caught:
        mn.analyze(tmp_path / "a.png", model="centre-prior")
    assert isinstance(caught.value, mn.MediaanError)
    assert caught.value.code == "not_a_picture"
    for wrong in ({"maps": ("haet",)}, {"model": "nothing"}, {"model": ""}, {"device": "tpu"}, {"max_megapixels": 0}):
        with pytest.raises(mn.UsageError):
            mn.analyze(AD, **{"model": "centre-prior", **wrong})  # type: ignore[arg-type]


def test_a_picture_above_the_limit_is_refused() -> None:
    with pytest.raises(mn.MediumError) as caught:
        mn.analyze(AD, model="centre-prior", max_megapixels=0.01)
    assert caught.value.code == "too_large"


def test_predict_density_is_what_analyze_predicts(result: mn.Result) -> None:
    from PIL import Image

    with Image.open(AD) as picture:
        rgb = np.asarray(picture.convert("RGB"))
    for window in ("start", "end", "total"):
        density = mn.predict_density(rgb, model="centre-prior", window=window)
        np.testing.assert_allclose(density, result.densities[window], rtol=1e-6)


def test_a_window_that_is_none() -> None:
    with pytest.raises(mn.UsageError, match="no window 'middle'; it has start, end, total"):
        mn.predict_density(np.zeros((8, 8, 3), np.uint8), model="centre-prior", window="middle")  # type: ignore[arg-type]


def test_maps_of_a_density() -> None:
    """Where the density is, the heatmap changes the picture and the fog map keeps it."""
    rgb = np.full((90, 120, 3), (40, 160, 90), np.uint8)
    rgb[::6] = 255
    density = np.full((30, 40), 1e-7, np.float32)
    density[5:10, 5:10] = 1
    density /= density.sum()
    heat, fog = mn.heatmap(rgb, density), mn.fog_map(rgb, density)
    assert heat.dtype == fog.dtype == np.uint8
    seen, unseen = (slice(18, 27), slice(18, 27)), (slice(60, 88), slice(80, 118))

    def change(picture: np.ndarray, place: tuple[slice, slice]) -> float:
        return float(np.abs(picture[:90][place].astype(float) - rgb[place]).mean())

    assert change(heat, seen) > change(heat, unseen)
    assert change(fog, seen) < 2 < change(fog, unseen)


def test_metrics_of_one_s_own_density() -> None:
    even = np.full((48, 64), 1 / 3072, np.float32)
    spot = np.zeros((48, 64), np.float32)
    spot[20:24, 30:34] = 1 / 16
    assert mn.metrics.concentration(even) == pytest.approx(0, abs=0.03)
    assert mn.metrics.focus(spot).value > mn.metrics.focus(even).value


def test_settings_that_cannot_be() -> None:
    for wrong in ({"workers": 0}, {"limit": 0}, {"limit": -1}):
        with pytest.raises(mn.UsageError, match="must be at least 1"):
            mn.Execution(**wrong)


def test_the_types_are_shipped() -> None:
    assert (Path(mn.__file__).parent / "py.typed").is_file()
