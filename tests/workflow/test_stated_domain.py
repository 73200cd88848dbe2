"""The domain of media through a run: stated or told, what it changes, and that only its media are analysed again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ad_folder import write_pictures_and_animation
from domain_onnx import DOMAINS, write_domain_model

import mediaan as mn
from mediaan.errors import UsageError
from mediaan.run.changes import density_path
from mediaan.saliency.density_storage import read_densities
from mediaan.workflow.options import read_options

NAMES = ["a.png", "b.png", "sofa_banner.gif"]


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pictures_and_animation(tmp_path_factory.mktemp("ads"))


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_domain_model(tmp_path_factory.mktemp("model"))


def analysed(ads: Path, out: Path, model: str | Path, **more: object) -> tuple[mn.Run, list[str]]:
    """A run without maps and intervals, and the paths that were analysed."""
    looked_at: list[str] = []
    recipe = mn.Recipe(model=str(model), maps=(), aois="none")
    settings = read_options(recipe, mn.Execution(workers=1), {"benchmark": "none", **more})
    run = mn.analyze_folder(ads, out, *settings, on_report=lambda report: looked_at.append(report.outcome.path))
    return run, sorted(looked_at)


def total(run: mn.Run, path: str) -> np.ndarray:
    medium_id = run.media.set_index("path")["medium_id"][path]
    return np.asarray(read_densities(density_path(run, medium_id))[0]["total"])


def test_a_run_that_goes_on_analyses_what_another_domain_is_stated_of(ads: Path, card: Path, tmp_path: Path) -> None:
    out, objectives = tmp_path / "run", tmp_path / "objectives.yaml"
    told, looked_at = analysed(ads, out, card)
    assert looked_at == NAMES
    assert told.facts["domains"] == list(DOMAINS)
    media = told.media.set_index("path")
    assert set(media["domain"]) <= set(DOMAINS)
    assert (media["domain_probability"] > 1 / 3).all()
    assert not media["domain_stated"].any()
    before = {name: total(told, name) for name in NAMES}
    for name in NAMES[:2]:
        alone = mn.analyze(ads / name, model=card, aois="none")
        assert (alone.domain, alone.domain_probability) == tuple(media.loc[name, ["domain", "domain_probability"]])
        assert alone.to_dict()["domains"] == alone.domains

    objectives.write_text("media: [{match: b.png, domain: design}]\n")
    by_objective, looked_at = analysed(ads, out, card, objectives=objectives)
    assert looked_at == ["b.png"]
    row = by_objective.media.set_index("path").loc["b.png"]
    assert (row["domain"], bool(row["domain_stated"])) == ("design", True)
    assert np.isnan(row["domain_probability"])
    assert (by_objective.stated_domain("a.png"), by_objective.stated_domain("b.png")) == (None, "design")
    assert np.array_equal(total(by_objective, "a.png"), before["a.png"])
    assert not np.allclose(total(by_objective, "b.png"), before["b.png"], rtol=1e-3)
    stated = mn.analyze(ads / "b.png", model=card, aois="none", domain="design")
    np.testing.assert_array_equal(total(by_objective, "b.png"), stated.densities["total"])
    assert (stated.domain, stated.domain_probability, stated.stated_domain) == ("design", None, "design")

    # what an objective says of its medium goes before what is said of all
    for_all, looked_at = analysed(ads, out, card, objectives=objectives, domain="ad")
    assert looked_at == ["a.png", "sofa_banner.gif"]
    assert for_all.facts["domain"] == "ad"
    assert [for_all.stated_domain(name) for name in NAMES] == ["ad", "design", "ad"]
    for name in ("a.png", "sofa_banner.gif"):
        assert not np.allclose(total(for_all, name), before[name], rtol=1e-3)
    assert analysed(ads, out, card, objectives=objectives, domain="ad")[1] == []


def test_domains_that_the_model_does_not_know_are_refused_before_any_work(
    ads: Path, card: Path, tmp_path: Path
) -> None:
    objectives = tmp_path / "objectives.yaml"
    objectives.write_text("values: {domain: [desing]}\nmedia: [{match: b.png, domain: desing}]\n")
    for more in ({"domain": "desing"}, {"objectives": objectives}):
        with pytest.raises(UsageError, match="did you mean 'design'"):
            analysed(ads, tmp_path / "run", card, **more)
    with pytest.raises(UsageError, match="model centre-prior predicts the same for every domain"):
        analysed(ads, tmp_path / "run", "centre-prior", domain="ad")
    assert not (tmp_path / "run" / "run.json").exists()


def test_a_model_that_tells_none_leaves_the_columns_empty(ads: Path, tmp_path: Path) -> None:
    run, _ = analysed(ads, tmp_path / "run", "centre-prior")
    assert run.media[["domain", "domain_probability", "domain_stated"]].isna().all(axis=None)
    assert run.stated_domain("a.png") is None
    result = mn.analyze(ads / "a.png", model="centre-prior", aois="none")
    assert (result.domain, result.domains, result.domain_probability) == (None, None, None)
    assert "domain" not in result.to_dict()
