// Scores of areas of interest, and where they stand in their populations.

import { element } from "../core/dom.js";
import { report, runAreas } from "../core/report.js";
import { openMedium, state } from "../core/state.js";
import { categoryChip, fallbackWords, populationWords, rangeOf, rankWords } from "../scores/ranges.js";
import { plusMinus, repeatability } from "../scores/repeatability.js";

export const areaTitle = new Map(report.areas.types.map((type) => [type.name, type.title]));

/**
 * What a reader calls it: the first line of its label, or its type.
 * @param {Area} area
 */
export function areaName(area) {
  const firstLine = area.label.split("\n")[0];
  if (!firstLine || firstLine === area.type) return areaTitle.get(area.type);
  if (area.type !== "other") return firstLine;
  return firstLine === "offer" ? "Offer or date" : firstLine[0].toUpperCase() + firstLine.slice(1);
}

export const areaMetrics = report.areas.metrics;
/** @param {string} name */
export const areaMetric = (name) => areaMetrics.findIndex((metric) => metric.name === name);
export const areaColumns = () => report.areas.columns.map(areaMetric).filter((i) => i >= 0);

/**
 * A score as [value, lo, hi] or [value], why there is none, or null where it is not defined for this time.
 * @param {{ scores: AreaScore[][] }} area
 * @param {number} metric
 * @param {TimeWindow} [time]
 */
export function areaScore(area, metric, time = state.window) {
  return area.scores[metric]?.[report.areas.times.indexOf(time)] ?? null;
}

/** @param {Area} area @param {number} metric @param {TimeWindow} [time] */
export const areaValue = (area, metric, time) => {
  const score = areaScore(area, metric, time);
  return Array.isArray(score) ? score[0] : null;
};

/**
 * Three figures at most: shares may be small, and hours long.
 * @param {number} value
 * @param {{ unit: string }} metric
 * @param {number} [beside] The number whose decimals it has.
 */
export function areaDigits(value, metric, beside = value) {
  if (metric.unit === "s") return value.toFixed(beside < 10 ? 2 : 1);
  if (metric.unit === "%") return value.toFixed(beside < 9.95 ? 1 : 0);
  return value.toFixed(beside < 9.995 ? 2 : 1);
}

/**
 * The ± beside a number of an area.
 * @param {number} value
 * @param {AreaMetric} metric
 * @param {Medium} medium
 */
export const areaPlusMinus = (value, metric, medium) => plusMinus(repeatability(metric.name, value, medium), (moves) => areaDigits(moves, metric, value));

/**
 * The area that speaks for a type, as mediaan/aoi/scoring/main_area.py tells it; undefined where there is none.
 * @param {Medium} medium
 * @param {string} type
 */
export function mainArea(medium, type) {
  const ofType = runAreas(medium).filter((area) => area.type === type);
  const drawn = ofType.filter((area) => area.confidence === undefined);
  const surest = Math.max(...ofType.map((area) => area.confidence ?? 0));
  const counted = drawn.length ? drawn : ofType.filter((area) => area.confidence >= surest / 2);
  const attention = areaMetric("attention");
  return counted.sort((a, b) => (areaValue(b, attention, "total") ?? 0) - (areaValue(a, attention, "total") ?? 0))[0];
}

/** @param {string} text */
export const oneLine = (text) => text.replace(/\s+/g, " ").trim();

/**
 * A label that the text begins with is only its first words: the whole text says more.
 * @param {Area} area
 */
function labelsText(area) {
  return Boolean(area.text) && oneLine(area.text).startsWith(oneLine(area.label.replace(/…$/, "")));
}

/**
 * What it is called in a list: its whole text where that says more than its label.
 * @param {Area} area
 */
export const areaHeading = (area) => (area.text && (area.type === "other" || labelsText(area)) ? oneLine(area.text) : areaName(area));

/** @param {Area} area @param {number} metric @param {TimeWindow} [time] */
function areaRange(area, metric, time = state.window) {
  const times = area.ranges?.[metric];
  return times ? rangeOf(times[report.areas.times.indexOf(time)]) : null;
}

/**
 * Under a number of an area: the category, its sentence at hand.
 * @param {Area} area
 * @param {number} i
 * @param {TimeWindow} [time]
 * @param {boolean} [words]
 */
export function areaChip(area, i, time = state.window, words = false) {
  const range = areaRange(area, i, time);
  if (range === null || range.category === undefined) return null;
  const chip = categoryChip(range, words);
  chip.title = areaWords(range, /** @type {number[]} */ (areaScore(area, i, time)), areaMetrics[i]);
  return chip;
}

/** @param {BenchmarkRange} range @param {number[]} score @param {AreaMetric} metric */
function areaWords(range, score, metric) {
  return range.sentence ?? `${metric.title}: ${areaDigits(score[0], metric)}${report.words.units[metric.unit] ?? ""}, ${rankWords(range)}.`;
}

/**
 * Sentences of an area that was chosen, and with what it was compared.
 * @param {Area} area
 */
export function areaStanding(area) {
  const compared = areaColumns().map((i) => ({ i, range: areaRange(area, i) })).filter(({ range }) => range?.category !== undefined);
  if (!compared.length) return null;
  const items = compared.map(({ i, range }) => element("li", {}, categoryChip(range), element("span", {}, areaWords(range, /** @type {number[]} */ (areaScore(area, i)), areaMetrics[i]))));
  const [{ range }] = compared;
  const population = `Compared with ${areaTitle.get(area.type).toLowerCase()} areas of ${populationWords(range)} (n\u00a0=\u00a0${range.n}). ${fallbackWords(range)} ${range.why ?? ""}`;
  return element("td", { role: "cell", className: "area-standing" }, element("ul", {}, ...items), element("p", { className: "fine" }, population.trim()));
}

/** @param {Area} area @param {number} i */
export function areaCell(area, i) {
  const metric = areaMetrics[i];
  const score = areaScore(area, i);
  const cell = element("td", { role: "cell" });
  if (score === null) cell.append(element("span", { className: "none", title: "Not defined for this time" }, "–"));
  else if (!Array.isArray(score)) cell.append(element("span", { className: "none", title: score }, "n/a"));
  else cell.append(element("b", {}, areaDigits(score[0], metric)), " ", element("span", { className: "plus-minus" }, areaPlusMinus(score[0], metric, openMedium())), areaChip(area, i) ?? "");
  return cell;
}
