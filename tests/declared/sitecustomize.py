"""Declare a metric, an area type and a map: Python reads this file first in every process that has its folder in
`PYTHONPATH`, so that they are there as those are that ship.
"""

from mediaan.types.area_types import AREA_TYPES, AreaType

AREA_TYPES["mascot"] = AreaType(
    "mascot",
    "Mascot",
    "an animal that speaks for the brand",
    "nothing; you",
    colour="#123abc",
    print_colour="A1B2C3",
    dash="1 9",
    noun="brand animal",
    is_text=False,
    other_names=("critter",),
    needed_for={None: 5, "brand_building": 4},
    without="no animal speaks for it",
    carries_message=True,
    on_timeline=True,
)
