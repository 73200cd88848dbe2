// Areas of interest: where they are at a moment, and their shapes over pictures and video.

const TICKS = 10000; // times in tracks, parts of a second
const GRID = 10000; // boxes in tracks, parts of a side
const TAG_ROOM = 0.035; // of the height
const areaTitle = new Map(report.areas.types.map((type) => [type.name, type.title]));
const AREA_HOSTS = ["areas-on-picture", "areas-on-video", "areas-on-paper"];
const hiddenTypes = new Set(); // kept from medium to medium
const places = new WeakMap(); // decoded tracks
let lit = null; // index of the area that is pointed at
let picked = null; // index of the area that was chosen

/** Moments and boxes of a track, as the page's data packs them. */
function placesOf(area) {
  if (places.has(area)) return places.get(area);
  const { t, keys, spans } = area.track;
  const ticks = t.slice(0, 1);
  for (let i = 1; i < t.length; i += 2) {
    for (let n = 0; n < t[i + 1]; n += 1) ticks.push(ticks.at(-1) + t[i]);
  }
  const times = ticks.map((tick) => tick / TICKS);
  const kept = [];
  for (let i = 0; i < keys.length; i += 5) {
    kept.push({ at: keys[i], t: times[keys[i]], box: keys.slice(i + 1, i + 5).map((side) => side / GRID) });
  }
  const found = { times, kept, keptTimes: kept.map((key) => key.t), spans };
  places.set(area, found);
  return found;
}

/** Between two boxes, or at the first where there is no second. */
function between(a, b, seconds) {
  if (!b || b.t <= a.t || seconds <= a.t) return a.box;
  const part = Math.min((seconds - a.t) / (b.t - a.t), 1);
  return a.box.map((side, i) => side + part * (b.box[i] - side));
}

/** From when to when an area is visible, s; pairs. */
function spansOf(area, end) {
  return area.track ? area.track.spans : [[area.t0 ?? 0, area.t1 ?? end]];
}

/** Box at a moment; null while it is not visible. */
function trackBox(area, seconds) {
  const { kept, keptTimes, spans } = placesOf(area);
  const span = spans.find(([from, to]) => seconds >= from - 1e-3 && seconds < to - 1e-3);
  if (!span) return null;
  const i = lastUntil(keptTimes, seconds);
  return between(kept[i], kept[i + 1]?.t < span[1] ? kept[i + 1] : null, seconds);
}

function boxAt(area, seconds) {
  if (area.track) return trackBox(area, seconds);
  return seconds >= (area.t0 ?? 0) - 1e-3 && seconds < (area.t1 ?? Infinity) ? area.box : null;
}

/** What the sighting of a track that the table holds at each moment is, to the page's accuracy. */
function sightings(area) {
  return placesOf(area).times.map((t) => ({ t, box: trackBox(area, t) ?? area.box }));
}

// ---- shapes

/** An outline with a dark edge, so that it stands out from any picture; unit coordinates. */
function outline(box, polygon) {
  const [x0, y0, x1, y1] = box;
  const points = (polygon ?? [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]).map((point) => point.join(","));
  return ["edge", "line"].map((kind) => shape("polygon", { class: kind, points: points.join(" ") }));
}

/** The number of an area, above the left of its box or the top of its polygon; inside where above there is no room. */
function tag(text, type, box, polygon) {
  const [x, y] = polygon ? [...polygon].sort((a, b) => a[1] - b[1] || a[0] - b[0])[0] : box;
  const made = element("span", { className: `area-tag type-${type}${y < TAG_ROOM ? " inside" : ""}` }, text);
  Object.assign(made.style, { left: `${100 * Math.max(x, 0)}%`, top: `${100 * Math.max(y, 0)}%` });
  return made;
}

function areaShape(area, i, box) {
  const group = shape("g", { class: `area type-${area.type}` });
  group.dataset.area = i;
  group.append(...outline(box, area.track ? null : area.polygon));
  return group;
}

const areaSize = (box) => (box[2] - box[0]) * (box[3] - box[1]);

