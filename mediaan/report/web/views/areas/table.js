// The table of a medium's areas of interest.

import { showHighlight, toggleArea } from "./highlight.js";
import { areaCell, areaColumns, areaDigits, areaMetric, areaMetrics, areaName, areaStanding, areaTitle, areaValue, labelsText, oneLine } from "./scores.js";
import { boxAt, spansOf } from "./tracks.js";
import { runFolder, shellQuoted } from "../core/command.js";
import { byId, element } from "../core/dom.js";
import { clock, withFullStop } from "../core/format.js";
import { collator, report, served } from "../core/report.js";
import { state } from "../core/state.js";
import { WINDOW_TITLES, setWindow } from "../detail/time_window.js";
import { changedDraft, draftWords } from "../editor/drafts.js";
import { showMoment } from "../player/video.js";
import { canDraw } from "../viewer/maps.js";

const SHORT_TITLES = { attention_per_area: "Per area" };

const BASIS_WORDS = {
  measured: "Measured: follows by definition from the predicted attention.",
  learned: "Learned: fitted to where people looked.",
  proxy: "A proxy: a hint, not evidence.",
};

/** Order of rows: the page's numbers, or a score; those without a value last. */
function areaRows(medium) {
  const order = medium.areas.map((_, i) => i);
  if (state.areaOrder.by === null) return state.areaOrder.rising ? order.reverse() : order;
  if (state.areaOrder.by === "name") order.sort((a, b) => collator.compare(areaName(medium.areas[a]), areaName(medium.areas[b])));
  else order.sort((a, b) => byScore(medium.areas[a], medium.areas[b]) || a - b);
  return state.areaOrder.by === "name" && !state.areaOrder.rising ? order.reverse() : order;
}

function byScore(a, b) {
  const [va, vb] = [areaValue(a, state.areaOrder.by), areaValue(b, state.areaOrder.by)];
  if (va === null || vb === null) return (va === null) - (vb === null);
  return state.areaOrder.rising ? va - vb : vb - va;
}

function sortAreas(by) {
  const first = by === "name" || areaMetrics[by]?.direction === "lower";
  const again = state.areaOrder.by === by;
  state.areaOrder.rising = again ? !state.areaOrder.rising : first;
  state.areaOrder.by = again && state.areaOrder.rising === first ? null : by;
  if (state.areaOrder.by === null) state.areaOrder.rising = false;
  showAreaTable(report.media[state.open]);
  document.querySelector(`#area-table [data-by="${by}"]`).focus();
}

function setTableWindow(time) {
  setWindow(time);
  document.querySelector(`#area-times [data-time="${time}"]`).focus();
}

function areaHead(by, title, under, words) {
  const button = element("button", { type: "button", title: words ?? "" }, title);
  button.dataset.by = by;
  button.addEventListener("click", () => sortAreas(by));
  const cell = element("th", { scope: "col", role: "columnheader" }, button, under ? element("small", {}, under) : null);
  if (state.areaOrder.by === by) cell.setAttribute("aria-sort", state.areaOrder.rising ? "ascending" : "descending");
  return cell;
}

function scoreHead(i) {
  const metric = areaMetrics[i];
  const unit = metric.unit === "ratio" ? "times" : metric.unit;
  return areaHead(i, SHORT_TITLES[metric.name] ?? metric.title, `${unit} ${metric.basis}`, `${metric.title}. ${metric.caption} ${BASIS_WORDS[metric.basis] ?? ""}`);
}

/** How it was found, and how sure that is. */
function areaOrigin(area) {
  const sure = area.confidence === undefined ? "" : `, ${Math.round(100 * area.confidence)} % sure`;
  return `${area.label ? `${areaTitle.get(area.type)} · ` : ""}${area.method}${sure}`;
}

function textFacts(area) {
  if (area.line === undefined) return null;
  const contrast = area.contrast === undefined ? "contrast unknown" : `contrast ${area.contrast.toFixed(1)}:1`;
  const read = area.text ? [] : ["not read"];
  const words = [...read, `lines ${area.line.toFixed(1)} % of the height`, contrast].join(" · ");
  const legible = area.legible === undefined ? null : element("span", { className: area.legible ? "legible" : "hard" }, area.legible ? "legible" : "hard to read");
  return element("span", { className: "sub" }, words, ...(legible ? [" · ", legible] : []));
}

