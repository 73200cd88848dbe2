"""What stands over a report: its title, the client, and the client's logo."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image

from mediaan.errors import UsageError
from mediaan.run.files import disk_errors, read_json, write_atomic
from mediaan.run.metadata import dump_json

LOGO_SIZE = (480, 160)
"""Width and height of a logo at most, px."""

_FILE = Path("report", "heading.json")


@dataclass(frozen=True, slots=True)
class Heading:
    """Title, client and logo of a report; what is empty is not shown."""

    title: str = ""
    """In the place of the run's name."""
    client: str = ""
    logo: str = ""
    """A PNG file, base64."""

    @property
    def png(self) -> bytes:
        """The logo as a file."""
        return base64.b64decode(self.logo)

    def changed(self, title: str | None = None, client: str | None = None, logo: str | Path | None = None) -> Heading:
        """Return the heading with what is given changed; an empty text takes it away.

        Raises UsageError: the logo is no image that can be read.
        """
        return Heading(
            self.title if title is None else title.strip(),
            self.client if client is None else client.strip(),
            self.logo if logo is None else base64.b64encode(_small_png(Path(logo))).decode() if str(logo) else "",
        )

    def keep(self, run_dir: Path) -> None:
        """Write it into a run, whose reports have it from then on.

        Raises SetupError: the disk is full or may not be written to.
        """
        path = run_dir / _FILE
        with disk_errors(path):
            path.parent.mkdir(exist_ok=True)
        write_atomic(path, dump_json(asdict(self)))


def read_heading(run_dir: Path) -> Heading:
    """Return what was kept for a run; an empty heading where nothing was, or the file is damaged."""
    try:
        content = read_json(run_dir / _FILE)
    except (FileNotFoundError, ValueError):
        return Heading()
    texts = content if isinstance(content, Mapping) else {}
    return Heading(**{name: texts[name] for name in Heading.__slots__ if isinstance(texts.get(name), str)})


def _small_png(path: Path) -> bytes:
    """Return an image as a PNG of at most `LOGO_SIZE`, transparent where it is."""
    try:
        with Image.open(path) as image:
            logo = image.convert("RGBA")
    except (OSError, Image.DecompressionBombError) as error:
        raise UsageError(
            f"{path}: the logo cannot be read ({error}); give a PNG, JPEG or WebP", code="bad_report"
        ) from error
    logo.thumbnail(LOGO_SIZE, Image.Resampling.LANCZOS)
    data = BytesIO()
    logo.save(data, "PNG", optimize=True)
    return data.getvalue()
