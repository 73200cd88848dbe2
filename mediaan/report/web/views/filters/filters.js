// Filters: which media fit those that are set.

import { report, runAreas } from "../core/report.js";
import { LIST_DEFAULTS, state } from "../core/state.js";
import { aimFor } from "../scores/drivers.js";
import { packedRange, placesIn, positionClass } from "../scores/ranges.js";
import { ruleResults } from "../scores/rules.js";
import { valueOf } from "../scores/values.js";

const MIN_POINTS = 0.5; // points: less says nothing
const UNKNOWN = "unknown";
/** @param {string} path */
export const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/**
 * Whether a push of a driver takes a score away from what is good for the medium.
 * @param {Driver} driver
 * @param {Metric} metric
 * @param {Medium} medium
 */
function holdsBack([points], metric, medium) {
  const sign = { higher: -1, lower: 1, middle: 0 }[aimFor(metric, medium).direction];
  return points * sign > MIN_POINTS;
}

/**
 * What holds a medium back, in words such as `much clutter`; in one score or in all.
 * @param {Medium} medium
 * @param {string | null} [only]
 */
export function reasonsOf(medium, only = null) {
  const metrics = report.metrics.filter((metric) => medium.scores[metric.name] && (only === null || metric.name === only));
  const weaknesses = metrics.flatMap((metric) => medium.scores[metric.name].drivers.filter((driver) => holdsBack(driver, metric, medium)));
  return new Set(weaknesses.map(([, text]) => text.split(":")[0]));
}

/**
 * A reason is looked for in any score, as `much clutter`, or in one, as `clarity:much clutter`.
 * @param {Medium} medium
 * @param {string} wanted
 */
function hasReason(medium, wanted) {
  const [words, only = null] = wanted.split(":").reverse();
  return reasonsOf(medium, only).has(words);
}

/** @param {Medium} medium */
function fitsArea(medium) {
  const absent = state.list.area.startsWith("no-");
  const type = absent ? state.list.area.slice(3) : state.list.area;
  return medium.done && runAreas(medium).some((area) => area.type === type) !== absent;
}

/** @param {number} index */
function fitsStanding(index) {
  const packed = packedRange(report.media[index], state.list.metric);
  if (state.list.against === UNKNOWN) return !Array.isArray(packed) && report.media[index].done;
  if (!Array.isArray(packed)) return false;
  const places = placesIn(packed);
  return state.list.against === `c${places.category}` || state.list.against === positionClass(places.position);
}

/** @param {number} index */
function fitsRules(index) {
  const results = ruleResults(index);
  if (state.list.rules === "passed") return results.length > 0 && results.every(({ status }) => status === "passed");
  if (["failed", "warned", "skipped"].includes(state.list.rules)) return results.some(({ look }) => look === state.list.rules);
  return results.some(({ place, status }) => `${place}` === state.list.rules && status === "failed");
}

const FITS = {
  text: (medium) => [...medium.paths, medium.name, medium.brand, medium.platform, medium.objective].some((words) => words?.toLowerCase().includes(state.list.text.toLowerCase())),
  status: (medium) => ({ done: medium.done, failed: !medium.done, noted: medium.notes.length > 0, unlike: medium.unlike !== null })[state.list.status] ?? true,
  kind: (medium) => medium.done && medium.moves === (state.list.kind === "videos"),
  purpose: (medium) => (state.list.purpose === "none" ? !medium.objective : [medium.purpose, medium.objective].includes(state.list.purpose)),
  brand: (medium) => medium.brand === state.list.brand,
  platform: (medium) => medium.platform === state.list.platform,
  domain: (medium) => medium.domain === state.list.domain,
  folder: (medium) => medium.paths.some((path) => `${folderOf(path)}/`.startsWith(`${state.list.folder}/`)),
  area: fitsArea,
  against: (_, index) => fitsStanding(index),
  rules: (_, index) => fitsRules(index),
  why: (medium) => hasReason(medium, state.list.why),
  from: (_, index) => valueOf(index) !== null && valueOf(index) >= state.list.from,
  to: (_, index) => valueOf(index) !== null && valueOf(index) <= state.list.to,
  verdict: (medium) => medium.done && medium.verdict === state.list.verdict,
  reason: (medium) => medium.reasons.includes(state.list.reason),
};

export const activeFilters = () => Object.keys(FITS).filter((name) => state.list[name] !== LIST_DEFAULTS[name]);
/** @param {number} index */
export const fitsFilters = (index) => activeFilters().every((name) => FITS[name](report.media[index], index));
/**
 * How many media one filter alone lets through when it is set to a value.
 * @param {string} name
 * @param {number} value
 */
export function countFitting(name, value) {
  const before = state.list[name];
  state.list[name] = value;
  const fitting = report.media.filter((medium, index) => FITS[name](medium, index)).length;
  state.list[name] = before;
  return fitting;
}

export const noFilters = () => Object.fromEntries(Object.keys(FITS).map((name) => [name, LIST_DEFAULTS[name]]));
