"""Provide the public functions: one image, one array, or folders of files to a run with its report."""

from mediaan.workflow.folder.analyze import analyze_folder
from mediaan.workflow.medium import analyze, predict_density

__all__ = ["analyze", "analyze_folder", "predict_density"]
