"""Declare an area type, a map and a metric, in every process: Python reads a file of this name first.

What ships is declared in this way too: lists are derived from the declarations as soon as they are loaded.
"""

from typing import TYPE_CHECKING

from mediaan.types.area_types import AREA_TYPES, AreaType

if TYPE_CHECKING:
    from mediaan.metrics import Drivers, Scales
    from mediaan.types.arrays import Float32
    from mediaan.types.densities import Densities

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


def warmth(drivers: "Drivers", densities: "Densities") -> "Float32":
    """Return how warm each place is: half of very much."""
    return 0 * drivers.arousal_map + 0.5  # type: ignore[no-any-return]


def declare_map() -> None:
    from mediaan.maps import MAPS, MapSpec
    from mediaan.maps.levels import STRENGTH

    texts = "Warmth", "Where it is warm.", "1: as warm as fire."
    MAPS["warm_heat"] = MapSpec("warm_heat", *texts, "local", None, "copper", STRENGTH, warmth)


def declare_metric() -> None:
    from mediaan.metrics import METRICS, Metric
    from mediaan.metrics.catalogue import EVERYWHERE
    from mediaan.metrics.guide import Aim, Guide
    from mediaan.types.metrics import MetricSpec, Score

    spec = MetricSpec("coziness", "Coziness", "score", 0, 100, "higher", "proxy", "How cozy it is.", "Fireside (1950).")

    def coziness(drivers: "Drivers", densities: "Densities", scales: "Scales") -> "Score":
        return Score.of(spec, 42.0)

    aims = {"any": Aim("higher", "People like it.", "")}
    guide = Guide("How cozy the image is.", "Always 42.", "100: a cat by the fire.", "None.", "Everything else.", aims)
    METRICS["coziness"] = Metric(spec, coziness, EVERYWHERE, colours=("#aa1122", "#ffeedd"), guide=guide)


declare_map()
declare_metric()
