// The table of a medium's areas of interest.

import { showHighlight, toggleArea } from "./highlight.js";
import { areaCell, areaColumns, areaHeading, areaMetrics, areaName, areaStanding, areaTitle, areaValue, oneLine } from "./scores.js";
import { boxAt, spansOf } from "./tracks.js";
import { runFolder, shellQuoted } from "../core/command.js";
import { byId, element, query } from "../core/dom.js";
import { clock, withFullStop } from "../core/format.js";
import { collator, report, served } from "../core/report.js";
import { agreementWords } from "../scores/values.js";
import { openMedium, state } from "../core/state.js";
import { WINDOW_TITLES, setWindow } from "../detail/time_window.js";
import { changedDraft, draftWords } from "../editor/drafts.js";
import { showMoment } from "../player/video.js";
import { canDraw } from "../viewer/maps.js";

const FEW_AREAS = 8; // rows at first

/**
 * Order of rows: the page's numbers, or a score; those without a value last.
 * @param {Medium} medium
 */
function areaRows(medium) {
  const order = medium.areas.map((_, i) => i);
  if (state.areaOrder.by === null) return state.areaOrder.rising ? order.reverse() : order;
  if (state.areaOrder.by === "name") order.sort((a, b) => collator.compare(areaName(medium.areas[a]), areaName(medium.areas[b])));
  else order.sort((a, b) => byScore(medium.areas[a], medium.areas[b]) || a - b);
  return state.areaOrder.by === "name" && !state.areaOrder.rising ? order.reverse() : order;
}

/** @param {any} a @param {any} b */
function byScore(a, b) {
  const metric = Number(state.areaOrder.by);
  const [va, vb] = [areaValue(a, metric), areaValue(b, metric)];
  if (va === null || vb === null) return Number(va === null) - Number(vb === null);
  return state.areaOrder.rising ? va - vb : vb - va;
}

/** @param {number | "name"} by */
function sortAreas(by) {
  const first = by === "name" || areaMetrics[by].direction === "lower";
  const again = state.areaOrder.by === by;
  state.areaOrder.rising = again ? !state.areaOrder.rising : first;
  state.areaOrder.by = again && state.areaOrder.rising === first ? null : by;
  if (state.areaOrder.by === null) state.areaOrder.rising = false;
  showAreaTable(report.media[state.open]);
  query(`#area-table [data-by="${by}"]`).focus();
}

/** @param {TimeWindow} time */
function setTableWindow(time) {
  setWindow(time);
  query(`#area-times [data-time="${time}"]`).focus();
}

/** @param {number | "name"} by @param {string} title @param {string} [under] @param {string} [words] */
function areaHead(by, title, under, words) {
  const button = element("button", { type: "button", title: words ?? "" }, title);
  button.dataset.by = `${by}`;
  button.addEventListener("click", () => sortAreas(by));
  const cell = element("th", { scope: "col", role: "columnheader" }, button, under ? element("small", {}, under) : null);
  if (state.areaOrder.by === by) cell.setAttribute("aria-sort", state.areaOrder.rising ? "ascending" : "descending");
  return cell;
}

/** @param {number} i */
function scoreHead(i) {
  const metric = areaMetrics[i];
  const unit = metric.unit === "ratio" ? "times" : metric.unit;
  return areaHead(i, metric.title, unit, `${metric.title}. ${metric.caption} ${agreementWords(metric, openMedium())}`);
}

/**
 * Its type, how sure that is, and how well its text can be read, in one line; how it was found, at hand.
 * @param {Area} area
 */
function areaFacts(area) {
  const kind = area.type === "other" && area.text ? areaName(area) : areaTitle.get(area.type);
  const sure = area.confidence === undefined ? area.method : `${Math.round(100 * area.confidence)} % sure`;
  const line = area.line === undefined ? null : `text ${area.line.toFixed(1)} % of the height`;
  const contrast = area.line === undefined ? null : area.contrast === undefined ? "contrast unknown" : `contrast ${area.contrast.toFixed(1)}:1`;
  const read = area.line === undefined || area.text ? null : "not read";
  const legible = area.legible === undefined ? null : element("span", { className: area.legible ? "legible" : "hard" }, area.legible ? "legible" : "hard to read");
  const facts = [kind === areaHeading(area) ? null : kind, sure, state.timeline ? areaTimes(area) : null, read, line, contrast, legible].filter(Boolean);
  return element("span", { className: "sub", title: area.method }, ...facts.flatMap((fact, i) => (i ? [" · ", fact] : [fact])));
}

