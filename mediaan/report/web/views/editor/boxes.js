// Arithmetic of boxes, in unit coordinates.

export const SMALLEST = 0.005; // side of a box

/** @param {number} value @param {number} low @param {number} high */
export const limited = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));

/** @param {number} value */
export const shortNumber = (value) => Math.round(value * 1e5) / 1e5;

/** @param {Box} box */
export const areaSize = (box) => (box[2] - box[0]) * (box[3] - box[1]);

/** @param {Point[]} points */
export function bounds(points) {
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/**
 * Distance of a point from a line between two.
 * @param {Point} point
 * @param {Point} point
 * @param {Point} point
 */
export function distanceFrom([x, y], [ax, ay], [bx, by]) {
  const length = (bx - ax) ** 2 + (by - ay) ** 2;
  const along = length ? limited(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0, 1) : 0;
  return Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay));
}
