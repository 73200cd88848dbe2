// Scores and maps of the first and last two seconds.

import { byId, element } from "../core/dom.js";
import { formatValue } from "../core/format.js";
import { metricOf, report } from "../core/report.js";
import { state } from "../core/state.js";
import { categoryChip, rangeOf } from "../scores/ranges.js";
import { proxyBadge, scoreBar } from "../scores/values.js";
import { WINDOW_TITLES } from "./time_window.js";
import { announceSides, setDivided, setLeft, setRight } from "../viewer/viewer.js";

const WINDOW_MAPS = ["first_two_heat", "last_two_heat"];
/** @type {TimeWindow[]} */
const TABLE_WINDOWS = ["start", "end", "total"];

/** @param {Medium} medium */
function showWindows(medium) {
  const pair = ["focus_first_two", "focus_last_two"].filter((name) => metricOf.has(name) && medium.scores[name]?.value != null);
  const maps = WINDOW_MAPS.every((name) => medium.maps[name]);
  byId("windows").hidden = !medium.windows && !maps && !medium.window_scores;
  byId("windows-text").textContent = [medium.windows, medium.window_note].filter(Boolean).join(" ");
  byId("compare-windows").hidden = !maps;
  byId("windows-bars").hidden = medium.moves;
  showWindowTable(medium.window_scores ?? {});
  byId("windows-bars").replaceChildren(...pair.flatMap((name) => windowBar(metricOf.get(name), medium.scores[name], medium)));
}

/** @param {Medium} medium */
export function showOverTime(medium) {
  showWindows(medium);
  byId("over-time").hidden = byId("windows").hidden && state.timeline === null;
}

/** @param {Metric} metric @param {Score} score @param {Medium} medium */
function windowBar(metric, score, medium) {
  return [element("span", {}, metric.title), scoreBar(score.value, metric, medium), element("b", {}, formatValue(score.value, metric))];
}

/** @param {NonNullable<Medium["window_scores"]>} found */
function showWindowTable(found) {
  const table = byId("windows-table");
  const names = report.metrics.map((metric) => metric.name).filter((name) => found[name]);
  table.hidden = names.length === 0;
  const heads = TABLE_WINDOWS.map((time) => markWindow(element("th", { scope: "col" }, WINDOW_TITLES[time]), time));
  table.querySelector("thead").replaceChildren(element("tr", {}, element("th", { scope: "col" }, "Score"), ...heads));
  table.querySelector("tbody").replaceChildren(...names.map((name) => windowRow(metricOf.get(name), found[name])));
}

/** @param {Metric} metric @param {any} scores */
function windowRow(metric, scores) {
  const cells = TABLE_WINDOWS.map((time) => markWindow(windowCell(scores[time], metric, windowRange(metric.name, time)), time));
  return element("tr", {}, element("th", { scope: "row" }, metric.title, " ", proxyBadge(metric.name)), ...cells);
}

/**
 * A cell that can be marked as one of the time that is shown.
 * @param {HTMLElement} cell
 * @param {TimeWindow} time
 */
function markWindow(cell, time) {
  cell.dataset.time = time;
  cell.classList.toggle("of-time", state.window === time);
  return cell;
}

/**
 * The range of a window's score, which may be that of a metric of its own name, such as focus_first_two.
 * @param {string} name
 * @param {TimeWindow} time
 */
function windowRange(name, time) {
  const { ranges } = report.media[state.open];
  const metricOfWindow = { start: `${name}_first_two`, end: `${name}_last_two` }[time];
  return rangeOf(ranges?.[name]?.[time] ?? ranges?.[metricOfWindow]?.[time]);
}

/** @param {Score} score @param {Metric} metric @param {BenchmarkRange} range */
function windowCell(score, metric, range) {
  if (score?.value == null) return element("td", {}, element("span", { className: "none", title: score?.reason ?? "not computed" }, "n/a"));
  const chip = range === null || range.category === undefined ? null : categoryChip(range, false);
  if (chip) chip.title = range.sentence ?? "";
  return element("td", {}, element("b", {}, formatValue(score.value, metric)), chip);
}

export function compareWindows() {
  const medium = report.media[state.open];
  setDivided(true);
  setLeft(WINDOW_MAPS[0], medium);
  setRight(WINDOW_MAPS[1], medium);
  if (medium.moves) byId("maps").open = true;
  byId("compare").scrollIntoView({ block: "center" });
  byId("divider").focus({ preventScroll: true });
  announceSides();
}
