"""Lay out one page or slide for each medium: what the PDF and the PowerPoint file show."""
