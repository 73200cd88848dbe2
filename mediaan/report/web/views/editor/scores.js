// Scores of edited areas, computed in this page where it holds the densities of the image.

import { showAreas } from "../areas/areas.js";
import { areaColumns, areaDigits, areaMetric, areaMetrics, areaPlusMinus, areaScore, areaTitle } from "../areas/scores.js";
import { areaScorer, unpackDensities } from "../areas/scoring.js";
import { byId, element } from "../core/dom.js";
import { embeddedText } from "../core/images.js";
import { report, runAreas, served } from "../core/report.js";
import { listen, notify, openMedium, state } from "../core/state.js";
import { WINDOW_TITLES } from "../detail/time_window.js";
import { changedDraft, drafts } from "./drafts.js";
import { chosenItem } from "./session.js";

const SAID_AFTER_MS = 800; // without another change
const UNITS = { ratio: "times the average", s: "s", "%": "%" };

const scorers = new Map(); // by medium id
const scored = new WeakMap(); // by item: its scores
let [saying, said] = [null, null]; // timer, and what was told last

const canUnpack = () => typeof DecompressionStream === "function";
/** @param {Medium} medium */
const canScore = (medium) => medium.scoring === "here" && canUnpack();

/**
 * Unpack the densities of a medium, once; whoever shows its draft is then told.
 * @param {Medium} medium
 */
export async function loadScorer(medium) {
  if (!canScore(medium) || scorers.has(medium.id)) return;
  const densities = await unpackDensities(JSON.parse(embeddedText("densities", medium)));
  scorers.set(medium.id, areaScorer(densities, report.areas.scoring, report.areas.times));
  if (state.editor.draft?.medium === medium) notify("draft");
}

/**
 * Scores as the page's data hold them: by metric and time window, to three decimals.
 * @param {any} scores
 */
function scoresAsData(scores) {
  const short = (score) => (Array.isArray(score) ? score.map((value) => Math.round(1000 * value) / 1000) : score ?? null);
  return report.areas.metrics.map(({ name }) => report.areas.times.map((time) => short(scores[name]?.[time])));
}

/** @param {DraftItem} item */
const asInRun = (item) => item.found !== null && !item.moved;

/**
 * Scores as the page's data hold them; null where they are not known before the areas are saved.
 * @param {DraftItem} item
 * @param {Medium} medium
 */
function scoresOf(item, medium) {
  if (asInRun(item)) return runAreas(medium)[item.found].scores;
  if (!scored.has(item) && scorers.has(medium.id)) scored.set(item, scoresAsData(scorers.get(medium.id)(item.box, item.polygon)));
  return scored.get(item) ?? null;
}

/**
 * An area of a draft as the views show areas.
 * @param {DraftItem} item
 * @param {Medium} medium
 */
function shownArea(item, medium) {
  const { type, label, box, polygon } = item;
  if (!asInRun(item)) return { id: null, type, label, box, ...(polygon ? { polygon } : {}), method: "drawn by you, scored here", scores: scoresOf(item, medium), here: true };
  const { ranges, ...area } = runAreas(medium)[item.found];
  return { ...area, type, label, ...(area.type === type ? { ranges } : {}) };
}

/**
 * Let the views of a medium show its draft, where that was changed and is scored; otherwise the areas of the run.
 * @param {Medium} medium
 */
export function showDraft(medium) {
  medium.run_areas ??= medium.areas;
  medium.areas = changedDraft(medium) && scorers.has(medium.id) ? drafts.get(medium.id).list.map((item) => shownArea(item, medium)) : medium.run_areas;
}

/** Score what was edited before the page was loaded again. */
export async function showDrafts() {
  for (const { medium } of drafts.values()) {
    await loadScorer(medium);
    showDraft(medium);
    if (state.editor.draft === null && state.open !== null && openMedium() === medium) showAreas(medium);
  }
}

/**
 * `seen by 34 %`, over the whole time; null where that is not known.
 * @param {DraftItem} item
 */
export function seenWords(item) {
  const i = areaMetric("percentage_seen");
  const scores = i < 0 ? null : scoresOf(item, state.editor.draft.medium);
  const score = scores && areaScore({ scores }, i, "total");
  return Array.isArray(score) ? `seen by ${areaDigits(score[0], areaMetrics[i])} %` : null;
}

