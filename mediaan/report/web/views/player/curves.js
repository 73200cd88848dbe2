// Scores over time: curves, their buttons, and the cursor.

import { byId, element, query, queryAll, svgElement } from "../core/dom.js";
import { clock, formatValue } from "../core/format.js";
import { metricOf, report } from "../core/report.js";
import { state } from "../core/state.js";
import { curvePaths, pointsPerMean, xOf } from "./paths.js";
import { isDense, pointAt, sceneAt, shareOfTime } from "./timeline.js";
import { proxyBadge } from "../scores/values.js";

const TICKS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
/** @param {string} name */
function curveShapes(name) {
  const { line, band } = curvePaths(state.timeline.t, state.timeline.series[name], state.timeline.end);
  const curve = svgElement("path", { class: `curve of-${name} ${metricOf.get(name).basis}`, d: line });
  return band === null ? [curve] : [svgElement("path", { class: `band of-${name}`, d: band }), curve];
}

/** @param {number} from @param {number} to */
function windowShade(from, to) {
  return svgElement("rect", { class: "window", x: 1000 * shareOfTime(from), width: 1000 * (shareOfTime(to) - shareOfTime(from)), y: 0, height: 100 });
}

function curveNames() {
  return report.curves.metrics.filter((name) => metricOf.has(name) && state.timeline.series[name].some((value) => value !== null));
}

function drawCurves() {
  const many = isDense() ? " many" : "";
  const cuts = state.timeline.scenes.start.slice(1).map((start) => `M${xOf(start, state.timeline.end)} 0V100`).join("");
  const lines = curveNames().filter((name) => state.curves.has(name)).map(curveShapes);
  // bands lie below all lines
  const [bands, curves] = ["band", "curve"].map((kind) => lines.flat().filter((part) => part.classList.contains(kind)));
  byId("curves").replaceChildren(
    windowShade(0, report.curves.window_s),
    windowShade(Math.max(0, state.timeline.end - report.curves.window_s), state.timeline.end),
    svgElement("path", { class: "grid", d: "M0 0H1000M0 50H1000M0 100H1000" }),
    svgElement("path", { class: `cuts${many}`, d: cuts }),
    ...bands,
    ...curves,
  );
}

export function drawTimes() {
  const narrow = byId("chart").clientWidth < 520;
  const step = TICKS_S.find((tick) => state.timeline.end / tick <= (narrow ? 4 : 9)) ?? 3600 * Math.ceil(state.timeline.end / 3600 / 9);
  const ticks = [];
  for (let i = 0; i * step <= state.timeline.end * 0.97; i += 1) {
    ticks.push(element("span", { style: `left:${100 * shareOfTime(i * step)}%` }, clock(i * step, step < 1 ? 1 : 0)));
  }
  byId("times").replaceChildren(...ticks);
}

/** @param {string} name */
function curveButton(name) {
  const metric = metricOf.get(name);
  const button = element("button", { type: "button", className: `chip of-${name}` });
  button.dataset.curve = name;
  const parts = [element("i", { className: metric.basis }), element("span", {}, metric.title), proxyBadge(name), element("b")];
  button.append(...parts.filter(Boolean));
  button.title = metric.caption;
  button.addEventListener("click", () => toggleCurve(name));
  return button;
}

/** @param {string} name */
function toggleCurve(name) {
  if (!state.curves.delete(name)) state.curves.add(name);
  showChosen();
}

/** Curves, and the columns of the list of scenes that a phone has room for. */
function showChosen() {
  drawCurves();
  for (const button of byId("chips").children) button.setAttribute("aria-pressed", String(state.curves.has(button.dataset.curve)));
  for (const cell of queryAll("#scene-list [data-curve]")) cell.classList.toggle("drawn", state.curves.has(cell.dataset.curve));
  showValues();
}

/** Numbers and cursor of the moment that is shown. */
export function showValues() {
  const i = pointAt(state.now);
  const scene = sceneAt(state.now);
  const names = curveNames();
  const values = names.map((name) => ({ name, value: state.timeline.series[name][i] }));
  byId("moment-time").textContent = clock(state.now);
  byId("moment-scene").textContent = `of ${clock(state.timeline.end)} · scene ${scene + 1} of ${state.timeline.scenes.start.length}`;
  for (const { name, value } of values) query(`#chips .of-${name} b`).textContent = value === null ? "–" : formatValue(value, metricOf.get(name));
  const dots = values.filter(({ name, value }) => value !== null && state.curves.has(name));
  byId("dots").replaceChildren(...dots.map(({ name, value }) => element("i", { className: `of-${name}`, style: `left:${100 * shareOfTime(state.now)}%;top:${100 - value}%` })));
  byId("curves-panel").style.setProperty("--now", `${100 * shareOfTime(state.now)}%`);
  byId("moment").value = i;
  const words = dots.map(({ name, value }) => `${metricOf.get(name).title} ${formatValue(value, metricOf.get(name))}`);
  byId("moment").setAttribute("aria-valuetext", [clock(state.now), `scene ${scene + 1}`, ...words].join(", "));
}

function curvesNote() {
  const note = ["Shaded: the first and the last two seconds.", "Vertical lines: cuts. Dashed curves are estimates."];
  const point = state.timeline.pooled * state.timeline.interval;
  if (state.timeline.pooled > 1) {
    note.push(`Numbers at the cursor are means of ${state.timeline.pooled} samples (${point.toFixed(1)} s); the table frames holds every one.`);
  }
  const size = pointsPerMean(state.timeline.t.length);
  if (size > 1) note.push(`The line is the mean of ${Math.round(size * point)} s at a time, the band around it the range of the numbers.`);
  return note.join(" ");
}

export function showCurves() {
  byId("moment").max = state.timeline.t.length - 1;
  byId("chips").replaceChildren(...curveNames().map(curveButton));
  byId("curves-note").textContent = curvesNote();
  drawTimes();
  showChosen();
}
