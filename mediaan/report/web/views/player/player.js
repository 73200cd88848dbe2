// The player of a medium that moves: controls, pointer and keys.

import { byId, element } from "../core/dom.js";
import { imageOf, releaseVideos, videoOf } from "../core/images.js";
import { report } from "../core/report.js";
import { listen, notify, state } from "../core/state.js";
import { drawTimes, showCurves, showValues } from "./curves.js";
import { markScene, showScenes, toScene } from "./scenes.js";
import { lastUntil, pointAt, sceneAt } from "./timeline.js";
import { hasPreview, inPreview, onSeekable, showMoment, video } from "./video.js";
import { legend } from "../viewer/maps.js";

const LOOKS = { preview_heat: "Attention", preview: "Plain", preview_fog: "Seen" };
const FULL = { heat_video: "Full video with attention", fog_video: "Full video with fog" };

/**
 * While it plays, the cursor is where the frame on display is.
 * @param {number} seconds
 */
function follow(seconds) {
  if (video.paused || video.seeking || state.timeline === null) return;
  state.now = state.timeline.t[pointAt(seconds + state.timeline.interval / 4)];
  notify("moment");
}

/**
 * Asked for also while nothing plays: Chromium then shows every frame that it has gone to, which else it may not.
 * @param {any} _
 * @param {any} frame
 */
function onFrame(_, frame) {
  follow(frame.mediaTime);
  video.requestVideoFrameCallback(onFrame);
}

async function togglePlay() {
  if (!hasPreview()) return;
  if (!video.paused) return video.pause();
  if (state.untouched || pointAt(state.now) === state.timeline.t.length - 1) showMoment(state.timeline.t[0]);
  try {
    await video.play();
  } catch { /* paused again, or another medium was opened, before it could begin */ }
}

function showPlaying() {
  byId("play").setAttribute("aria-label", video.paused ? "Play" : "Pause");
  byId("play").classList.toggle("playing", !video.paused);
}

/** Picture and numbers agree to the frame when it stops. */
function onPause() {
  showPlaying();
  if (state.timeline !== null) showMoment(state.now);
}

/** @param {number} by */
function stepSample(by) {
  video.pause();
  const target = state.timeline.t[pointAt(state.now) + by];
  if (target !== undefined) showMoment(target);
}

/** @param {string} name */
export function setLook(name) {
  const playing = !video.paused;
  state.preview = name;
  byId("video-problem").hidden = true;
  releaseVideos();
  video.src = videoOf(report.media[state.open], name);
  state.seekTo = inPreview(state.now);
  byId("look-legend").replaceChildren(...(report.looks[name] ? [legend(report.looks[name])] : []));
  for (const button of byId("looks").children) button.setAttribute("aria-pressed", String(button.dataset.look === name));
  if (playing) togglePlay();
}

/** @param {string} name */
function lookButton(name) {
  const button = element("button", { type: "button" }, LOOKS[name]);
  button.dataset.look = name;
  button.addEventListener("click", () => setLook(name));
  return button;
}

/** @param {Medium} medium */
function withoutPreview(medium) {
  const why = medium.left_out.some((name) => LOOKS[name]) ? "The preview is too large for this page; it is in the run’s folder" : "This run kept no preview of this file";
  return `${why}. The curves stand alone.`;
}

/** @param {Medium} medium */
function showPreview(medium) {
  const looks = Object.keys(LOOKS).filter((name) => medium.videos[name]);
  const links = Object.keys(FULL).filter((name) => medium.videos[name]);
  for (const id of ["player", "controls", "looks", "look-legend"]) byId(id).hidden = looks.length === 0;
  byId("no-preview").hidden = looks.length > 0;
  byId("no-preview").textContent = withoutPreview(medium);
  byId("video-problem").hidden = true;
  byId("looks").replaceChildren(...looks.map(lookButton));
  byId("full-videos").replaceChildren(...links.map((name) => element("a", { href: videoOf(medium, name), target: "_blank", rel: "noopener" }, FULL[name])));
  byId("film").style.setProperty("--ratio", medium.width / medium.height);
  if (looks.length) setLook(looks.includes(state.preview) ? state.preview : looks[0]);
  showPlaying();
}

/** Let go of the file; an image has no player. */
export function closePlayer() {
  video.pause();
  state.seekTo = null;
  video.removeAttribute("src");
  video.load();
  releaseVideos();
}