function areaTranscription(area) {
  return !area.text || labelsText(area) ? null : element("q", { className: "says", title: area.text }, area.text.replaceAll("\n", " / "));
}

function areaTimes(area) {
  const visible = areaMetric("availability");
  const seconds = spansOf(area, state.timeline.end);
  const spans = seconds.slice(0, 3).map(([from, to]) => `${clock(from)}–${clock(to)}`).join(", ");
  const share = areaValue(area, visible, "total");
  const more = seconds.length > 3 ? ` and ${seconds.length - 3} more` : "";
  return element("span", { className: "sub" }, `There ${spans}${more}${share === null ? "" : `, ${areaDigits(share, areaMetrics[visible])} % of the time`}`);
}

function areaRow(area, i) {
  const go = element("button", { type: "button", className: "area-go", title: area.text ?? "" }, labelsText(area) ? oneLine(area.text) : areaName(area));
  const number = element("span", { className: `area-number type-${area.type}`, "aria-hidden": "true" }, `${i + 1}`);
  const about = [areaTranscription(area), element("span", { className: "sub" }, areaOrigin(area)), textFacts(area), state.timeline ? areaTimes(area) : null];
  const name = element("th", { scope: "row", role: "rowheader" }, number, element("div", {}, go, ...about));
  const row = element("tr", { role: "row" }, name, ...areaColumns().map((column) => areaCell(area, column)), areaStanding(area));
  row.dataset.area = i;
  row.addEventListener("click", () => chooseArea(area, i));
  return row;
}

/** Mark it; in a video, go to where it is seen unless it is there now. */
function chooseArea(area, i) {
  toggleArea(i);
  if (state.timeline !== null && state.chosenArea === i && boxAt(area, state.now) === null) showMoment(spansOf(area, state.timeline.end)[0][0]);
}

function timeButton(time) {
  const button = element("button", { type: "button", "aria-pressed": `${state.window === time}` }, WINDOW_TITLES[time]);
  button.dataset.time = time;
  button.addEventListener("click", () => setTableWindow(time));
  return button;
}

function areasNote(medium) {
  if (changedDraft(medium)) return draftWords(medium);
  if (served && medium.areas.length === 0) return "None yet. Let brand, product, headline, text, faces and people be found, or draw your own.";
  const run = document.querySelector("#areas-overview [data-run]") !== null;
  if (medium.areas.length === 0 && run) return `This run has none. Find them with: mediaan aois detect ${shellQuoted(runFolder())} PATH (or analyze again, without --aois none), or draw your own.`;
  if (medium.areas.length === 0) return `None was found in this ${medium.kind}. You can draw your own.`;
  return "Predicted for a typical viewer; small figures are 90 % intervals.";
}

export function showAreaTable(medium) {
  const some = medium.areas.length > 0;
  for (const id of ["area-scroll", "area-bar", "area-types", "areas-fine"]) byId(id).hidden = !some;
  byId("brand-missing").hidden = medium.brand_missing === null;
  byId("brand-missing").textContent = medium.brand_missing === null ? "" : withFullStop(medium.brand_missing);
  byId("areas-note").textContent = areasNote(medium);
  byId("edit-areas").hidden = !canDraw(medium);
  byId("edit-areas").textContent = changedDraft(medium) ? "Go on editing" : some ? "Edit areas" : "Draw areas";
  byId("areas-fine").textContent = medium.moves ? "Choose an area to go to where it is seen." : "Numbers on the picture are those of the table.";
  const heads = [areaHead("name", "Area"), ...areaColumns().map(scoreHead)];
  byId("area-table").tHead.replaceChildren(element("tr", { role: "row" }, ...heads));
  byId("area-table").tBodies[0].replaceChildren(...areaRows(medium).map((i) => areaRow(medium.areas[i], i)));
  byId("area-times").replaceChildren(...report.areas.times.map(timeButton));
  showHighlight();
}
