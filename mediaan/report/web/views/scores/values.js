// Scores of media: values, bars, badges.

import { element } from "../core/dom.js";
import { formatValue } from "../core/format.js";
import { metricOf, report } from "../core/report.js";
import { state } from "../core/state.js";
import { plusMinus, repeatability } from "./repeatability.js";

/** @param {number} index @param {string} [name] */
export function scoreOf(index, name = state.list.metric) {
  return report.media[index].scores[name];
}

/** @param {number} index @param {string} [name] */
export function valueOf(index, name = state.list.metric) {
  return scoreOf(index, name)?.value ?? null;
}

/** @param {number} value @param {{ low: number, high: number }} metric */
function percentOfRange(value, metric) {
  const share = (value - metric.low) / (metric.high - metric.low);
  return `${100 * Math.min(Math.max(share, 0), 1)}%`;
}

/**
 * A score bar with its ± as a whisker.
 * @param {number} value
 * @param {{ name: string, low: number, high: number }} metric
 * @param {Medium} medium
 */
export function scoreBar(value, metric, medium) {
  const moves = repeatability(metric.name, value, medium);
  const bar = element("span", { className: moves === null ? "bar exact" : "bar" });
  bar.style.setProperty("--v", percentOfRange(value, metric));
  bar.style.setProperty("--lo", percentOfRange(value - (moves ?? 0), metric));
  bar.style.setProperty("--hi", percentOfRange(value + (moves ?? 0), metric));
  return bar;
}

/**
 * The ± beside a score.
 * @param {number} value
 * @param {Metric} metric
 * @param {Medium} medium
 */
export function scorePlusMinus(value, metric, medium) {
  const text = plusMinus(repeatability(metric.name, value, medium), (moves) => formatValue(moves, metric));
  return element("span", { className: "plus-minus" }, text);
}

/**
 * How well a score agrees with people on media like this one, in a sentence; of videos the page says it once.
 * @param {{ agreement: AgreementByDomain }} metric
 * @param {Medium} medium
 */
export function agreementWords({ agreement }, medium) {
  if (medium.moves) return "";
  const words = agreement[medium.domain ?? ""] ?? agreement.any;
  if (words) return `Agreement with people: ${words}.`;
  const others = Object.keys(agreement).length;
  if (!others) return "It was not compared with people.";
  return `It was not compared with people on ${medium.domain ? `${medium.domain}s` : "such images"}.`;
}

/** 1 when large values come first in a ranking, -1 when small ones do. */
export function firstSign() {
  return metricOf.get(state.list.metric)?.direction === "lower" ? -1 : 1;
}

/**
 * A mark of a score that no people were asked about.
 * @param {string} name
 */
export function proxyBadge(name) {
  return metricOf.get(name).basis === "proxy" ? element("span", { className: "badge proxy" }, "estimate") : null;
}

/** @param {Metric} metric */
export function aboutLink(metric) {
  return element("a", { className: "about", href: `#about-${metric.name}`, title: `What ${metric.title} means` }, metric.title);
}