/** @param {Area} area */
function areaTranscription(area) {
  return !area.text || oneLine(area.text) === areaHeading(area) ? null : element("q", { className: "says", title: area.text }, area.text.replaceAll("\n", " / "));
}

/** @param {Area} area */
function areaTimes(area) {
  const seconds = spansOf(area, state.timeline.end);
  const spans = seconds.slice(0, 3).map(([from, to]) => `${clock(from)}–${clock(to)}`).join(", ");
  const more = seconds.length > 3 ? ` and ${seconds.length - 3} more` : "";
  return `on screen ${spans}${more}`;
}

/** @param {Area} area @param {number} i */
function areaRow(area, i) {
  const go = element("button", { type: "button", className: "area-go", title: area.text ?? "" }, areaHeading(area));
  const number = element("span", { className: `area-number type-${area.type}`, "aria-hidden": "true" }, `${i + 1}`);
  const about = [areaFacts(area), areaTranscription(area)];
  const name = element("th", { scope: "row", role: "rowheader" }, number, element("div", {}, go, ...about));
  const row = element("tr", { role: "row" }, name, ...areaColumns().map((column) => areaCell(area, column)), areaStanding(area));
  row.dataset.area = `${i}`;
  row.addEventListener("click", () => chooseArea(area, i));
  return row;
}

/**
 * Mark it; in a video, go to where it is seen unless it is there now.
 * @param {Area} area
 * @param {number} i
 */
function chooseArea(area, i) {
  toggleArea(i);
  if (state.timeline !== null && state.chosenArea === i && boxAt(area, state.now) === null) showMoment(spansOf(area, state.timeline.end)[0][0]);
}

/** @param {TimeWindow} time */
function timeButton(time) {
  const button = element("button", { type: "button", "aria-pressed": `${state.window === time}` }, WINDOW_TITLES[time]);
  button.dataset.time = time;
  button.addEventListener("click", () => setTableWindow(time));
  return button;
}

/** @param {Medium} medium */
function areasNote(medium) {
  if (changedDraft(medium)) return draftWords(medium);
  if (served && medium.areas.length === 0) return "None yet. Find brand, product, headline, text, faces and people, or draw your own.";
  const run = query("#areas-overview [data-run]") !== null;
  if (medium.areas.length === 0 && run) return `This run has none. Find them with: mediaan aois detect ${shellQuoted(runFolder())} PATH, or draw your own.`;
  if (medium.areas.length === 0) return "None were found. You can draw your own.";
  const brand = medium.brand_attention === null ? null : `${medium.brand ? "The brand" : "Its branding"} gets ${medium.brand_attention} in all.`;
  return [brand, medium.moves ? "Choose an area to go to where it is seen." : null].filter(Boolean).join(" ");
}

/**
 * The first rows, or all of them.
 * @param {number} n
 */
function showMoreAreas(n) {
  byId("area-table").classList.toggle("few", !state.allAreas);
  byId("more-areas").hidden = n <= FEW_AREAS;
  byId("more-areas").textContent = state.allAreas ? "Show fewer" : `Show all ${n} areas`;
}

export function toggleMoreAreas() {
  state.allAreas = !state.allAreas;
  showMoreAreas(openMedium().areas.length);
}

/** @param {Medium} medium */
export function showAreaTable(medium) {
  const some = medium.areas.length > 0;
  for (const id of ["area-scroll", "area-times", "area-types", "areas-fine"]) byId(id).hidden = !some;
  byId("brand-missing").hidden = medium.brand_missing === null;
  byId("brand-missing").textContent = medium.brand_missing === null ? "" : withFullStop(medium.brand_missing);
  byId("areas-note").textContent = areasNote(medium);
  byId("edit-areas").hidden = !canDraw(medium);
  byId("edit-areas").textContent = changedDraft(medium) ? "Continue editing" : some ? "Edit areas" : "Draw areas";
  const heads = [areaHead("name", "Area"), ...areaColumns().map(scoreHead)];
  byId("area-table").tHead.replaceChildren(element("tr", { role: "row" }, ...heads));
  const rows = areaRows(medium);
  byId("area-table").tBodies[0].replaceChildren(...rows.map((i) => areaRow(medium.areas[i], i)));
  rows.slice(FEW_AREAS).forEach((_, place) => { byId("area-table").tBodies[0].rows[FEW_AREAS + place].classList.add("beyond"); });
  showMoreAreas(rows.length);
  byId("area-times").replaceChildren(...report.areas.times.map(timeButton));
  byId("areas-key").hidden = !some || !byId("area-table").querySelector(".stand");
  showHighlight();
}
