"""What tried edits cost, and whether the cheap look tells what the full one does: ``python -m bench.advice PICTURES``.

Pictures are analysed with their areas; suggestions are made for a purpose, and each is carried out once more as
`mediaan whatif` does it, which looks at both pictures with the full model. Printed are its CPU time beside that
of the analysis, how many suggestions there are, and how the two predictions of the same gain agree.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import numpy as np

from mediaan.analysis import Plan, analyze_file, load_models
from mediaan.analysis.differences import score_augmented, score_changes
from mediaan.analysis.image import suggest_edits
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.editing import AnnotatedImage, apply_edit
from mediaan.media import find_files, open_image


def main() -> None:
    """Analyse, repeat what was suggested, print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("pictures", type=Path)
    arguments.add_argument("--count", type=int, default=40)
    options = arguments.parse_args()
    files = [file.path for file in find_files([options.pictures]).files]
    chance = np.random.default_rng(0)
    chosen = sorted(chance.choice(len(files), min(options.count, len(files)), replace=False))
    plan = Plan(aois="all", device="cpu", threads=1)
    models = load_models(*plan.models)
    spent, whole, pairs, told = list[float](), list[float](), list[tuple[float, float, bool]](), 0
    for which in chosen:
        began = time.process_time()
        result = analyze_file(files[which], plan, models)
        whole.append(time.process_time() - began)
        rgb = open_image(files[which], [AOI_VIEW], max_megapixels=100.0).chunks[0].views[AOI_VIEW.name][0]
        began = time.process_time()
        edits = suggest_edits(rgb, result.aois or (), result.densities, plan, models)
        spent.append(time.process_time() - began)
        suggestions = [edit for edit in edits if edit.purpose is None]
        told += bool(suggestions)
        before = score_augmented(rgb, result.medium, result.aois or (), plan, models) if suggestions else None
        for suggestion in suggestions:
            scene = AnnotatedImage(rgb, result.aois or ())
            for edit in suggestion.edits:
                scene = apply_edit(scene, edit, suggestion.aoi_id)
            assert before is not None
            after = score_augmented(scene.rgb, result.medium, scene.aois, plan, models)
            (full,) = (
                change
                for change in score_changes(before, after)
                if (change.aoi_id, change.metric, change.time) == (suggestion.gains_aoi_id, suggestion.metric, "total")
            )
            pairs.append((suggestion.gain, full.change or 0.0, suggestion.lo <= (full.change or 0.0) <= suggestion.hi))
    print(f"{len(spent)} pictures; suggestions for {told}, {len(pairs)} in all (no purpose stated)")
    print(
        f"CPU time of advice for all purposes: median {1000 * statistics.median(spent):.0f} ms, "
        f"mean {1000 * statistics.mean(spent):.0f} ms, beside {1000 * statistics.mean(whole):.0f} ms in the mean "
        "for the analysis"
    )
    if len(pairs) > 2:
        cheap, full = np.array([pair[:2] for pair in pairs]).T
        print(
            f"gain, cheap and full look: {cheap.mean():.1f} and {full.mean():.1f} points in the mean, "
            f"correlation {np.corrcoef(cheap, full)[0, 1]:.2f}; the full look gains too: {np.mean(full > 0):.0%}, "
            f"and lies in the interval: {np.mean([pair[2] for pair in pairs]):.0%}"
        )


if __name__ == "__main__":
    main()