/** To open with: the highest focus of all samples that show something, since many videos begin with a black frame. */
function firstMoment() {
  const { focus, clarity } = state.timeline.series;
  const shows = state.timeline.t.map((_, i) => i).filter((i) => focus?.[i] != null && clarity?.[i] != null);
  return state.timeline.t[shows.reduce((best, i) => (best < 0 || focus[i] > focus[best] ? i : best), -1)] ?? state.timeline.t[0];
}

/** @param {Medium} medium */
export function showPlayer(medium) {
  closePlayer();
  state.timeline = medium.timeline;
  for (const id of ["moments", "curves-panel", "scene-list"]) byId(id).hidden = state.timeline === null;
  if (state.timeline === null) return;
  state.now = firstMoment();
  state.untouched = true;
  const sheet = imageOf(medium, "contact_sheet");
  byId("sheet-in-print").classList.toggle("none", !sheet);
  byId("sheet-in-print").src = sheet ?? "data:,";
  showPreview(medium);
  showScenes();
  showCurves();
  notify("moment");
  if (state.now > state.timeline.t[0]) byId("moment-scene").textContent += " · where attention is most gathered";
}

/**
 * A mouse needs but to move, unless the video plays; a finger, and a press, always choose.
 * @param {any} event
 */
function onPointer(event) {
  const down = event.type === "pointerdown";
  if (down && event.button !== 0) return;
  if (down) {
    event.currentTarget.setPointerCapture(event.pointerId);
    byId("moment").focus({ preventScroll: true });
    event.preventDefault();
  } else if (!event.currentTarget.hasPointerCapture(event.pointerId) && (event.pointerType !== "mouse" || !video.paused)) return;
  const box = event.currentTarget.getBoundingClientRect();
  const seconds = ((event.clientX - box.left) / box.width) * state.timeline.end;
  showMoment(state.timeline.t[pointAt(seconds)]);
}

/**
 * The strip goes to whole scenes, so a mouse that moves on does not lose where it went.
 * @param {any} event
 */
function onScenePointer(event) {
  const box = event.currentTarget.getBoundingClientRect();
  toScene(lastUntil(state.timeline.scenes.start, ((event.clientX - box.left) / box.width) * state.timeline.end));
}

/**
 * Keys of the player; says whether it took the key.
 * @param {any} event
 */
export function playerKey(event) {
  if (state.timeline === null || (event.target.matches("input, select, textarea") && event.target !== byId("moment"))) return false;
  const onControl = event.target.matches("button, summary, a");
  const keys = {
    " ": onControl || !hasPreview() ? null : togglePlay,
    ",": () => stepSample(-1),
    ".": () => stepSample(1),
    PageUp: event.target === byId("moment") ? () => toScene(sceneAt(state.now) - 1) : null,
    PageDown: event.target === byId("moment") ? () => toScene(sceneAt(state.now) + 1) : null,
  };
  if (!keys[event.key]) return false;
  event.preventDefault();
  keys[event.key]();
  return true;
}

function onVideoError() {
  if (!video.getAttribute("src")) return;
  byId("video-problem").textContent = `This preview cannot be shown (${video.getAttribute("src")}): it is not where the run left it, or the browser does not play H.264. Keep the folders report and maps together.`;
  byId("video-problem").hidden = false;
}

export function wirePlayer() {
  listen("moment", showValues);
  listen("moment", () => markScene(sceneAt(state.now)));
  byId("play").addEventListener("click", togglePlay);
  byId("step-back").addEventListener("click", () => stepSample(-1));
  byId("step-on").addEventListener("click", () => stepSample(1));
  byId("moment").addEventListener("input", (event) => showMoment(state.timeline.t[event.target.value]));
  for (const kind of ["pointerdown", "pointermove"]) byId("chart").addEventListener(kind, onPointer);
  byId("scene-strip").addEventListener("click", onScenePointer);
  video.addEventListener("play", showPlaying);
  video.addEventListener("pause", onPause);
  for (const kind of ["loadedmetadata", "seeked"]) video.addEventListener(kind, onSeekable);
  if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(onFrame);
  else video.addEventListener("timeupdate", () => follow(video.currentTime));
  video.addEventListener("click", togglePlay);
  video.addEventListener("error", onVideoError);
  addEventListener("resize", () => { if (state.timeline !== null && state.open !== null) drawTimes(); });
}
