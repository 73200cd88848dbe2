// Scores of a medium: a panel each.

import { byId, element } from "../core/dom.js";
import { formatValue } from "../core/format.js";
import { report } from "../core/report.js";
import { comparedGroups, showCompared } from "./score_overview.js";
import { aimFor, aimWords, driverList, driverScale } from "../scores/drivers.js";
import { scoreRange } from "../scores/ranges.js";
import { standingBlock } from "../scores/strip.js";
import { aboutLink, scoreBar } from "../scores/values.js";

function standingWords(standing, metric, medium) {
  const aim = aimWords(metric, medium);
  if (standing.of === 1) return `${aim.charAt(0).toUpperCase()}${aim.slice(1)}.`;
  const range = standing.first < standing.last ? ` (${standing.first}–${standing.last})` : "";
  const best = metric.direction !== "middle" && metric.direction === aimFor(metric, medium).direction;
  const from = best ? "" : ` from the ${metric.direction === "lower" ? "lowest" : "highest"}`;
  return `Rank ${standing.rank}${range} of ${standing.of}${from}; ${aim}.`;
}

function scorePanel(metric, score, medium) {
  const head = element("h4", {}, aboutLink(metric), " ", element("span", { className: `badge ${score.basis}` }, score.basis));
  const panel = element("section", { className: "score-panel" });
  panel.dataset.metric = metric.name;
  if (score.value === null) {
    panel.append(head, element("p", { className: "no-value" }, `No value: ${score.reason ?? "not computed"}.`), element("p", { className: "fine" }, metric.caption));
  } else {
    const range = scoreRange(medium, metric.name);
    panel.append(element("header", {}, head, scoreValue(metric, score)), element("p", { className: "fine" }, metric.caption));
    if (range && !saidOnce(medium)) panel.append(standingBlock(metric, score, range));
    panel.append(...[driverList(metric, score, driverScale(medium)), besideRun(metric, score, medium, range)].filter(Boolean));
  }
  return panel;
}

/** Why nothing was compared, where it is the same for all scores, stands above them. */
function saidOnce(medium) {
  const groups = comparedGroups(medium);
  return groups.length === 1 && groups[0].range.category === undefined;
}

function scoreValue(metric, score) {
  const interval = score.lo === null ? "" : `${formatValue(score.lo, metric)}–${formatValue(score.hi, metric)}`;
  const words = ["score", "count"].includes(metric.unit) ? interval : `${interval} ${metric.unit}`;
  return element("p", { className: "value" }, element("b", {}, formatValue(score.value, metric)), " ", element("span", { className: "interval" }, words));
}

/** Histogram and rank; folded where a population already says where the score stands. */
function besideRun(metric, score, medium, range) {
  const rank = score.standing ? element("p", { className: "standing" }, standingWords(score.standing, metric, medium)) : null;
  const folded = range !== null && range.category !== undefined;
  if (!folded) return element("div", { className: "beside-run" }, distribution(metric, score), rank);
  return element("details", { className: "beside-run" }, element("summary", {}, "Beside the other media of this run"), distribution(metric, score), rank);
}

/** The run's histogram with this medium's value and interval marked. */
function distribution(metric, score) {
  const figure = document.querySelector(`#cards [data-metric="${CSS.escape(metric.name)}"] .histogram`).cloneNode(true);
  const marker = scoreBar(score, metric);
  marker.classList.replace("bar", "marker");
  const label = `${metric.title} among ${metric.n} media; this medium is marked`;
  const ends = element("span", { className: "ends" }, element("span", {}, `${metric.low}`), element("span", {}, `${metric.high}`));
  return element("div", { className: "distribution", role: "img", "aria-label": label }, element("div", { className: "plot" }, figure, marker), ends);
}

export function showScores(medium) {
  const panels = report.metrics.filter((metric) => medium.scores[metric.name]).map((metric) => scorePanel(metric, medium.scores[metric.name], medium));
  byId("why-note").hidden = !Object.values(medium.scores).some((score) => score.drivers.length);
  byId("detail-scores").replaceChildren(...panels);
  showCompared(medium);
}
