// Paths of curves: x from 0 to 1000 over the video, y from 0, a score of 100, to 100.

const FULL_CURVE = 480; // points; more are drawn as means with the band that they cover
const LINE_POINTS = 240;

/** @param {number} seconds @param {number} end */
export const xOf = (seconds, end) => (1000 * Math.min(Math.max(seconds / end, 0), 1)).toFixed(1);

/** @param {number} value */
const yOf = (value) => (100 - value).toFixed(1);

/**
 * How many of so many points go into one of the line's.
 * @param {number} points
 */
export const pointsPerMean = (points) => (points > FULL_CURVE ? Math.ceil(points / LINE_POINTS) : 1);

/**
 * The line through values at rising times; it breaks where a value is undefined.
 * @param {number[]} times
 * @param {(number | null)[]} values
 * @param {number} end Of the video, s.
 */
export function linePath(times, values, end) {
  let path = "";
  let open = false;
  values.forEach((value, i) => {
    if (value !== null) path += `${open ? "L" : "M"}${xOf(times[i], end)} ${yOf(value)}`;
    // a sample without neighbours, and the last one, are drawn for as long as they stand
    if (value !== null && (i + 1 === values.length || (!open && values[i + 1] === null))) path += `H${xOf(times[i + 1] ?? end, end)}`;
    open = value !== null;
  });
  return path;
}

/**
 * The line of a curve and, where it has too many points, the band that they cover.
 * @param {number[]} times
 * @param {(number | null)[]} values
 * @param {number} end Of the video, s.
 */
export function curvePaths(times, values, end) {
  const size = pointsPerMean(times.length);
  if (size === 1) return { line: linePath(times, values, end), band: null };
  const starts = times.filter((_, i) => i % size === 0);
  const groups = starts.map((_, i) => values.slice(i * size, (i + 1) * size).filter((value) => value !== null));
  const means = groups.map((group) => (group.length ? group.reduce((sum, value) => sum + value, 0) / group.length : null));
  const boxes = groups.map((group, i) => (group.length ? `M${xOf(starts[i], end)} ${yOf(Math.max(...group))}H${xOf(starts[i + 1] ?? end, end)}V${yOf(Math.min(...group))}H${xOf(starts[i], end)}z` : ""));
  return { line: linePath(starts, means, end), band: boxes.join("") };
}
