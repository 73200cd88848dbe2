#!/usr/bin/env bash
# Make again all that rests on the attention model: after.sh DATA WEIGHTS OUT, once its sha256 is in models/manifest.toml.
#
# OUT is that of make.sh: it holds lines.jsonl, and gets teachers.jsonl and the drawn advertisements, which no attention
# model changes and which are kept. What the model changes is made in steps; a step that is done is not made again for
# the same model (delete its file in OUT/after-SHA256 to have it made), so that this may be stopped and started again.
# Steps that need nothing of each other run side by side, one core each. WITH_DEV=--with-dev for a model that was trained
# without --use-dev. KIT_PACKAGES: folder of unpacked packages with fonts and marks (objects/README.md).
set -euo pipefail
data=$1 weights=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
python=${PYTHON:-python3}
with_dev=${WITH_DEV:-}
export OMP_NUM_THREADS=1
sha=$("$python" -c 'from mediaan.saliency import list_cards; print(list_cards()["attention"].sha256[:12])')
done=$out/after-$sha
mkdir -p "$done"

step() { # NAME COMMAND...: its output goes to NAME.log, its seconds to NAME
    local name=$1 begun=$SECONDS
    shift
    [ -f "$done/$name" ] && return
    if ! "$@" > "$done/$name.log" 2>&1; then
        echo "$name failed; see $done/$name.log" >&2
        return 1
    fi
    echo $((SECONDS - begun)) > "$done/$name"
    echo "$name: $(cat "$done/$name") s"
}
both() { # waits for both, fails when one did
    local failed=0
    wait "$1" || failed=1
    wait "$2" || failed=1
    return $failed
}

# What detectors see in pictures, and drawn advertisements: the same for every attention model.
if [ ! -f "$out/teachers.done" ]; then
    "$python" "$here/objects/teachers.py" --data "$data" --weights "$weights" --out "$out/teachers.jsonl"
    touch "$out/teachers.done"
fi
if [ ! -f "$out/ads.done" ]; then
    "$python" "$here/objects/assets.py" "$data" "$out/kit" --teachers "$out/teachers.jsonl" \
        --labels "$here"/labels/train_{1,2}.json ${KIT_PACKAGES:+--packages "$KIT_PACKAGES"}
    "$python" "$here/objects/ads.py" "$data" "$out/ads_check" --count 200 --seed 9 --kit "$out/kit"
    "$python" "$here/objects/ads.py" "$data" "$out/ads_synth" --count 2000 --seed 0 --kit "$out/kit"
    touch "$out/ads.done"
fi

known=("$data" --lines "$out/lines.jsonl" --teachers "$out/teachers.jsonl" --check "$out/ads_check")
# Heads are taught on this encoder; meanwhile what needs none. Drivers, and so the scales of scores, rest on the heads.
two() {
    step focus "$python" "$here/focus.py" "$data" &&
        step novelty "$python" "$here/novelty.py" "$data" --cache "$done/novelty.npy"
}
step appearance "$python" "$here/appearance.py" "${known[@]}" --synthetic "$out/ads_synth" & heads=$!
two & others=$!
both $heads $others

two() {
    step seen "$python" "$here/fixation_hazard.py" "$data" "$weights" --regions "$out/regions.jsonl" $with_dev &&
        step scanpath "$python" "$here/scanpath.py" "$data" &&
        step focus_figures "$python" "$here/focus_checks.py" "$data" $with_dev
}
step scales "$python" "$here/scales.py" "$data" --cache "$done/measured.pkl" $with_dev & scales=$!
two & others=$!
both $scales $others

step opinions "$python" "$here/opinions.py" --data "$data" --cache "$done/seen_in_ads.pkl"

# Numbers of the program: norm sets by two workers, then the golden run; and the tables of models/appearance.md.
step norms "$python" "$root/benchmarks_data/build.py" --data "$data" --runs "$done/norm_runs" --workers 2
step golden "$python" "$root/tests/golden/update.py" & golden=$!
step appearance_figures "$python" "$here/appearance.py" "${known[@]}" --evaluate & figures=$!
both $golden $figures
echo "figures for the documents are in $done/*.log; now raise REVISION where that is due, and run the tests"
