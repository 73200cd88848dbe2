// Benchmark ranges: unpacked, as chips, in words.

import { element } from "../core/dom.js";
import { percentWords, withFullStop } from "../core/format.js";
import { report } from "../core/report.js";
import { state } from "../core/state.js";

export const benchmarks = report.benchmarks; // null where nothing was compared

/**
 * A range as the page's data packs it; with `reason` alone where there is none, null where nothing is known.
 * @param {PackedRange | number | null | undefined} packed
 * @returns {BenchmarkRange | null}
 */
export function rangeOf(packed) {
  if (packed == null) return null;
  if (!Array.isArray(packed)) return /** @type {any} */ ({ reason: benchmarks.reasons[packed] });
  const [population, , sentence, number, percentile] = packed;
  const text = sentence < 0 ? null : benchmarks.sentences[sentence].split("\t").join(number);
  const [norm, why, fallback] = benchmarks.populations[population];
  const texts = { why: benchmarks.texts[why], fallback: benchmarks.texts[fallback] };
  return { ...benchmarks.norms[norm], ...texts, sentence: text, percentile, ...placesIn(packed) };
}

/**
 * Places of the category and of the position: the digits of a code, 0 where unknown.
 * @param {PackedRange} packed
 */
export function placesIn([, code]) {
  const [category, position] = [Math.floor(code / 10), code % 10].map((place) => (place > 0 ? place - 1 : null));
  return { category, position };
}

/**
 * The packed range of a medium's score at the time that the page shows of it.
 * @param {Medium} medium
 * @param {string} name
 */
export function packedRange(medium, name) {
  return medium.ranges[name]?.[medium.scores[name]?.time];
}

/** @param {Medium} medium @param {string} name */
export const scoreRange = (medium, name) => rangeOf(packedRange(medium, name));

/** @param {number} index */
export function percentileOf(index) {
  const packed = packedRange(report.media[index], state.list.metric);
  return Array.isArray(packed) ? packed[4] : null;
}

/**
 * Which part of which population, in words.
 * @param {BenchmarkRange} range
 */
export function populationWords(range) {
  const title = benchmarks.titles[range.norm_set] ?? range.norm_set;
  if (range.segment === "all") return title;
  return `${title}, ${partWords(range.segment)}`;
}

/**
 * `industry=beauty_personal_care`, also within a sentence, as people say it.
 * @param {string} text
 */
function partWords(text) {
  return text.replace(/(\w+)=(\w+)/g, (_, key, value) => `${key}: ${value.replaceAll("_", " ")}`);
}

/**
 * Why it is not another part of the population; empty where there is nothing to explain.
 * @param {BenchmarkRange} range
 */
export function fallbackWords({ fallback }) {
  return fallback ? partWords(withFullStop(fallback[0].toUpperCase() + fallback.slice(1))) : "";
}

/**
 * A position in the benchmark; it "beats" others only where more is better.
 * @param {BenchmarkRange} range
 * @param {boolean} [higherIsBetter]
 */
export const rankWords = (range, higherIsBetter = false) => {
  const noun = benchmarks.nouns[range.norm_set];
  return `${higherIsBetter ? "beats" : "higher than"} ${percentWords(range.percentile)} of ${range.n}${noun ? ` ${noun}` : ""}`;
};

/** @param {number | null} position */
export const positionClass = (position) => (position === null ? "" : benchmarks.positions[position].replace(" ", "_"));

/**
 * Five cells of which one is lit, the category, and a sign of where it stands to what is recommended.
 * @param {BenchmarkRange} range
 * @param {boolean} [words]
 */
export function categoryChip(range, words = true) {
  const name = benchmarks.categories[range.category];
  const aim = range.position === null ? null : element("span", { className: "hidden" }, `, ${benchmarks.positions[range.position]} the target range`);
  const chip = element("span", { className: `stand c${range.category} ${positionClass(range.position)}` }, words ? name : element("span", { className: "hidden" }, name), aim);
  return chip;
}

/**
 * A sign of where a score stands to its target range; null where it has none.
 * @param {BenchmarkRange | null} range
 */
export function targetMark(range) {
  if (range?.category === undefined || range.position === null) return null;
  const place = positionClass(range.position);
  return element("span", { className: `target-mark ${place}` }, element("span", { "aria-hidden": "true" }, report.words.target_signs[place]), element("span", { className: "hidden" }, `${benchmarks.positions[range.position]} the target range`));
}

/**
 * Columns that the exported table has for each score, where the run was compared with a population.
 * @param {Medium} medium
 * @param {string} name
 */
export function standingCells(medium, name) {
  if (benchmarks === null) return [];
  const range = scoreRange(medium, name);
  if (range === null || range.category === undefined) return [null, null, null];
  return [range.percentile, positionClass(range.position) || null, benchmarks.categories[range.category].toLowerCase().replace(" ", "_")];
}

/** @param {string} name */
export const standingHeads = (name) => (benchmarks === null ? [] : [`${name}_percentile`, `${name}_position`, `${name}_category`]);
