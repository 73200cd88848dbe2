// Two to four media side by side: maps of one kind, scores on one axis, and which differences are significant.

import { areaDigits, areaMetric, areaMetrics, areaPlusMinus, areaScore, mainArea } from "../areas/scores.js";
import { MOST_CHOSEN, SIDES, sidesAddress } from "./picks.js";
import { correctFamilies, leanWords, subtract } from "./significance.js";
import { byId, element } from "../core/dom.js";
import { MINUS, clock, formatValue } from "../core/format.js";
import { imageOf } from "../core/images.js";
import { countWords, judged, report } from "../core/report.js";
import { state } from "../core/state.js";
import { thumbOf } from "../gallery/rows.js";
import { aimFor, driverList, driverScale } from "../scores/drivers.js";
import { categoryChip, scoreRange } from "../scores/ranges.js";
import { ruleResults } from "../scores/rules.js";
import { proxyBadge, scoreBar, scorePlusMinus } from "../scores/values.js";
import { SHEET, mapOrder, mapTitle } from "../viewer/maps.js";

const LETTERS = "ABCD";
const SIDE_DRIVERS = 3;
const WIDEST = { score: 100, "%": 100 }; // difference that there can be, by unit

/**
 * Media that an address names, without those that are not on the page; twice is once.
 * @param {string} address
 */
export function sidesOf(address) {
  const ids = new Set(address.slice(SIDES.length).split(/,|%2C/i));
  const indices = [...ids].map((id) => report.media.findIndex((medium) => medium.done && medium.id === id));
  return indices.filter((index) => index >= 0).slice(0, MOST_CHOSEN);
}

const sideMedia = () => state.sides.map((index) => report.media[index]);

/** @param {number[]} indices */
export function showSides(indices) {
  state.sides = indices;
  byId("sides-title").textContent = `${countWords(state.sides.length)} side by side`;
  const [scores, areas] = [scoreRows(), areaRowsOf()];
  const [headlines, detail] = correctFamilies([...scores, ...areas].flatMap(({ differences }) => differences), report.statistics.alpha);
  byId("sides-note").textContent = sidesWords(headlines, detail);
  byId("sides-table").style.setProperty("--sides", state.sides.length);
  byId("sides-table").querySelector("thead").replaceChildren(headRow());
  for (const body of byId("sides-table").querySelectorAll("tbody")) body.remove();
  byId("sides-table").append(...[rowGroup("Scores", scores.map(sideRow)), rowGroup("Areas: seen by", areas.map(sideRow)), foldedGroup("Main drivers", driverRows()), rowGroup("Details", factRows())].filter(Boolean));
  showSideMaps();
}

/** What all of the media are for; "any" where they differ, or nothing is stated. */
function sidesPurpose() {
  const [purpose, ...others] = new Set(sideMedia().map((medium) => medium.purpose ?? "any"));
  return others.length ? "any" : purpose;
}

/** Scores by which media are compared first, as far as there are any. */
function headlineScores() {
  const names = new Set(report.metrics.map(({ name }) => name));
  return report.headlines.scores[sidesPurpose()].map((name) => (names.has(name) ? name : report.headlines.stands_in[name] ?? name));
}

/** @param {number} headlines @param {number} detail */
function sidesWords(headlines, detail) {
  if (!headlines && !detail) return "This run was made without intervals: whether people would agree is not known.";
  const families = [[headlines, "headline comparisons"], [detail, "detail comparisons"]].filter(([n]) => n).map(([n, what]) => `${n} ${what}`);
  const leans = state.sides.length === 2 ? " Where it is not, the likelier side is given: people would agree in so many of 100 such pairs." : " Where it is not, treat the files as tied.";
  return `A difference is stated where it is very unlikely to be chance (90 % level, corrected for ${families.join(" and ")} on this page).${leans}`;
}

/** Scores that one of the media has. */
function scoreRows() {
  const headlines = headlineScores();
  const metrics = report.metrics.filter(({ name }) => sideMedia().some((medium) => medium.scores[name]?.value != null));
  return metrics.map((metric) => {
    const scores = sideMedia().map((medium) => medium.scores[metric.name] ?? null);
    const title = [element("a", { href: `#about-${metric.name}` }, metric.title), " ", proxyBadge(metric.name)];
    const show = (value) => formatValue(value, metric);
    const chips = sideMedia().map((medium) => scoreRange(medium, metric.name));
    return { title, scores: scores.map((score, i) => score ?? { value: null, reason: sideMedia()[i].moves ? "not computed" : "images have none" }), chips, metric, show, moves: (value, medium) => scorePlusMinus(value, metric, medium), unit: ["score", "count"].includes(metric.unit) ? "" : ` ${metric.unit}`, direction: aimFor(metric, { purpose: sidesPurpose() }).direction, differences: pairsOf(scores, { widest: WIDEST[metric.unit], fromMiddles: metric.unit === "score", headline: headlines.includes(metric.name) }) };
  });
}

