"""Where networks are trained, and how exactly they compute there."""

from __future__ import annotations

from pathlib import Path

import torch


def device_and_precision() -> tuple[torch.device, torch.dtype | None]:
    """A GPU in bfloat16 if there is one; else the CPU, in bfloat16 if it computes that by itself."""
    if torch.cuda.is_available():
        return torch.device("cuda"), torch.bfloat16
    cpu = Path("/proc/cpuinfo")
    flags = cpu.read_text() if cpu.exists() else ""
    return torch.device("cpu"), torch.bfloat16 if "avx512_bf16" in flags or "amx_bf16" in flags else None
