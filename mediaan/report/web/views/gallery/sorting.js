// What the list can be sorted by, and in which order.

import { collator, judged, metricOf, report } from "../core/report.js";
import { state } from "../core/state.js";
import { benchmarks, percentileOf } from "../scores/ranges.js";
import { firstSign, valueOf } from "../scores/values.js";

const ALPHABETIC = { first: "A–Z", last: "Z–A" };
/** @param {number} index */
const nameOf = (index) => report.media[index].name;

/**
 * Compare two values, the larger one last (sign 1) or first (-1); those that are missing last.
 * @param {any} a
 * @param {any} b
 * @param {number} sign
 */
function compare(a, b, sign) {
  const [none, other] = [a, b].map((value) => value === null || value === undefined);
  if (none || other) return Number(none) - Number(other);
  return sign * (typeof a === "string" ? collator.compare(a, b) : a - b);
}

/** @param {"brand" | "purpose" | "platform" | "moves" | "name"} name */
const byFact = (name) => (a, b, sign) => compare(report.media[a][name], report.media[b][name], sign);

/** What is no score: its title, the words of both orders, and how two media compare. */
const FACTS = {
  verdict: { title: "Verdict", orders: { first: "Needs attention first", last: "Works first" }, compare: byUrgency },
  brand: { title: "Brand", orders: ALPHABETIC, compare: byFact("brand") },
  purpose: { title: "Purpose", orders: ALPHABETIC, compare: byFact("purpose") },
  platform: { title: "Platform", orders: ALPHABETIC, compare: byFact("platform") },
  kind: { title: "Type", orders: { first: "Images first", last: "Videos first" }, compare: byFact("moves") },
  name: { title: "Name", orders: ALPHABETIC, compare: byFact("name") },
};

/**
 * By verdict, then by checks; those without a verdict come last in both orders.
 * @param {number} a
 * @param {number} b
 * @param {number} sign
 */
function byUrgency(a, b, sign) {
  const place = ({ verdict, urgency }) => (verdict === "unknown" ? null : urgency);
  return compare(place(report.media[a]), place(report.media[b]), sign);
}

/** @param {number} a @param {number} b */
function byScore(a, b) {
  const { order } = state.list;
  if (order.startsWith("percentile")) return compare(percentileOf(a), percentileOf(b), order === "percentile" ? -1 : 1);
  return compare(valueOf(a), valueOf(b), firstSign() * (order === "last" ? 1 : -1));
}

/** Facts that differ between the media of this page, in the order in which they are offered. */
export function sortableFacts() {
  const done = report.media.filter((medium) => medium.done);
  const differs = (name) => name === "name" || (name === "verdict" && judged) || new Set(done.map((medium) => medium[name === "kind" ? "moves" : name])).size > 1;
  return Object.entries(FACTS).filter(([name]) => differs(name)).map(([name, { title }]) => [name, title]);
}

/** @param {string} name */
export const isSortable = (name) => Object.hasOwn(FACTS, name) || metricOf.has(name);
export const sortsByScore = () => metricOf.has(state.list.sort);

/**
 * The orders of a fact or score, by name, in words.
 * @param {string} name
 */
export function ordersOf(name) {
  if (Object.hasOwn(FACTS, name)) return FACTS[name].orders;
  const orders = metricOf.get(name)?.direction === "middle" ? { first: "Highest first", last: "Lowest first" } : { first: "Best first", last: "Worst first" };
  return benchmarks === null ? orders : { ...orders, percentile: "Highest percentile first", "percentile-last": "Lowest percentile first" };
}

/**
 * Compare two media as the list is sorted; files that failed come last, and what is equal is sorted by name.
 * @param {number} a
 * @param {number} b
 */
export function compareMedia(a, b) {
  const failed = Number(report.media[b].done) - Number(report.media[a].done);
  if (failed) return failed;
  const { sort, order } = state.list;
  const chosen = sort in FACTS ? FACTS[sort].compare(a, b, order === "last" ? -1 : 1) : byScore(a, b);
  return chosen || (sort in FACTS && sort !== "verdict" ? byUrgency(a, b, 1) : 0) || collator.compare(nameOf(a), nameOf(b));
}

/** Whether the chosen order is falling: of a score the largest first, of a text from Z to A. */
export function isFalling() {
  const { sort, order } = state.list;
  if (sort in FACTS) return order === "last";
  return order.startsWith("percentile") ? order === "percentile" : (order === "first") === (firstSign() > 0);
}