/**
 * Types of areas that one of the media has: by how many viewers see the one that most see.
 * @returns {SideRow[]}
 */
function areaRowsOf() {
  const i = areaMetric("percentage_seen");
  const types = i < 0 ? [] : report.areas.types.filter(({ name }) => sideMedia().some((medium) => medium.areas.some((area) => area.type === name)));
  return types.map(({ name, title }) => {
    const scores = sideMedia().map((medium) => seenScore(mainArea(medium, name), i));
    const metric = { ...areaMetrics[i], low: 0, high: 100 };
    return { title: [title], scores, chips: [], metric, show: (value) => areaDigits(value, metric), moves: (value, medium) => element("span", { className: "plus-minus" }, areaPlusMinus(value, metric, medium)), unit: " %", direction: "higher", differences: pairsOf(scores, { factor: report.statistics.widened.percentage_seen, widest: WIDEST[metric.unit], headline: report.headlines.areas[sidesPurpose()].includes(name) }) };
  });
}

/** @param {Area | undefined} area @param {number} metric */
function seenScore(area, metric) {
  if (!area) return { value: null, reason: "none found" };
  const score = areaScore(area, metric, "total");
  if (!Array.isArray(score)) return { value: null, reason: score ?? "not computed" };
  const [value, lo = null, hi = null] = score;
  return { value, lo, hi };
}

/**
 * Differences of all pairs, each with the places of its two.
 * @param {any} scores
 * @param {{ factor?: number, widest?: number, fromMiddles?: boolean, headline: boolean }} options
 */
function pairsOf(scores, { factor = 1, widest, fromMiddles = false, headline }) {
  const pairs = scores.flatMap((_, i) => scores.slice(i + 1).map((__, j) => [i, i + 1 + j]));
  const complete = pairs.filter((pair) => pair.every((i) => scores[i]?.value != null));
  return complete.map(([i, j]) => ({ ...subtract(scores[i], scores[j], { z90: report.statistics.z90, factor, widest, fromMiddles }), pair: [i, j], headline }));
}

/** @param {SideRow} row */
function sideRow(row) {
  const cells = row.scores.map((score, i) => scoreCell(row, score, row.chips[i], sideMedia()[i]));
  return element("tr", {}, element("th", { scope: "row" }, ...row.title.filter(Boolean)), ...cells, element("td", { className: "significance" }, ...significanceWords(row)));
}

/** @param {SideRow} row @param {SideRow["scores"][number]} score @param {BenchmarkRange} range @param {Medium} medium */
function scoreCell({ metric, show, unit, moves }, score, range, medium) {
  if (score?.value == null) return element("td", {}, element("span", { className: "none" }, score?.reason ?? "not computed"));
  return element("td", {}, element("b", {}, show(score.value)), " ", moves(score.value, medium), unit, scoreBar(score.value, metric, medium), range?.category === undefined ? null : categoryChip(range));
}

/**
 * Of two media the difference, and who is probably higher; of more, who is above whom.
 * @param {SideRow} row
 */
function significanceWords({ differences, show, unit, direction }) {
  if (!differences.length) return ["–"];
  if (differences.every(({ p }) => p === null)) return ["–"];
  if (state.sides.length === 2) return differenceWords(differences[0], show, unit, direction);
  const proven = differences.filter((difference) => difference.proven).map(({ value, pair }) => (value > 0 ? pair : [...pair].reverse()));
  if (!proven.length) return ["tied"];
  return [element("strong", {}, proven.map(([high, low]) => `${LETTERS[high]} > ${LETTERS[low]}`).join(", ")), element("span", { className: "sub" }, proven.length < differences.length ? "others tied" : "")];
}

/** @param {any} difference @param {(value: number) => string} show @param {string} unit @param {Direction} direction */
function differenceWords(difference, show, unit, direction) {
  const { value, proven } = difference;
  const sign = (number) => `${number < 0 ? MINUS : "+"}${show(Math.abs(number))}`;
  const words = proven ? `${value > 0 ? "A" : "B"} is higher` : leanWords(difference.probability, direction, report.statistics.lean);
  return [element("strong", {}, words), element("span", { className: "sub" }, `A ${MINUS} B ${sign(value)}${unit}`)];
}

