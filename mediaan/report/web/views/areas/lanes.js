// When areas are visible: a lane each under the curves of a video.

import { areaName, areaTitle } from "./scores.js";
import { spansOf } from "./tracks.js";
import { byId, element } from "../core/dom.js";
import { report } from "../core/report.js";
import { state } from "../core/state.js";
import { pointAt, shareOfTime } from "../player/timeline.js";
import { showMoment } from "../player/video.js";

const FEW_LANES = 8;
let allLanes = false;

/** @param {number[]} pair @param {Area} area */
function laneBlock([from, to], area) {
  const block = element("i", { className: `type-${area.type}` });
  Object.assign(block.style, { left: `${100 * shareOfTime(from)}%`, width: `${100 * (shareOfTime(to) - shareOfTime(from))}%` });
  return block;
}

/** @param {Area} area @param {number} i */
function laneOf(area, i) {
  const name = `${i + 1} ${areaTitle.get(area.type)}${area.label ? `: ${areaName(area)}` : ""}`;
  const lane = element("div", { className: "lane", title: name }, element("span", {}, `${i + 1}`));
  lane.dataset.area = `${i}`;
  lane.append(...spansOf(area, state.timeline.end).map((span) => laneBlock(span, area)));
  lane.addEventListener("click", (event) => {
    const box = lane.getBoundingClientRect();
    state.chosenArea = i;
    showMoment(state.timeline.t[pointAt(((event.clientX - box.left) / box.width) * state.timeline.end)]);
  });
  return lane;
}

/** @param {Medium} medium */
export function showLanes(medium) {
  const shown = medium.areas.map((area, i) => ({ area, i })).filter(({ area }) => !state.hiddenTypes.has(area.type));
  const many = state.timeline !== null && shown.length > FEW_LANES;
  byId("all-lanes").hidden = !many;
  byId("all-lanes").textContent = allLanes ? "Fewer lanes" : `All ${shown.length} areas`;
  const lanes = state.timeline === null ? [] : shown.slice(0, many && !allLanes ? FEW_LANES : shown.length).map(({ area, i }) => laneOf(area, i));
  byId("lanes").replaceChildren(...lanes, ...(lanes.length ? [element("i", { className: "cursor" })] : []));
}

export function toggleLanes() {
  allLanes = !allLanes;
  showLanes(report.media[state.open]);
}
