// Where a score stands in its population: a strip of five categories, and the words beside it.

import { element } from "../core/dom.js";
import { formatValue, withFullStop } from "../core/format.js";
import { report } from "../core/report.js";
import { benchmarks, categoryChip, rankWords } from "./ranges.js";
import { repeatability } from "./repeatability.js";

const CLOSE_LABELS = 9; // % of a strip: numbers nearer to each other than this would touch
const LABEL_HALF = 14; // % of a strip that half the word above a bracket takes at most

/**
 * Ends of the axis: those of the metric; without an upper one, a little beyond what is shown.
 * @param {Metric} metric
 * @param {number} highest
 * @param {BenchmarkRange} range
 */
function stripEnds(metric, highest, range) {
  const [low, edges] = [metric.low ?? 0, range.edges];
  if (metric.high !== null && Number.isFinite(metric.high)) return [low, metric.high];
  return [low, Math.max(edges[3] + (edges[3] - edges[0]) / 2, highest, range.upper ?? 0)];
}

/**
 * @param {string} className
 * @param {number} from
 * @param {number} to
 * @param {{ [name: string]: unknown }} [properties]
 */
function stretch(className, from, to, properties = {}) {
  const part = element("i", { className, ...properties });
  part.style.left = `${from}%`;
  part.style.width = `${Math.max(0, to - from)}%`;
  return part;
}

/** @param {BenchmarkRange} range @param {(value: number) => number} at */
function bandParts(range, at) {
  const bounds = [0, ...range.edges.map(at), 100];
  return benchmarks.categories.map((title, i) => {
    const aimed = range.target.includes(title.toLowerCase().replace(" ", "_"));
    return stretch(`band band-${i}${aimed ? " target" : ""}`, bounds[i], bounds[i + 1], { title });
  });
}

/**
 * Numbers below the edges, those left out that would touch another.
 * @param {BenchmarkRange} range
 * @param {(value: number) => number} at
 * @param {(value: number) => string} show
 */
function stripScale(range, at, show) {
  const scale = element("span", { className: "strip-scale" });
  let last = -Infinity;
  for (const edge of range.edges) {
    if (at(edge) - last < CLOSE_LABELS) continue;
    last = at(edge);
    const label = element("span", {}, show(edge));
    label.style.left = `${last}%`;
    scale.append(label);
  }
  return scale;
}

/** @param {BenchmarkRange} range @param {(value: number) => number} at */
function recommendedBracket(range, at) {
  if (range.lower === null || range.upper === null) return null;
  const bracket = stretch("bracket", at(range.lower), at(range.upper));
  const middle = (at(range.lower) + at(range.upper)) / 2;
  bracket.append(element("span", { className: middle > 100 - LABEL_HALF ? "to-left" : middle < LABEL_HALF ? "to-right" : "" }, "target"));
  return bracket;
}

/**
 * The figure; its words are those of the sentence beside it.
 * @param {Metric} metric
 * @param {Score} score
 * @param {BenchmarkRange} range
 * @param {Medium} medium
 * @param {string} words
 * @param {(value: number) => string} show
 */
function normStrip(metric, score, range, medium, words, show) {
  const moves = repeatability(metric.name, score.value, medium);
  const [low, high] = stripEnds(metric, score.value + (moves ?? 0), range);
  const at = (value) => 100 * Math.min(Math.max((value - low) / (high - low), 0), 1);
  const bands = element("span", { className: "bands" }, ...bandParts(range, at));
  const needle = element("i", { className: "needle" });
  needle.style.left = `${at(score.value)}%`;
  const whisker = moves === null ? "" : stretch("whisker", at(score.value - moves), at(score.value + moves));
  const body = element("span", { className: "strip-body" }, recommendedBracket(range, at) ?? "", bands, whisker, needle);
  return element("div", { className: "norm-strip", role: "img", "aria-label": words }, body, stripScale(range, at, show));
}

/**
 * Strip, category, rank and sentences of one score.
 * @param {Metric} metric
 * @param {Score} score
 * @param {BenchmarkRange} range
 * @param {Medium} medium
 */
export function standingBlock(metric, score, range, medium) {
  if (range.reason && range.category === undefined) return element("p", { className: "fine not-compared" }, `Not compared: ${withFullStop(range.reason)}`);
  const show = (value) => formatValue(value, metric);
  const sentence = range.sentence ?? `${metric.title} is ${show(score.value)}${report.words.units[metric.unit] ?? ""}, ${rankWords(range)}. There is no target.`;
  const head = element("p", { className: "stand-line" }, categoryChip(range));
  const sentences = element("p", { className: "stand-words" }, sentence);
  return element("div", { className: "standing-block" }, normStrip(metric, score, range, medium, sentence, show), head, sentences, range.why ? element("p", { className: "fine" }, range.why) : null);
}
