"""Write the heat of the files of a run alone, to be laid over them in another program."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from mediaan.maps.heatmap import heat_layer
from mediaan.run import read_run
from mediaan.run.changes import density_path
from mediaan.run.files import folder_name, make_folder, write_atomic
from mediaan.saliency.density_storage import read_densities
from mediaan.types.arguments import as_path
from mediaan.workflow.aoi_changes import analyzed_media


def write_heat(run_dir: str | Path, out: str | Path) -> dict[str, Path]:
    """Write the heat of each file of a run as a PNG with opacity, in the size of the file.

    Parameters
    ----------
    run_dir : path
        A run that kept its densities.
    out : path
        Folder, made if absent. A file in it is called like the folder of the run's maps.

    Returns
    -------
    dict of str to Path
        The PNG of each path of the table ``media``, each content once; of a video that of its whole length.

    Raises
    ------
    UsageError
        No run, one that kept no densities, or a folder that cannot be made.
    SetupError
        The disk is full.
    """
    run, folder = read_run(run_dir), as_path(out, "out")
    stored = [(path, medium, density_path(run, medium.medium_id)) for path, medium in analyzed_media(run)]
    make_folder(folder)
    written = {}
    for path, medium, file in stored:
        densities, _ = read_densities(file)
        data = BytesIO()
        heat_layer(densities["total"], (medium.width, medium.height)).save(data, "PNG")
        written[path] = folder / f"{folder_name(medium.name, medium.medium_id)}.png"
        write_atomic(written[path], data.getvalue())
    return written
