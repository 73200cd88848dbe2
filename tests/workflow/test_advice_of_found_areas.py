"""Areas that are looked for after an analysis get the advice that they would have got in it."""

import shutil
from pathlib import Path

import mediaan as mn
from mediaan.analysis import Execution, Recipe

AD = Path(__file__).parents[1] / "sample_ads" / "ads" / "spa_low_contrast.jpg"


def test_later_areas_are_advised_like_earlier_ones(tmp_path: Path) -> None:
    shutil.copy(AD, tmp_path / AD.name)
    at_once = mn.analyze_folder(
        tmp_path / AD.name, tmp_path / "at_once", recipe=Recipe(maps=(), aois="all"), execution=Execution(workers=1)
    )
    later = mn.analyze_folder(
        tmp_path / AD.name, tmp_path / "later", recipe=Recipe(maps=(), aois="none"), execution=Execution(workers=1)
    )
    assert later.suggestions.empty
    mn.detect_aois(later.path, [tmp_path / AD.name], aois="all", workers=1)
    told = ["purpose", "rank", "action", "metric", "text"]
    assert len(at_once.suggestions)
    assert mn.read_run(later.path).suggestions[told].equals(at_once.suggestions[told])
