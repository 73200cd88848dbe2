// All scores of a medium at a glance, and with what they were compared.

import { byId, element } from "../core/dom.js";
import { formatValue, withFullStop } from "../core/format.js";
import { report } from "../core/report.js";
import { benchmarks, categoryChip, fallbackWords, populationWords, reachWords, scoreRange } from "../scores/ranges.js";
import { proxyBadge } from "../scores/values.js";

/** Scores that share a population are named together; where all do, none is. */
export function comparedGroups(medium) {
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

function comparedLine({ range, titles, counts }, alone) {
  const whose = alone ? "" : `${titles.join(", ")}: `;
  if (range.category === undefined) return element("p", {}, `${whose}${alone ? "Not" : "not"} compared: ${withFullStop(range.reason)}`);
  const [few, many] = [Math.min(...counts), Math.max(...counts)];
  const n = few === many ? `${few}` : `${few} to ${many}`;
  return element("p", {}, whose || "Compared with ", element("strong", {}, populationWords(range)), ` (n\u00a0=\u00a0${n}). ${fallbackWords(range)}`);
}

export function showCompared(medium) {
  const groups = benchmarks === null ? [] : comparedGroups(medium);
  showScoreOverview(medium);
  byId("compared").hidden = groups.length === 0;
  byId("compared-lines").replaceChildren(...groups.map((group) => comparedLine(group, groups.length === 1)));
}

/** One tile for each score that was compared: it leads to the score. */
function scoreTile(metric, score, range) {
  const interval = score.lo === null ? null : element("span", { className: "interval" }, `${formatValue(score.lo, metric)}–${formatValue(score.hi, metric)}`);
  const value = element("span", { className: "score-overview-value" }, element("b", {}, formatValue(score.value, metric)), interval);
  const reach = reachWords(range, score);
  const tile = element("button", { type: "button", title: range.sentence ?? "" }, element("span", { className: "score-overview-title" }, metric.title, " ", proxyBadge(metric.name)), value, categoryChip(range), reach ? element("span", { className: "reach" }, reach) : null);
  tile.addEventListener("click", () => {
    const panel = document.querySelector(`#detail-scores [data-metric="${CSS.escape(metric.name)}"]`);
    panel.scrollIntoView({ block: "center" });
    panel.querySelector("a.about").focus({ preventScroll: true });
  });
  return tile;
}

function showScoreOverview(medium) {
  const found = report.metrics.map((metric) => [metric, medium.scores[metric.name], scoreRange(medium, metric.name)]);
  const compared = found.filter(([, score, range]) => score?.value != null && range?.category !== undefined);
  byId("score-overview").hidden = byId("score-overview-key").hidden = compared.length === 0;
  byId("score-overview").replaceChildren(...compared.map((parts) => scoreTile(...parts)));
}
