// The preview video, and the moment that is shown.

import { byId } from "../core/dom.js";
import { report } from "../core/report.js";
import { notify, state } from "../core/state.js";
import { pointAt } from "./timeline.js";

export const video = byId("video");

/**
 * Where in the preview a moment's frame is surely on display: past its beginning, whatever was rounded.
 * @param {number} seconds
 */
export function inPreview(seconds) {
  const i = pointAt(seconds);
  const gap = state.timeline.pooled > 1 ? state.timeline.interval : (state.timeline.t[i + 1] ?? state.timeline.t[i] + state.timeline.interval) - state.timeline.t[i];
  return seconds + gap / 4;
}

/**
 * Go to a place in the preview; while one jump is under way, only the latest target is kept.
 * @param {number} seconds
 */
function seek(seconds) {
  state.seekTo = seconds;
  if (video.readyState === 0 || video.seeking) return;
  state.seekTo = null;
  video.currentTime = seconds;
}

export function onSeekable() {
  if (state.seekTo !== null) seek(state.seekTo);
}

/** @param {number} seconds */
export function showMoment(seconds) {
  state.untouched = false;
  state.now = Math.min(Math.max(seconds, 0), state.timeline.end);
  if (hasPreview()) seek(inPreview(state.now));
  notify("moment");
}

export function hasPreview() {
  return Boolean(report.media[state.open]?.videos[state.preview]);
}
