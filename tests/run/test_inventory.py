"""The inventory knows what files held, whatever becomes of the session that read them."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from uuid import UUID

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mediaan.errors import SetupError
from mediaan.run.inventory import INVENTORY_FILE, InventoryItem, InventoryWriter, PreviousInventory, read_inventory

IDS = st.none() | st.uuids().filter(lambda one: one.int)
ITEMS = st.builds(
    InventoryItem, st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 2**50), st.text("0a"), IDS
)
LISTS = st.lists(ITEMS, unique_by=lambda item: item.path).map(lambda items: sorted(items, key=lambda item: item.path))


def item(number: int, size: int = 9) -> InventoryItem:
    return InventoryItem(f"{number:03}.png", size, "7", UUID(int=number + 1))


def write_inventory(folder: Path, items: list[InventoryItem]) -> None:
    inventory = InventoryWriter(folder)
    for given_item in items:
        inventory.add(given_item)
    inventory.save(complete=True)


@settings(deadline=None)
@given(LISTS)
def test_what_is_written_is_read(items: list[InventoryItem]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_inventory(Path(folder), items)
        assert list(read_inventory(Path(folder))) == items


@settings(deadline=None)
@given(LISTS, LISTS, st.randoms())
def test_earlier_finds_exactly_what_is_as_it_was(
    before: list[InventoryItem], after: list[InventoryItem], chance: random.Random
) -> None:
    after = sorted({item.path: item for item in (*after, *chance.sample(before, len(before) // 2))}.values(),
                   key=lambda item: item.path)  # fmt: skip
    earlier, known = PreviousInventory(iter(before)), {item.path: item for item in before}
    for one in after:
        found, was = earlier.medium_id(one.path, one.size_bytes, one.stamp), known.get(one.path)
        same = was is not None and (was.size_bytes, was.stamp) == (one.size_bytes, one.stamp)
        assert found == (was.medium_id if same and was else None)
    earlier.end()
    paths = {item.path for item in after}
    assert earlier.added == len(paths - set(known))
    assert earlier.removed == len(set(known) - paths)
    assert earlier.same + earlier.changed == len(paths & set(known))


@pytest.mark.parametrize("now", [(8, "7"), (9, "8")])
def test_another_size_or_another_stamp_is_a_change(now: tuple[int, str]) -> None:
    earlier = PreviousInventory(iter([item(0)]))
    assert earlier.medium_id(item(0).path, *now) is None
    assert (earlier.changed, earlier.same) == (1, 0)


def test_it_is_kept_now_and_then_and_goes_on_to_speak_for_files_that_have_not_come(tmp_path: Path) -> None:
    write_inventory(tmp_path, [item(number) for number in range(6)])
    growing = InventoryWriter(tmp_path)
    for number in range(3):
        growing.add(item(number, size=8))
    growing.save()
    kept = list(read_inventory(tmp_path))
    assert kept == [*(item(number, size=8) for number in range(3)), *(item(number) for number in range(3, 6))]
    growing.save(complete=True)
    assert list(read_inventory(tmp_path)) == kept[:3], "what has not come by the end is gone"


FOREVER = """
import itertools, sys, time
from pathlib import Path
from uuid import UUID
from mediaan.run import inventory
inventory._EVERY_S, inventory._COST = 0.05, 1
growing = inventory.InventoryWriter(Path(sys.argv[1]))
for number in itertools.count():
    growing.add(inventory.InventoryItem(f"{number:06}.png", 9, "7", UUID(int=number + 1)))
    time.sleep(0.001)
"""


def test_a_process_that_is_killed_has_kept_what_came_first(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", FOREVER, str(tmp_path)])
    until = time.monotonic() + 60
    while len(list(read_inventory(tmp_path))) <= 10 and time.monotonic() < until:
        time.sleep(0.05)
    child.kill()
    child.wait()
    kept = list(read_inventory(tmp_path))
    assert len(kept) > 10
    assert kept == [InventoryItem(f"{number:06}.png", 9, "7", UUID(int=number + 1)) for number in range(len(kept))]


def test_files_that_came_without_an_id_can_get_one(tmp_path: Path) -> None:
    growing = InventoryWriter(tmp_path)
    growing.add(item(0))
    growing.add(InventoryItem("b.png", 1, "", None))
    growing.set_medium_id(1, UUID(int=7))
    growing.save()
    assert [one.medium_id for one in read_inventory(tmp_path)] == [UUID(int=1), UUID(int=7)]


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"PAR1" + bytes(500) + b"PAR1"])
def test_a_damaged_inventory_is_none(tmp_path: Path, damage: bytes) -> None:
    assert list(read_inventory(tmp_path)) == []
    (tmp_path / INVENTORY_FILE).write_bytes(damage)
    assert list(read_inventory(tmp_path)) == []
    InventoryWriter(tmp_path).save()
    assert pq.read_table(tmp_path / INVENTORY_FILE).num_rows == 0


def test_an_inventory_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / INVENTORY_FILE).mkdir()
    with pytest.raises(SetupError, match="cannot be written"):
        write_inventory(tmp_path, [item(1)])
    assert [path.name for path in tmp_path.iterdir()] == [INVENTORY_FILE]
