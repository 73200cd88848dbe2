// Where areas of interest are at a moment.

import { report } from "../core/report.js";
import { lastUntil } from "../player/timeline.js";

const places = new WeakMap(); // decoded tracks

/**
 * Moments and boxes of a track, as the page's data packs them.
 * @param {Area} area
 */
function placesOf(area) {
  if (places.has(area)) return places.get(area);
  const { t, keys, spans } = area.track;
  const ticks = t.slice(0, 1);
  for (let i = 1; i < t.length; i += 2) {
    for (let n = 0; n < t[i + 1]; n += 1) ticks.push(ticks.at(-1) + t[i]);
  }
  const times = ticks.map((tick) => tick / report.areas.ticks);
  const kept = [];
  for (let i = 0; i < keys.length; i += 5) {
    kept.push({ at: keys[i], t: times[keys[i]], box: keys.slice(i + 1, i + 5).map((side) => side / report.areas.grid) });
  }
  const decoded = { times, kept, keptTimes: kept.map((key) => key.t), spans };
  places.set(area, decoded);
  return decoded;
}

/**
 * Between two boxes, or at the first where there is no second.
 * @param {{ t: number, box: Box }} a
 * @param {{ t: number, box: Box } | undefined} b
 * @param {number} seconds
 */
function between(a, b, seconds) {
  if (!b || b.t <= a.t || seconds <= a.t) return a.box;
  const part = Math.min((seconds - a.t) / (b.t - a.t), 1);
  return a.box.map((side, i) => side + part * (b.box[i] - side));
}

/**
 * From when to when an area is visible, s; pairs.
 * @param {Area} area
 * @param {number} [end]
 */
export function spansOf(area, end) {
  return area.track ? area.track.spans : [[area.t0 ?? 0, area.t1 ?? end]];
}

/**
 * Box at a moment; null while it is not visible.
 * @param {Area} area
 * @param {number} seconds
 */
export function trackBox(area, seconds) {
  const { kept, keptTimes, spans } = placesOf(area);
  const span = spans.find(([from, to]) => seconds >= from - 1e-3 && seconds < to - 1e-3);
  if (!span) return null;
  const i = lastUntil(keptTimes, seconds);
  return between(kept[i], kept[i + 1]?.t < span[1] ? kept[i + 1] : null, seconds);
}

/** @param {Area} area @param {number} seconds */
export function boxAt(area, seconds) {
  if (area.track) return trackBox(area, seconds);
  return seconds >= (area.t0 ?? 0) - 1e-3 && seconds < (area.t1 ?? Infinity) ? area.box : null;
}

/**
 * What the sighting of a track that the table holds at each moment is, to the page's accuracy.
 * @param {Area} area
 */
export function sightings(area) {
  return placesOf(area).times.map((t) => ({ t, box: trackBox(area, t) ?? area.box }));
}