function driverRows() {
  const scale = Math.max(...sideMedia().map(driverScale));
  const metrics = report.metrics.filter(({ name }) => sideMedia().some((medium) => medium.scores[name]?.drivers.length));
  return metrics.map((metric) => {
    const cells = sideMedia().map((medium) => {
      const drivers = medium.scores[metric.name]?.drivers.slice(0, SIDE_DRIVERS) ?? [];
      return element("td", {}, drivers.length ? driverList(metric, { drivers }, scale) : "–");
    });
    return element("tr", {}, element("th", { scope: "row" }, metric.title), ...cells, element("td"));
  });
}

function factRows() {
  /** @type {[string, (medium: Medium, index: number) => string | null][]} */
  const facts = [
    ["Verdict", (medium) => (judged ? report.words.verdicts[medium.verdict] : null)],
    ["Objective", (medium) => medium.objective],
    ["Rules failed", (_, index) => ruleResults(index).filter(({ status }) => status === "failed").map(({ rule }) => rule.name).join("; ")],
    ["Notes", (medium) => medium.notes.map(({ message }) => message).join(" ")],
    ["Size", (medium) => [medium.moves ? clock(medium.duration_s) : null, `${medium.width} × ${medium.height} px`].filter(Boolean).join(", ")],
  ];
  const rows = facts.map(([title, words]) => ({ title, cells: state.sides.map((index) => words(report.media[index], index)) }));
  const stated = rows.filter(({ cells }) => cells.some(Boolean));
  return stated.map(({ title, cells }) => element("tr", {}, element("th", { scope: "row" }, title), ...cells.map((words) => element("td", {}, words || "–")), element("td")));
}

/** @param {string} title @param {any} made */
function rowGroup(title, made) {
  if (!made.length) return null;
  const head = element("th", { scope: "rowgroup", colSpan: state.sides.length + 2 }, element("span", {}, title));
  return element("tbody", {}, element("tr", { className: "group" }, head), ...made);
}

/**
 * A group whose rows are folded until they are wanted.
 * @param {string} title
 * @param {any} made
 */
function foldedGroup(title, made) {
  const body = rowGroup(title, made);
  if (body === null) return null;
  const button = element("button", { type: "button", className: "group-fold", "aria-expanded": "false" }, title);
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") === "false";
    button.setAttribute("aria-expanded", String(open));
    for (const row of made) row.hidden = !open;
  });
  body.querySelector(".group span").replaceChildren(button);
  for (const row of made) row.hidden = true;
  return body;
}

function headRow() {
  const cells = state.sides.map((index, i) => {
    const medium = report.media[index];
    const out = element("button", { type: "button", className: "quiet", "aria-label": `Remove ${medium.name}`, title: "Remove", hidden: state.sides.length <= 2 }, "×");
    out.addEventListener("click", () => { location.hash = sidesAddress(state.sides.filter((other) => other !== index)); });
    const name = element("span", { className: "side-name" }, element("b", { className: "letter" }, LETTERS[i]), " ", element("a", { href: `#${medium.id}` }, medium.name), out);
    return element("th", { scope: "col" }, element("span", { className: "frame" }, element("img", { alt: "" })), name);
  });
  const last = state.sides.length === 2 ? "Which is higher" : "Which are higher";
  return element("tr", {}, element("td"), ...cells, element("th", { scope: "col", className: "significance" }, last));
}

/** Kinds of images that one of the media has; which are shown is one choice for all. */
function showSideMaps() {
  const names = [...new Set(sideMedia().flatMap((medium) => Object.keys(medium.maps)))].filter((name) => name !== SHEET);
  names.sort((a, b) => mapOrder(a) - mapOrder(b));
  if (!names.includes(state.sidesMap)) state.sidesMap = names.includes("heat") ? "heat" : (names[0] ?? null);
  byId("sides-maps").hidden = names.length === 0;
  byId("sides-maps").replaceChildren(...names.map(sideMapButton));
  showSidePictures();
}

/** @param {string} name */
function sideMapButton(name) {
  const button = element("button", { type: "button" }, mapTitle(name));
  button.dataset.map = name;
  button.addEventListener("click", () => { state.sidesMap = name; showSidePictures(); });
  return button;
}

function showSidePictures() {
  for (const button of byId("sides-maps").children) button.setAttribute("aria-pressed", String(button.dataset.map === state.sidesMap));
  const pictures = byId("sides-table").querySelectorAll("thead img");
  state.sides.forEach((index, i) => {
    const source = (state.sidesMap && imageOf(report.media[index], state.sidesMap)) ?? thumbOf(index);
    pictures[i].hidden = !source;
    if (source) pictures[i].src = source;
    pictures[i].alt = source ? `${state.sidesMap ? mapTitle(state.sidesMap) : "Picture"} of ${report.media[index].name}` : "";
  });
}
