"""Model cards and weights, and ONNX Runtime sessions on CPU and GPU."""
