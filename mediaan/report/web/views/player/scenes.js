// Scenes: the strip under the curves, and the list.

import { byId, element, queryAll } from "../core/dom.js";
import { clock, formatValue } from "../core/format.js";
import { metricOf, report } from "../core/report.js";
import { state } from "../core/state.js";
import { isDense, shareOfTime } from "./timeline.js";
import { showMoment } from "./video.js";
import { proxyBadge } from "../scores/values.js";

const LONG_LIST = 12; // scenes; a longer list is folded
let marked = -1;

function showStrip() {
  const { start, end } = state.timeline.scenes;
  const blocks = start.map((from, i) => {
    const block = element("i", { style: `left:${100 * shareOfTime(from)}%;width:${100 * (shareOfTime(end[i]) - shareOfTime(from))}%` });
    if (end[i] - from > state.timeline.end / 28) block.textContent = `${i + 1}`;
    return block;
  });
  byId("scene-strip").classList.toggle("many", isDense());
  byId("scene-strip").replaceChildren(...blocks, element("i", { className: "cursor" }));
}

/** @param {number} scene */
export function markScene(scene) {
  if (scene === marked) return;
  marked = scene;
  queryAll("#scene-strip .open").forEach((block) => block.classList.remove("open"));
  queryAll("#scene-list [aria-current]").forEach((row) => row.removeAttribute("aria-current"));
  byId("scene-strip").children[scene]?.classList.add("open");
  byId("scene-list").querySelectorAll("tbody tr")[scene]?.setAttribute("aria-current", "true");
}

/** @param {string[]} names */
function sceneHead(names) {
  const cells = names.map((name) => {
    const cell = element("th", { scope: "col" }, metricOf.get(name).title, " ", proxyBadge(name));
    cell.dataset.curve = name;
    return cell;
  });
  return element("tr", {}, ...["Scene", "Start", "End", "Begins with"].map((text) => element("th", { scope: "col" }, text)), ...cells);
}

/** @param {number} i @param {string[]} names */
function sceneRow(i, names) {
  const { start, end, begins, scores } = state.timeline.scenes;
  const jump = element("button", { type: "button", "aria-label": `Go to scene ${i + 1}` }, `${i + 1}`);
  const cells = names.map((name) => {
    const value = scores[name][i];
    const cell = element("td", {}, value === null ? "–" : formatValue(value, metricOf.get(name)));
    cell.dataset.curve = name;
    return cell;
  });
  const row = element("tr", {}, element("th", { scope: "row" }, jump), element("td", {}, clock(start[i])), element("td", {}, clock(end[i])), element("td", {}, begins[i]), ...cells);
  row.addEventListener("click", () => toScene(i));
  return row;
}

function showSceneList() {
  const n = state.timeline.scenes.start.length;
  const names = report.curves.metrics.filter((name) => metricOf.has(name));
  const list = byId("scene-list");
  list.open = n <= LONG_LIST;
  list.querySelector("summary").textContent = n === 1 ? "One scene" : `${n} scenes`;
  list.querySelector("thead").replaceChildren(sceneHead(names));
  list.querySelector("tbody").replaceChildren(...state.timeline.scenes.start.map((_, i) => sceneRow(i, names)));
}

/** @param {number} i */
export function toScene(i) {
  if (i >= 0 && i < state.timeline.scenes.at.length) showMoment(state.timeline.scenes.at[i]);
}

export function showScenes() {
  marked = -1;
  showStrip();
  showSceneList();
}
