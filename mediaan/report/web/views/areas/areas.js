// Areas of interest of the open medium, and the buttons of their types.

import { areaUnder, chooseShape, focusedArea, pointToArea } from "./highlight.js";
import { showLanes, toggleLanes } from "./lanes.js";
import { areaTitle } from "./scores.js";
import { showAreasOnVideo, showShapes, swatch } from "./shapes.js";
import { showAreaTable, toggleMoreAreas } from "./table.js";
import { byId, element, query } from "../core/dom.js";
import { report } from "../core/report.js";
import { listen, openMedium, state } from "../core/state.js";

/** @param {string} type */
function toggleType(type) {
  state.hiddenTypes[state.hiddenTypes.has(type) ? "delete" : "add"](type);
  showTypes(report.media[state.open]);
  showShapes(report.media[state.open]);
  showLanes(report.media[state.open]);
}

/** @param {string} type @param {number} n */
function typeButton(type, n) {
  const on = !state.hiddenTypes.has(type);
  const button = element("button", { type: "button", "aria-pressed": `${on}` }, swatch(type), areaTitle.get(type), element("small", {}, `${n}`));
  button.dataset.type = type;
  button.addEventListener("click", () => {
    toggleType(type);
    query(`#area-types [data-type="${type}"]`).focus();
  });
  return button;
}

/** @param {Medium} medium */
function showTypes(medium) {
  const counts = report.areas.types.map(({ name }) => ({ name, n: medium.areas.filter((area) => area.type === name).length }));
  byId("area-types").replaceChildren(...counts.filter(({ n }) => n).map(({ name, n }) => typeButton(name, n)));
}

/** @param {Medium} medium */
export function showAreas(medium) {
  [state.pointedArea, state.chosenArea] = [null, null];
  showTypes(medium);
  showAreaTable(medium);
  showLanes(medium);
  showShapes(medium);
}

export function wireAreas() {
  for (const id of ["areas-on-picture", "areas-on-video", "area-table", "lanes"]) {
    byId(id).addEventListener("pointerover", (event) => pointToArea(areaUnder(event.target)));
    byId(id).addEventListener("pointerleave", () => pointToArea(focusedArea()));
  }
  byId("area-table").addEventListener("focusin", (event) => pointToArea(areaUnder(event.target)));
  byId("area-table").addEventListener("focusout", () => pointToArea(null));
  listen("window", () => { showAreaTable(openMedium()); showShapes(openMedium()); });
  listen("moment", showAreasOnVideo);
  byId("more-areas").addEventListener("click", toggleMoreAreas);
  byId("all-lanes").addEventListener("click", toggleLanes);
  byId("areas-on-video").addEventListener("click", (event) => {
    const i = areaUnder(event.target);
    if (i !== null) chooseShape(i);
  });
}
