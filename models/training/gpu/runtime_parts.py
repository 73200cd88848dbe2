"""Carry ONNX Runtime for CUDA to a GPU machine without network, to which files of at most so many MiB are carried.

    python models/training/gpu/runtime_parts.py pack WHEEL... --out PARTS --part-mib 26
    python models/training/gpu/runtime_parts.py unpack PARTS SITE          # there; then export PYTHONPATH=SITE

`pack` unpacks wheels and leaves out what inference on one kind of GPU does not need: the TensorRT provider, the C
library, device code of other architectures, and the kernels of language models, which are most of the rest. It needs
cuobjdump, which comes with CUDA's compiler or with torch. `unpack` needs Python alone; CUDA's libraries and cuDNN are
those of the torch that is installed there.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import io
import json
import lzma
import re
import shutil
import struct
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

PROVIDER = "libonnxruntime_providers_cuda.so"
LEFT_OUT = re.compile(r"libonnxruntime_providers_tensorrt\.so|libonnxruntime\.so")  # Python's module holds the runtime
LANGUAGE_MODELS = re.compile(rb"cutlass|flash|attention|kernel_mha|moe|MoE|fpA_intB")
KERNEL = re.compile(rb"\.text\.([!-~]+)")
CONTAINER, MAGIC = struct.Struct("<IHHQ"), 0xBA55ED50  # magic, version, bytes of this header, bytes of the entries
ENTRY = struct.Struct("<HHIQ")  # kind, version, bytes of this header, bytes of the code
FILTERS = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 26}]
MANIFEST = "parts.json"


def containers(library: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Yield each container of device code of a 64-bit ELF library: its offset, and its entries with their headers."""
    (table,), (size, count, names) = struct.unpack_from("<Q", library, 40), struct.unpack_from("<HHH", library, 58)
    sections = [struct.unpack_from("<IIQQQQ", library, table + i * size) for i in range(count)]
    for name, _, _, _, start, length in sections:
        if not library.startswith(b".nv_fatbin\0", sections[names][4] + name):
            continue
        end = start + length
        while start + CONTAINER.size <= end:
            magic, _, header, content = CONTAINER.unpack_from(library, start)
            if magic != MAGIC:
                raise SystemExit(f"device code at byte {start} has another format than this program knows")
            entries, at, stop = [], start + header, start + header + content
            while at < stop:
                _, _, entry_header, code = ENTRY.unpack_from(library, at)
                entries.append(library[at : at + entry_header + code])
                at += entry_header + code
            yield start, entries
            start = stop


def wanted_cubins(library: Path, capability: int) -> set[int]:
    """Return the numbers of the cubins for a GPU, but for those of language models alone; the first is 1."""
    triton = importlib.util.find_spec("triton")
    beside = Path(triton.origin).parent / "backends/nvidia/bin" if triton and triton.origin else None
    tool = shutil.which("cuobjdump") or (beside and shutil.which("cuobjdump", path=str(beside)))
    if not tool:
        raise SystemExit("cuobjdump was found neither on the PATH nor in triton: install CUDA's compiler, or torch")
    wanted = set()
    with tempfile.TemporaryDirectory() as folder:
        command = [tool, "-xelf", f"sm_{capability}", str(library.resolve())]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        for cubin in Path(folder).iterdir():
            kernels = KERNEL.findall(cubin.read_bytes())
            if not kernels or not all(map(LANGUAGE_MODELS.search, kernels)):
                wanted.add(int(cubin.name.split(".")[-3]))
    return wanted


def reduce(library: bytes, wanted: set[int]) -> bytes:
    """Zero all device code but the wanted cubins; every container keeps its place and the file its size.

    A container without any gets the smallest cubin of all, of another GPU. That is an error when one of its kernels is
    called, not before: the whole wheel has containers without code for most GPUs as well.
    """
    everything, number = list(containers(library)), 0
    if not everything:
        raise SystemExit(f"{PROVIDER} holds no device code: give the wheel of onnxruntime-gpu")
    smallest = min((entry for _, entries in everything for entry in entries), key=len)
    reduced = bytearray(library)
    for start, entries in everything:
        kept = [entry for number, entry in enumerate(entries, number + 1) if number in wanted]
        number += len(entries)
        magic, version, header, size = CONTAINER.unpack_from(library, start)
        content = b"".join(kept or [smallest])
        CONTAINER.pack_into(reduced, start, magic, version, header, len(content))
        reduced[start + header : start + header + size] = content.ljust(size, b"\0")
    return bytes(reduced)


def pack(wheels: list[Path], out: Path, capability: int, part_mib: float) -> None:
    """Write parts of at most so many MiB, and their hashes."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, lzma.open(packed, "wb", filters=FILTERS) as compressed:
        for wheel in wheels:
            zipfile.ZipFile(wheel).extractall(folder)
        for provider in Path(folder).rglob(PROVIDER):
            provider.write_bytes(reduce(provider.read_bytes(), wanted_cubins(provider, capability)))
        with tarfile.open(fileobj=compressed, mode="w") as archive:
            for path in sorted(Path(folder).rglob("*")):
                if path.is_file() and not LEFT_OUT.match(path.name):
                    archive.add(path, path.relative_to(folder))
    out.mkdir(parents=True)
    packed.seek(0)
    hashes = {}
    while part := packed.read(int(part_mib * 2**20)):
        name = f"{len(hashes):03}"
        (out / name).write_bytes(part)
        hashes[name] = hashlib.sha256(part).hexdigest()
    (out / MANIFEST).write_text(json.dumps(hashes, indent=1))
    print(f"{packed.tell() / 2**20:.1f} MiB in {len(hashes)} part(s)")


def unpack(parts: Path, site: Path) -> None:
    """Check and join the parts, and unpack them into a folder for PYTHONPATH, with torch's CUDA libraries beside."""
    everything = io.BytesIO()
    for name, sha256 in json.loads((parts / MANIFEST).read_text()).items():
        part = (parts / name).read_bytes() if (parts / name).is_file() else b""
        if hashlib.sha256(part).hexdigest() != sha256:
            raise SystemExit(f"{parts / name} is missing or damaged: carry it again")
        everything.write(part)
    everything.seek(0)
    with lzma.open(everything) as compressed, tarfile.open(fileobj=compressed, mode="r|") as archive:
        archive.extractall(site, filter="data")
    nvidia = importlib.util.find_spec("nvidia")
    folder = next(iter(nvidia.submodule_search_locations or ()), None) if nvidia else None
    if folder and not (site / "nvidia").exists():
        (site / "nvidia").symlink_to(folder)  # where onnxruntime.preload_dlls looks
    print(f"unpacked to {site}; CUDA libraries: {folder or 'none found: install torch, or set LD_LIBRARY_PATH'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    packing, unpacking = commands.add_parser("pack"), commands.add_parser("unpack")
    packing.add_argument("wheels", type=Path, nargs="+", help="of onnxruntime-gpu, and of other missing packages")
    packing.add_argument("--out", type=Path, required=True)
    packing.add_argument("--capability", type=int, default=90, help="compute capability of the GPU; 90: H100")
    packing.add_argument("--part-mib", type=float, default=26, metavar="N")
    packing.set_defaults(run=pack)
    unpacking.add_argument("parts", type=Path)
    unpacking.add_argument("site", type=Path)
    unpacking.set_defaults(run=unpack)
    given = vars(parser.parse_args())
    given.pop("run")(**given)


if __name__ == "__main__":
    main()