/** Draw what is there at a moment, small areas over large ones. */
function drawAreas(host, seconds) {
  const found = report.media[current].areas
    .map((area, i) => ({ area, i, box: hiddenTypes.has(area.type) ? null : boxAt(area, seconds) }))
    .filter(({ box }) => box)
    .sort((a, b) => areaSize(b.box) - areaSize(a.box));
  const canvas = shape("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  canvas.append(...found.map(({ area, i, box }) => areaShape(area, i, box)));
  const tags = found.map(({ area, i, box }) => {
    const made = tag(`${i + 1}`, area.type, box, area.track ? null : area.polygon);
    made.dataset.area = i;
    made.append(element("b", {}, tagWords(area)));
    return made;
  });
  host.replaceChildren(canvas, ...tags);
  showLit();
}

/** Its name, and how many see it at the time that is shown. */
function tagWords(area) {
  const i = areaMetric("percentage_seen");
  const seen = i < 0 ? null : areaScore(area, i);
  if (!Array.isArray(seen)) return areaName(area);
  const interval = areaInterval(seen, areaMetrics[i]);
  return `${areaName(area)} · seen by ${areaDigits(seen[0], areaMetrics[i])}${interval && ` (${interval})`} %`;
}

/** What a reader calls it: the first line of its label, or its type. */
function areaName(area) {
  return area.label.split("\n")[0] || areaTitle.get(area.type);
}

/** Areas of a medium that moves belong to moments: they lie over the video, and not over its maps. */
function showAreasNow() {
  if (timeline !== null) drawAreas(byId("areas-on-video"), now);
  if (timeline !== null && editing !== null) drawItems();
}

function showShapes(medium) {
  for (const id of AREA_HOSTS) byId(id).replaceChildren();
  byId("areas-paper-picture").src = medium.moves || !medium.areas.length ? "data:," : pictureOf(medium, "original") ?? "data:,";
  if (medium.moves) return showAreasNow();
  drawAreas(byId("areas-on-picture"), 0);
  return drawAreas(byId("areas-on-paper"), 0);
}

// ---- pointing at one

/** Shapes, rows and lanes of one area are lit together. */
function showLit() {
  const shown = lit ?? picked;
  for (const part of document.querySelectorAll("#detail [data-area]")) part.classList.toggle("lit", Number(part.dataset.area) === shown);
  for (const row of byId("area-table").tBodies[0].rows) row.classList.toggle("picked", Number(row.dataset.area) === picked);
  for (const host of AREA_HOSTS) byId(host).classList.toggle("dimmed", shown !== null);
}

function light(i) {
  if (lit === i) return;
  lit = i;
  showLit();
}

function pick(i) {
  picked = picked === i ? null : i;
  showLit();
}

const areaUnder = (target) => {
  const found = target.closest?.("[data-area]");
  return found ? Number(found.dataset.area) : null;
};

function pickShape(i) {
  pick(i);
  if (picked === null) return;
  document.querySelector(`#area-table tr[data-area="${i}"]`)?.scrollIntoView({ block: "nearest" });
}

// ---- types: legend and switch in one

/** A piece of the line that a type is drawn with. */
function swatch(type) {
  const sample = shape("svg", { class: `swatch type-${type}`, viewBox: "0 0 34 16", "aria-hidden": "true" });
  sample.append(shape("rect", { class: "ground", width: 34, height: 16, rx: 4 }), shape("path", { class: "line", d: "M4 8H30" }));
  return sample;
}

function toggleTypes(types, hide) {
  for (const type of types) hiddenTypes[hide ? "add" : "delete"](type);
  showTypes(report.media[current]);
  showShapes(report.media[current]);
  showLanes(report.media[current]);
}

function typeButton(type, n) {
  const on = !hiddenTypes.has(type);
  const button = element("button", { type: "button", "aria-pressed": `${on}` }, swatch(type), areaTitle.get(type), element("small", {}, `${n}`));
  button.dataset.type = type;
  button.addEventListener("click", () => {
    toggleTypes([type], !hiddenTypes.has(type));
    document.querySelector(`#area-types [data-type="${type}"]`).focus();
  });
  return button;
}

function showTypes(medium) {
  const counts = report.areas.types.map(({ name }) => [name, medium.areas.filter((area) => area.type === name).length]).filter(([, n]) => n);
  byId("all-types").textContent = counts.some(([type]) => !hiddenTypes.has(type)) ? "Hide all" : "Show all";
  byId("area-types").replaceChildren(...counts.map(([type, n]) => typeButton(type, n)));
}

function toggleAllTypes() {
  const types = report.media[current].areas.map((area) => area.type);
  toggleTypes(types, types.some((type) => !hiddenTypes.has(type)));
}

function showAreas(medium) {
  [lit, picked] = [null, null];
  showTypes(medium);
  showAreaTable(medium);
  showLanes(medium);
  showShapes(medium);
}

/** A mouse that goes leaves what the keyboard is on. */
const focusedArea = () => areaUnder(document.activeElement.closest("#area-table tbody tr") ?? document.body);

function wireAreas() {
  for (const id of ["areas-on-picture", "areas-on-video", "area-table", "lanes"]) {
    byId(id).addEventListener("pointerover", (event) => light(areaUnder(event.target)));
    byId(id).addEventListener("pointerleave", () => light(focusedArea()));
  }
  byId("area-table").addEventListener("focusin", (event) => light(areaUnder(event.target)));
  byId("area-table").addEventListener("focusout", () => light(null));
  byId("all-types").addEventListener("click", toggleAllTypes);
  byId("areas-on-video").addEventListener("click", (event) => {
    const i = areaUnder(event.target);
    if (i !== null) pickShape(i);
  });
}
