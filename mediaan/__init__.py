"""Predict, offline, what people look at in ads, images and videos, and turn it into numbers."""

__version__ = "0.1.0"
