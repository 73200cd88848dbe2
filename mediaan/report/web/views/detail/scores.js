// Scores of a medium: one row each, which opens to its range, drivers and place in the run.

import { byId, element, query } from "../core/dom.js";
import { formatValue, signed, unbroken, withFullStop } from "../core/format.js";
import { report } from "../core/report.js";
import { aimFor, aimWords, driverList, driverScale } from "../scores/drivers.js";
import { benchmarks, categoryChip, fallbackWords, populationWords, rankWords, scoreRange } from "../scores/ranges.js";
import { standingBlock } from "../scores/strip.js";
import { aboutLink, agreementWords, proxyBadge, scoreBar, scorePlusMinus } from "../scores/values.js";

const opened = new Set(); // metrics whose rows stay open from medium to medium

/**
 * Scores with the same benchmark, or the same reason for having none, as [range, titles, counts].
 * @param {Medium} medium
 */
function comparedGroups(medium) {
  const groups = new Map();
  for (const metric of report.metrics) {
    const range = scoreRange(medium, metric.name);
    if (range === null) continue;
    const key = range.category === undefined ? range.reason : [range.norm_set, range.segment, range.fallback].join("\n");
    if (!groups.has(key)) groups.set(key, { range, titles: [], counts: [] });
    groups.get(key).titles.push(metric.title);
    if (range.category !== undefined) groups.get(key).counts.push(range.n);
  }
  return [...groups.values()];
}

/** @param {any} options @param {boolean} alone */
function comparedLine({ range, titles, counts }, alone) {
  if (range.category === undefined) return element("p", {}, `${alone ? "Not" : `${titles.join(", ")}: not`} compared: ${withFullStop(range.reason)}`);
  const [few, many] = [Math.min(...counts), Math.max(...counts)];
  const n = few === many ? `${few}` : `${few} to ${many}`;
  const whose = alone || titles.length > report.metrics.length / 2 ? "" : `${titles.join(", ")}: `;
  return element("p", {}, `${whose}Benchmark: `, element("strong", {}, populationWords(range)), ` (${n}\u00a0files). ${fallbackWords(range)}`);
}

/** @param {NonNullable<Score["standing"]>} standing @param {Metric} metric @param {Medium} medium */
function standingWords(standing, metric, medium) {
  const aim = aimWords(metric, medium);
  if (standing.of === 1) return `${aim.charAt(0).toUpperCase()}${aim.slice(1)}.`;
  const range = standing.first < standing.last ? ` (${standing.first}–${standing.last})` : "";
  const best = metric.direction !== "middle" && metric.direction === aimFor(metric, medium).direction;
  const from = best ? "" : `, counted from the ${metric.direction === "lower" ? "lowest" : "highest"}`;
  return `Rank ${standing.rank}${range} of ${standing.of} in this run${from}; ${aim}.`;
}

/**
 * The row as it lies folded: name, value and ±, category, place in the benchmark, what drove it most.
 * @param {Metric} metric
 * @param {Score} score
 * @param {BenchmarkRange} range
 * @param {Medium} medium
 */
function scoreSummary(metric, score, range, medium) {
  const name = element("span", { className: "score-title" }, metric.title, " ", proxyBadge(metric.name));
  if (score.value === null) return element("summary", {}, name, element("span", { className: "no-value" }, `No value: ${score.reason ?? "not computed"}.`));
  const unit = ["score", "count"].includes(metric.unit) ? "" : ` ${metric.unit}`;
  const value = element("span", { className: "value" }, element("b", {}, formatValue(score.value, metric)), " ", scorePlusMinus(score.value, metric, medium), unit);
  const compared = range !== null && range.category !== undefined;
  const [points, text] = score.drivers[0] ?? [];
  const driver = element("span", { className: "score-driver", title: text ?? "" }, ...(text ? [element("b", {}, signed(points)), ` ${unbroken(text.split(":")[0])}`] : []));
  return element("summary", {}, name, value, element("span", { className: "score-place" }, compared ? categoryChip(range) : null, compared ? element("span", { className: "percentile" }, rankWords(range, aimFor(metric, medium).direction === "higher")) : null), driver);
}

/** @param {Metric} metric @param {Score} score @param {Medium} medium @param {boolean} reasonStated */
function scoreRow(metric, score, medium, reasonStated) {
  const range = scoreRange(medium, metric.name);
  const row = element("details", { className: "score-row", open: opened.has(metric.name) }, scoreSummary(metric, score, range, medium));
  row.dataset.metric = metric.name;
  row.addEventListener("toggle", () => opened[row.open ? "add" : "delete"](metric.name));
  const body = element("div", { className: "score-body" }, element("p", { className: "fine" }, aboutLink(metric), `: ${metric.caption} ${agreementWords(metric, medium)}`));
  if (score.value !== null) {
    if (range && !reasonStated) body.append(standingBlock(metric, score, range, medium));
    const rank = score.standing ? element("p", { className: "standing" }, standingWords(score.standing, metric, medium)) : null;
    body.append(...[driverList(metric, score, driverScale(medium)), distribution(metric, score, medium), rank].filter(Boolean));
  }
  row.append(body);
  return row;
}

/**
 * The run's histogram with this medium's value and its ± marked.
 * @param {Metric} metric
 * @param {Score} score
 * @param {Medium} medium
 */
function distribution(metric, score, medium) {
  const figure = query(`#cards [data-metric="${CSS.escape(metric.name)}"] .histogram`).cloneNode(true);
  const marker = scoreBar(score.value, metric, medium);
  marker.classList.replace("bar", "marker");
  const label = `${metric.title} of the ${metric.n} files of this run; this one is marked`;
  const ends = element("span", { className: "ends" }, element("span", {}, `${metric.low}`), element("span", {}, `${metric.high}`));
  return element("div", { className: "distribution", role: "img", "aria-label": label }, element("div", { className: "plot" }, figure, marker), ends);
}

/** @param {Medium} medium */
function showRemarks(medium) {
  byId("remarks").hidden = medium.remarks.length === 0;
  const items = medium.remarks.map((remark) => element("li", { className: remark.kind }, remark.sentence));
  byId("remarks").querySelector("ul").replaceChildren(...items);
}

/** @param {Medium} medium */
export function showScores(medium) {
  const groups = benchmarks === null ? [] : comparedGroups(medium);
  const reasonStated = groups.length === 1 && groups[0].range.category === undefined;
  const metrics = report.metrics.filter((metric) => medium.scores[metric.name]);
  byId("scores-and-why").hidden = metrics.length === 0;
  byId("scores-line").textContent = metrics.filter(({ name }) => !/_two$/.test(name) && medium.scores[name].value !== null).map((metric) => `${metric.title} ${formatValue(medium.scores[metric.name].value, metric)}`).join(" · ");
  byId("detail-scores").replaceChildren(...metrics.map((metric) => scoreRow(metric, medium.scores[metric.name], medium, reasonStated)));
  byId("compared").hidden = groups.length === 0;
  byId("compared").replaceChildren(...groups.map((group) => comparedLine(group, groups.length === 1)));
  showRemarks(medium);
}
