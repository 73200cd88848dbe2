// The time window of maps, areas and numbers: the whole, the first or the last two seconds.

import { announce } from "../core/dom.js";
import { report } from "../core/report.js";
import { notify, state } from "../core/state.js";
import { layerOf } from "../viewer/maps.js";

export const WINDOW_TITLES = { total: "Whole", start: "First 2 s", end: "Last 2 s" };

/** @param {Medium} medium */
export function windowsOf(medium) {
  const windows = Object.keys(medium.maps).some((name) => layerOf(name) !== name);
  return windows || medium.areas.length ? report.areas.times : [];
}

/**
 * Choose one time window for maps, areas and numbers alike.
 * @param {TimeWindow} time
 */
export function setWindow(time) {
  state.window = time;
  notify("window");
  announce(`${WINDOW_TITLES[time]}: maps, areas and their numbers`);
}
