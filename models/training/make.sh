#!/usr/bin/env bash
# Make the attention model and the score scales from nothing: make.sh DATA WEIGHTS OUT. Goes on where it was stopped.
set -euo pipefail
data=$1 weights=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
# keep freed memory: giving large tensors back to the system costs a third of the time on a CPU
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=100000000000
train() { local name=$1; shift; "$python" "$here/train.py" --data "$data" --weights "$weights" --out "$out/$name" "$@"; }

# Three members that differ in input size, regularisation and seed: their mistakes differ.
train a --epochs 8 --stop-after 6 --pixels 110592 --crop 0.5 --soft-share 0.4 --freeze 0 --drop 0
train b --epochs 10 --pixels 147456 110592 --crop 0.7 --soft-share 0.5 --freeze 3 --drop 0.15
train c --epochs 8 --pixels 147456 110592 196608 --crop 0.8 --soft-share 0.5 --freeze 0 --drop 0.2 --encoder-rate 0.12 --seed 2

# Their joint opinion, and the network that ships: it learns from people and from that opinion.
[ -f "$out/opinions.npz" ] || "$python" "$here/distil.py" --data "$data" --out "$out/opinions.npz" "$out"/{a,b,c}/checkpoint.pt
train final --use-dev --teacher "$out/opinions.npz" --opinion 0.5 --soft-weight 0.4 --cc 1.0 --epochs 12 --pixels 147456 110592 196608 \
    --crop 0.8 --soft-share 1.0 --freeze 0 --drop 0.15 --encoder-rate 0.2 --seed 3
"$python" "$here/export.py" "$out/final/checkpoint.pt" "$here/../attention.onnx"
echo "now put the new sha256 into models/manifest.toml, then run, in this order, what rests on the model:"
echo "appearance.py, focus.py, novelty.py, scales.py, seen.py in $here (its README says how)"
