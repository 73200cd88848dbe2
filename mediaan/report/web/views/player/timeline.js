// Moments of the open video, in seconds from the first frame.

import { state } from "../core/state.js";

/** @param {number} seconds */
export function shareOfTime(seconds) {
  return Math.min(Math.max(seconds / state.timeline.end, 0), 1);
}

/**
 * Index of the last of rising `times` that is not after a moment; the first, where all are.
 * @param {number[]} times
 * @param {number} seconds
 */
export function lastUntil(times, seconds) {
  let [low, high] = [0, times.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= seconds + 1e-4) low = middle;
    else high = middle;
  }
  return low;
}

/** @param {number} seconds */
export const pointAt = (seconds) => lastUntil(state.timeline.t, seconds);

/**
 * Scene of a moment: a sample belongs to the last scene whose first sample is not after it.
 * @param {number} seconds
 */
export function sceneAt(seconds) {
  return lastUntil(state.timeline.scenes.at, seconds);
}

/** More scenes than there is room to tell apart. */
export function isDense() {
  return state.timeline.scenes.start.length > 150;
}
