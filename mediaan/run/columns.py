"""Columns of tables: their types, units and captions, and those that several tables share."""

from __future__ import annotations

import pyarrow as pa


def column(name: str, kind: pa.DataType, caption: str, unit: str = "", *, nullable: bool = True) -> pa.Field:
    """A column with its caption and unit as metadata."""
    metadata = {"caption": caption} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=nullable, metadata=metadata)


PATH = column("path", pa.string(), "Where the file was found, as shown to the user", nullable=False)
ID = column("medium_id", pa.string(), "UUID of the medium, derived from the sha256 of its bytes")
MEDIUM = column("medium_id", pa.string(), "UUID of the medium", nullable=False)
