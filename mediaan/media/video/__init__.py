"""Decode videos: container, frames, sampling, shots."""
