// Scores of media: values, bars, badges.

import { element } from "../core/dom.js";
import { metricOf, report } from "../core/report.js";
import { state } from "../core/state.js";

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
 * A score bar with its interval as a whisker.
 * @param {{ value: number | null, lo?: number | null, hi?: number | null }} score
 * @param {{ low: number, high: number }} metric
 */
export function scoreBar(score, metric) {
  const bar = element("span", { className: score.lo === null ? "bar exact" : "bar" });
  bar.style.setProperty("--v", percentOfRange(score.value, metric));
  bar.style.setProperty("--lo", percentOfRange(score.lo ?? score.value, metric));
  bar.style.setProperty("--hi", percentOfRange(score.hi ?? score.value, metric));
  return bar;
}

/** 1 when large values come first in a ranking, -1 when small ones do. */
export function firstSign() {
  return metricOf.get(state.list.metric)?.direction === "lower" ? -1 : 1;
}

/** @param {string} name */
export function proxyBadge(name) {
  return metricOf.get(name).basis === "proxy" ? basisBadge(name) : null;
}

/** @param {string} name */
export function basisBadge(name) {
  const { basis } = metricOf.get(name);
  return element("span", { className: `badge ${basis}`, title: report.words.basis_words[basis] }, report.words.bases[basis]);
}

/** @param {Metric} metric */
export function aboutLink(metric) {
  return element("a", { className: "about", href: `#about-${metric.name}`, title: `What ${metric.title} means` }, metric.title);
}
