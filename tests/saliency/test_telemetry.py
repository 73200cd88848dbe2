"""Nothing is sent anywhere: not by the libraries either."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

AD = Path(__file__).resolve().parents[1] / "sample_ads" / "ads" / "serum_square.jpg"
PROGRAM = """
import sys
import mediaan as mn
assert "onnxruntime" not in sys.modules
mn.analyze(sys.argv[1], intervals="none", aois="text")
"""


def test_the_runtime_keeps_no_usage_data_to_send(tmp_path: Path) -> None:
    """ONNX Runtime stores events below the home folder until it can send them."""
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    subprocess.run([sys.executable, "-c", PROGRAM, str(AD)], env=environment | {"HOME": str(tmp_path)}, check=True)
    assert not [path for path in tmp_path.rglob("*") if "onnxruntime" in path.name.lower()]
