// What moved a score, and which direction is good for the objective at hand.

import { element } from "../core/dom.js";
import { signed, unbroken } from "../core/format.js";
import { report } from "../core/report.js";

const SMALLEST_SCALE = 10; // points that fill half a bar at least, so that trifles look like trifles

/**
 * Points that fill half a bar: the same for all scores of a medium, so that its bars can be compared.
 * @param {Medium} medium
 */
export function driverScale(medium) {
  const points = Object.values(medium.scores).flatMap((score) => score.drivers.map(([size]) => Math.abs(size)));
  return Math.max(SMALLEST_SCALE, ...points);
}

/** @param {Driver} driver @param {number} scale */
function driverItem([points, text], scale) {
  const fill = element("i");
  const bar = element("span", { className: "driver-bar", "aria-hidden": "true" }, fill);
  const wide = Math.min(50, (50 * Math.abs(points)) / scale);
  fill.style.setProperty("--from", `${points < 0 ? 50 - wide : 50}%`);
  fill.style.setProperty("--wide", `${wide}%`);
  const number = element("span", { className: "driver-points" }, signed(points), element("span", { className: "hidden" }, " points:"));
  return element("li", { className: points < 0 ? "down" : "up" }, number, bar, element("span", {}, unbroken(text)));
}

/** @param {Metric} metric @param {{ drivers: Driver[] }} score @param {number} scale */
export function driverList(metric, score, scale) {
  if (!score.drivers.length) return null;
  return element("ul", { className: "drivers", "aria-label": `What moved ${metric.title}` }, ...score.drivers.map((driver) => driverItem(driver, scale)));
}

/**
 * Which way of a metric is good for a medium, and why.
 * @param {Metric} metric
 * @param {{ purpose: string | null }} medium
 */
export function aimFor(metric, medium) {
  return metric.aims[medium.purpose] ?? metric.aims.any;
}

/** @param {Metric} metric @param {Medium} medium */
export function aimWords(metric, medium) {
  const aim = aimFor(metric, medium);
  const words = report.words.directions[aim.direction];
  if (!medium.purpose) return words;
  const reason = aim.direction === "higher" ? "" : `: ${aim.reason[0].toLowerCase()}${aim.reason.slice(1, -1)}`; // what is not expected
  return `for ${report.purposes[medium.purpose]}, ${words}${reason}`;
}
