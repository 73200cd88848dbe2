// Geometry of edited areas, unit coordinates: what moving and resizing makes of one, and which one a point means.

import { trackBox } from "../areas/tracks.js";
import { runAreas } from "../core/report.js";
import { state } from "../core/state.js";
import { SMALLEST, areaSize, bounds, distanceFrom, limited, shortNumber } from "./boxes.js";

/**
 * An area at another place; it follows nothing any more.
 * @param {Omit<DraftItem, "box" | "polygon">} item
 * @param {Box} box
 * @param {Point[] | null | undefined} polygon
 */
export function placed(item, box, polygon) {
  return { ...item, box: box.map(shortNumber), polygon: polygon?.map((point) => point.map(shortNumber)) ?? null, moved: true };
}

/** @param {DraftItem} item */
export const followed = (item) => item.found !== null && !item.moved && Boolean(runAreas(state.editor.draft.medium)[item.found].track);

/**
 * Where it is now; null while it is not visible.
 * @param {DraftItem} item
 */
export function itemBoxNow(item) {
  if (followed(item)) return trackBox(runAreas(state.editor.draft.medium)[item.found], state.now);
  const there = !state.editor.draft.medium.moves || state.timeline === null || (state.now >= (item.t0 ?? 0) - 1e-3 && state.now < (item.t1 ?? Infinity));
  return there ? item.box : null;
}

/** @param {DraftItem} item */
export const itemBox = (item) => itemBoxNow(item) ?? item.box;

/** @param {DraftItem} item @param {number} dx @param {number} dy */
export function movedBy(item, dx, dy) {
  const [x0, y0, x1, y1] = itemBox(item);
  const x = limited(dx, Math.min(0, -x0), Math.max(0, 1 - x1));
  const y = limited(dy, Math.min(0, -y0), Math.max(0, 1 - y1));
  return placed(item, [x0 + x, y0 + y, x1 + x, y1 + y], item.polygon?.map(([px, py]) => [px + x, py + y]));
}

/**
 * Move some of the sides, named by points of the compass.
 * @param {DraftItem} item
 * @param {string} sides
 * @param {number} dx
 * @param {number} dy
 */
export function resizedBy(item, sides, dx, dy) {
  const old = itemBox(item);
  const [x0, y0, x1, y1] = old;
  const box = [
    sides.includes("w") ? limited(x0 + dx, 0, x1 - SMALLEST) : x0,
    sides.includes("n") ? limited(y0 + dy, 0, y1 - SMALLEST) : y0,
    sides.includes("e") ? limited(x1 + dx, x0 + SMALLEST, 1) : x1,
    sides.includes("s") ? limited(y1 + dy, y0 + SMALLEST, 1) : y1,
  ];
  return placed(item, box, item.polygon?.map((point) => stretched(point, old, box)));
}

/** @param {Point} point @param {Box} old @param {Box} box */
function stretched([x, y], old, box) {
  const along = (value, axis) => box[axis] + ((value - old[axis]) / (old[axis + 2] - old[axis])) * (box[axis + 2] - box[axis]);
  return [along(x, 0), along(y, 1)];
}

/** @param {DraftItem} item @param {number} i @param {Point} point */
export function withCorner(item, i, [x, y]) {
  const polygon = item.polygon.map((point, k) => (k === i ? [limited(x, 0, 1), limited(y, 0, 1)] : point));
  const box = bounds(polygon);
  return box[2] - box[0] < SMALLEST || box[3] - box[1] < SMALLEST ? item : placed(item, box, polygon);
}

/** @param {DraftItem} item */
function cornersOf(item) {
  const [x0, y0, x1, y1] = itemBox(item);
  return item.polygon ?? [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
}

/** @param {DraftItem} item @param {Point} at @param {{ width: number; height: number }} size */
export function outlineDistance(item, at, size) {
  /** @param {Point} point */
  const px = ([x, y]) => [x * size.width, y * size.height];
  const corners = cornersOf(item).map(px);
  return Math.min(...corners.map((corner, i) => distanceFrom(px(at), corner, corners[(i + 1) % corners.length])));
}

/** @param {DraftItem} item @param {Point} point */
export function isInside(item, [x, y]) {
  const corners = cornersOf(item);
  let inside = false;
  corners.forEach(([ax, ay], i) => {
    const [bx, by] = corners[(i + 1) % corners.length];
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  });
  return inside;
}

/**
 * Those that a test holds for, the smallest first.
 * @param {DraftItem[]} list
 * @param {(item: DraftItem) => boolean} test
 */
export function bySize(list, test) {
  return list.filter(test).sort((a, b) => areaSize(itemBox(a)) - areaSize(itemBox(b)));
}
