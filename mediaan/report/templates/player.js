// The player of a medium that moves: preview video, pointer and keys, all about the moment `now`.

const LOOKS = { preview_heat: "Attention", preview: "Plain", preview_fog: "Seen" };
const FULL = { heat_video: "Full video with attention", fog_video: "Full video with fog" };
const video = byId("video");
let look = "preview_heat"; // kept from medium to medium
let untouched = true; // the medium was opened, and nobody has gone to a moment yet
let wanted = null; // seconds in the preview to go to, as soon as it can

/** Where in the preview a moment's frame is surely on display: past its beginning, whatever was rounded. */
function inPreview(seconds) {
  const i = pointAt(seconds);
  const gap = timeline.pooled > 1 ? timeline.interval : (timeline.t[i + 1] ?? timeline.t[i] + timeline.interval) - timeline.t[i];
  return seconds + gap / 4;
}

/** Go to a place in the preview; while one jump is under way, only the latest wish is kept. */
function seek(seconds) {
  wanted = seconds;
  if (video.readyState === 0 || video.seeking) return;
  wanted = null;
  video.currentTime = seconds;
}

function onSeekable() {
  if (wanted !== null) seek(wanted);
}

function showMoment(seconds) {
  untouched = false;
  now = Math.min(Math.max(seconds, 0), timeline.end);
  if (hasPreview()) seek(inPreview(now));
  showValues();
}

function hasPreview() {
  return Boolean(report.media[current]?.videos[look]);
}

// ---- playing

/** While it plays, the cursor is where the frame on display is. */
function follow(seconds) {
  if (video.paused || video.seeking || timeline === null) return;
  now = timeline.t[pointAt(seconds + timeline.interval / 4)];
  showValues();
}

/** Asked for also while nothing plays: Chromium then shows every frame that it has gone to, which else it may not. */
function onFrame(_, frame) {
  follow(frame.mediaTime);
  video.requestVideoFrameCallback(onFrame);
}

async function togglePlay() {
  if (!hasPreview()) return;
  if (!video.paused) return video.pause();
  if (untouched || pointAt(now) === timeline.t.length - 1) showMoment(timeline.t[0]);
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
  if (timeline !== null) showMoment(now);
}

function stepSample(by) {
  video.pause();
  const target = timeline.t[pointAt(now) + by];
  if (target !== undefined) showMoment(target);
}

// ---- what is shown

function setLook(name) {
  const playing = !video.paused;
  look = name;
  byId("video-problem").hidden = true;
  giveBackVideos();
  video.src = videoOf(report.media[current], name);
  wanted = inPreview(now);
  byId("look-legend").replaceChildren(...(report.looks[name] ? [legend(report.looks[name])] : []));
  for (const button of byId("looks").children) button.setAttribute("aria-pressed", String(button.dataset.look === name));
  if (playing) togglePlay();
}

function lookButton(name) {
  const button = element("button", { type: "button" }, LOOKS[name]);
  button.dataset.look = name;
  button.addEventListener("click", () => setLook(name));
  return button;
}

function withoutPreview(medium) {
  const why = medium.left_out.some((name) => LOOKS[name]) ? "The preview of this medium is too long to travel in this file; the run’s folder has it" : "This run kept no preview of this medium";
  return `${why}. The curves stand alone.`;
}

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
  if (looks.length) setLook(looks.includes(look) ? look : looks[0]);
  showPlaying();
}

/** Let go of the file; a picture has no player. */
function closePlayer() {
  video.pause();
  wanted = null;
  video.removeAttribute("src");
  video.load();
  giveBackVideos();
}

/** To open with: the highest focus of all samples that show something, since many videos begin with a black frame. */
function tellingMoment() {
  const { focus, clarity } = timeline.series;
  const shows = timeline.t.map((_, i) => i).filter((i) => focus?.[i] != null && clarity?.[i] != null);
  return timeline.t[shows.reduce((best, i) => (best < 0 || focus[i] > focus[best] ? i : best), -1)] ?? timeline.t[0];
}

function showPlayer(medium) {
  closePlayer();
  timeline = medium.timeline;
  byId("moments").hidden = timeline === null;
  if (timeline === null) return;
  now = tellingMoment();
  untouched = true;
  const sheet = pictureOf(medium, "contact_sheet");
  byId("sheet-on-paper").classList.toggle("none", !sheet);
  byId("sheet-on-paper").src = sheet ?? "data:,";
  showPreview(medium);
  showScenes();
  showCurves();
  if (now > timeline.t[0]) byId("moment-scene").textContent += " · where attention is most gathered";
}

// ---- pointer and keys

/** A mouse needs but to move, unless the video plays; a finger, and a press, always choose. */
function point(event) {
  const down = event.type === "pointerdown";
  if (down && event.button !== 0) return;
  if (down) {
    event.currentTarget.setPointerCapture(event.pointerId);
    byId("moment").focus({ preventScroll: true });
    event.preventDefault();
  } else if (!event.currentTarget.hasPointerCapture(event.pointerId) && (event.pointerType !== "mouse" || !video.paused)) return;
  const box = event.currentTarget.getBoundingClientRect();
  const seconds = ((event.clientX - box.left) / box.width) * timeline.end;
  showMoment(timeline.t[pointAt(seconds)]);
}

/** The strip goes to whole scenes, so a mouse that moves on does not lose where it went. */
function pointScene(event) {
  const box = event.currentTarget.getBoundingClientRect();
  toScene(lastUntil(timeline.scenes.start, ((event.clientX - box.left) / box.width) * timeline.end));
}

/** Keys of the player; says whether it took the key. */
function playerKey(event) {
  if (timeline === null || (event.target.matches("input, select, textarea") && event.target !== byId("moment"))) return false;
  const onControl = event.target.matches("button, summary, a");
  const keys = {
    " ": onControl || !hasPreview() ? null : togglePlay,
    ",": () => stepSample(-1),
    ".": () => stepSample(1),
    PageUp: event.target === byId("moment") ? () => toScene(sceneAt(now) - 1) : null,
    PageDown: event.target === byId("moment") ? () => toScene(sceneAt(now) + 1) : null,
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

function wirePlayer() {
  byId("play").addEventListener("click", togglePlay);
  byId("step-back").addEventListener("click", () => stepSample(-1));
  byId("step-on").addEventListener("click", () => stepSample(1));
  byId("moment").addEventListener("input", (event) => showMoment(timeline.t[event.target.value]));
  for (const kind of ["pointerdown", "pointermove"]) byId("chart").addEventListener(kind, point);
  byId("scene-strip").addEventListener("click", pointScene);
  video.addEventListener("play", showPlaying);
  video.addEventListener("pause", onPause);
  for (const kind of ["loadedmetadata", "seeked"]) video.addEventListener(kind, onSeekable);
  if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(onFrame);
  else video.addEventListener("timeupdate", () => follow(video.currentTime));
  video.addEventListener("click", togglePlay);
  video.addEventListener("error", onVideoError);
  addEventListener("resize", () => { if (timeline !== null && current !== null) drawTimes(); });
}