/**
 * The words of an area's tag: its number, and how many see it.
 * @param {DraftItem} item
 */
export function tagWords(item) {
  const seen = seenWords(item);
  const short = item.key === state.editor.chosen ? seen : seen?.replace("seen by ", "");
  const here = seen && !asInRun(item) ? "scored here" : null;
  return [state.editor.draft.list.indexOf(item) + 1, short, here].filter(Boolean).join(" · ");
}

/** @param {AreaScore} score @param {AreaMetric} metric */
function scoreCell(score, metric) {
  if (score === null) return element("td", {}, element("span", { className: "none", title: "Not defined for this time" }, "–"));
  if (!Array.isArray(score)) return element("td", {}, element("span", { className: "none", title: score }, "n/a"));
  return element("td", {}, element("b", {}, areaDigits(score[0], metric)), " ", element("span", { className: "plus-minus" }, areaPlusMinus(score[0], metric, state.editor.draft.medium)));
}

/** @param {number} i @param {AreaScore[][]} scores */
function scoreRow(i, scores) {
  const metric = areaMetrics[i];
  const name = element("th", { scope: "row", title: metric.caption }, metric.title, " ", element("small", {}, UNITS[metric.unit] ?? metric.unit));
  return element("tr", {}, name, ...report.areas.times.map((time) => scoreCell(areaScore({ scores }, i, time), metric)));
}

/** @param {Medium} medium */
function noteWords(medium) {
  const later = served ? "Save them: the server then scores them." : "Save them, and apply the file to the run: it scores them.";
  if (medium.scoring === "moves") return `Areas of a video or an animation are not scored in this page. ${later}`;
  if (medium.scoring === "no_densities") return "This run kept no densities, so areas cannot be scored. Save them, then analyze the files again with --aois areas.json.";
  if (medium.scoring === "left_out") return `To keep this report small, areas cannot be scored in it. ${later}`;
  if (!canUnpack()) return `This browser is too old to score areas in the page. ${later}`;
  return "New and moved areas are scored here, in this page, with the numbers that they have after saving. Ranks and checks follow after saving.";
}

export function showScores() {
  clearTimeout(saying);
  if (state.editor.draft === null) return;
  const { medium, list } = state.editor.draft;
  const item = chosenItem();
  const scores = item ? scoresOf(item, medium) : null;
  const columns = areaColumns();
  byId("area-scores").hidden = scores === null || !columns.length;
  byId("area-scores-note").textContent = noteWords(medium);
  if (scores === null) return;
  const table = byId("area-scores").querySelector("table");
  table.caption.replaceChildren(`Area ${list.indexOf(item) + 1}, `, element("em", {}, asInRun(item) ? "as in the run" : "scored here, not saved"));
  table.tHead.replaceChildren(element("tr", {}, element("td"), ...report.areas.times.map((time) => element("th", { scope: "col" }, WINDOW_TITLES[time]))));
  table.tBodies[0].replaceChildren(...columns.map((i) => scoreRow(i, scores)));
  sayScores(item, scores);
}

/**
 * Tell those who do not see it, once nothing has changed for a while.
 * @param {DraftItem} item
 * @param {AreaScore[][]} scores
 */
function sayScores(item, scores) {
  const words = asInRun(item) ? null : spokenScores(item, scores);
  if (words === null || words === said) return;
  saying = setTimeout(() => {
    said = words;
    byId("area-scores-say").textContent = words;
  }, SAID_AFTER_MS);
}

/** @param {DraftItem} item @param {AreaScore[][]} scores */
function spokenScores(item, scores) {
  const headline = areaColumns().slice(0, 2).map((i) => ({ metric: areaMetrics[i], score: /** @type {number[]} */ (areaScore({ scores }, i, "total")) }));
  const parts = headline.filter(({ score }) => Array.isArray(score)).map(({ metric, score }) => {
    const moves = areaPlusMinus(score[0], metric, state.editor.draft.medium);
    return `${metric.title.toLowerCase()} ${areaDigits(score[0], metric)}${moves && ` ${moves}`} %`;
  });
  return `Area ${state.editor.draft.list.indexOf(item) + 1}, ${areaTitle.get(item.type)}, scored here: ${parts.join(", ")}.`;
}

export function wireScores() {
  listen("draft", showScores);
}
