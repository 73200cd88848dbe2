// The list of media: filtered, sorted, and laid out as cards of a gallery or rows of a table.

import { showPickBox } from "../compare/picks.js";
import { byId, element, query, queryAll } from "../core/dom.js";
import { formatValue, rankOf, withFullStop } from "../core/format.js";
import { countWords, hasDetail, metricOf, report } from "../core/report.js";
import { listen, state } from "../core/state.js";
import { sortBy, updateList } from "../filters/address.js";
import { fitsFilters } from "../filters/filters.js";
import { cardOf, updateCard } from "./cards.js";
import { rowOf } from "./rows.js";
import { compareMedia, isFalling, ordersOf, sortableFacts, sortsByScore } from "./sorting.js";
import { scoreRange } from "../scores/ranges.js";
import { scorePlusMinus } from "../scores/values.js";

const MANY = 60; // rows or cards: of more, those far from the screen are not laid out
const AT_ONCE = 40; // rows or cards that are laid out between two frames

/** Scores that rest in part on how concentrated gaze is, on the scale of images: in a moment it is more so than in five seconds. */
const RESTS_ON_GAZE = new Set(["memory"]);

/**
 * A row that is shown: which score the list is sorted by, and whether it is chosen.
 * @param {number} index
 */
export function updateRow(index) {
  const row = rowOf(index);
  for (const cell of row.querySelectorAll(".score")) cell.classList.toggle("current", cell.dataset.metric === state.list.sort);
  if (hasDetail(index)) showPickBox(row.querySelector(".picture"), index);
  return row;
}

export const inGallery = () => state.list.look === "gallery";

export function showList() {
  state.shown = report.media.map((_, index) => index).filter(fitsFilters).sort(compareMedia);
  byId("gallery").hidden = !inGallery() || state.shown.length === 0;
  byId("media").hidden = inGallery();
  byId("media").classList.toggle("empty", state.shown.length === 0);
  byId("all-media").classList.toggle("many", state.shown.length > MANY);
  if (inGallery()) layOut(byId("gallery"), updateCard);
  else layOut(query("#media tbody"), updateRow);
  byId("shown").textContent = shownWords();
  byId("nothing").hidden = state.shown.length > 0;
  for (const button of queryAll("[data-look]")) button.setAttribute("aria-pressed", String(button.dataset.look === state.list.look));
}

/**
 * The first at once, the others a few at a time, so that the page answers meanwhile.
 * @param {HTMLElement} host
 * @param {(index: number) => HTMLElement} update
 */
function layOut(host, update) {
  clearTimeout(state.laying);
  host.replaceChildren(...state.shown.slice(0, report.rows_at_once).map(update));
  const more = (from) => {
    state.laying = null;
    if (from >= state.shown.length) return;
    host.append(...state.shown.slice(from, from + AT_ONCE).map(update));
    state.laying = setTimeout(more, 0, from + AT_ONCE);
  };
  more(report.rows_at_once);
}

/** Paper has all of them. */
export function layOutRest() {
  if (state.laying === null) return;
  clearTimeout(state.laying);
  state.laying = null;
  const [host, update] = inGallery() ? [byId("gallery"), updateCard] : [query("#media tbody"), updateRow];
  host.append(...state.shown.slice(host.children.length).map(update));
}

/** How many fit the filters; of a large run they look through the media on the page alone. */
function shownWords() {
  const all = report.media.length;
  if (report.part_of) return `${state.shown.length} of the ${all} on this page, of ${report.part_of.toLocaleString("en")} in the run`;
  return state.shown.length === all ? countWords(all) : `${state.shown.length} of ${countWords(all)}`;
}

function showSorting() {
  for (const head of queryAll("#media thead th")) {
    const active = head.querySelector("button")?.dataset.sort === state.list.sort;
    if (active) head.setAttribute("aria-sort", isFalling() ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  for (const card of queryAll("#cards .card")) {
    card.setAttribute("aria-pressed", String(card.dataset.metric === state.list.sort));
  }
  byId("sort").value = state.list.sort;
  byId("order").replaceChildren(...Object.entries(ordersOf(state.list.sort)).map(([value, words]) => element("option", { value }, words)));
  byId("order").value = state.list.order;
  byId("metric").value = state.list.metric;
  byId("sort-note").replaceChildren(...(sortsByScore() ? scoreNote(metricOf.get(state.list.sort)) : []));
}

/**
 * What the score is that the list is sorted by.
 * @param {Metric} metric
 */
function scoreNote(metric) {
  const words = [metric.caption, withFullStop(report.words.directions[metric.direction].replace(/^./, (letter) => letter.toUpperCase()))];
  if (metric.basis === "proxy") words.push("An estimate: a hint, not evidence.");
  if (metric.level_with_best > 0) words.push(tieWords(metric.level_with_best));
  const done = report.media.filter((medium) => medium.done);
  if (RESTS_ON_GAZE.has(metric.name) && new Set(done.map((medium) => medium.moves)).size > 1) words.push("Videos tend to score higher than images here: compare each type with its own.");
  return [`${words.join(" ")} `, element("a", { href: `#about-${metric.name}` }, `What ${metric.title} means`)];
}

/** @param {number} n */
function tieWords(n) {
  return n === 1 ? "The first two differ by less than their ±: treat them as tied." : `${countWords(n)} differ from the first by less than their ±: treat them as tied.`;
}

/**
 * The link of a medium in the list, where the reader was.
 * @param {number} index
 */
export function linkOf(index) {
  return (inGallery() ? cardOf(index) : rowOf(index)).querySelector("a");
}

/** @param {any} event */
function openRow(event) {
  const key = event.target.closest("[data-sort]")?.dataset.sort;
  if (key) return sortBy(key, key === state.list.sort && state.list.order === "first" ? "last" : "first");
  if (event.target.closest(".pick")) return;
  const link = event.target.closest("tbody tr")?.querySelector("th a");
  if (link && event.target !== link && !getSelection().toString()) link.click();
}

/**
 * Sentences are put on the table's cells when they are pointed at: thousands of them would make the page slow.
 * @param {any} event
 */
function describeCell(event) {
  const cell = event.target.closest("td.score");
  if (!cell || cell.title) return;
  const [medium, metric] = [report.media[cell.parentElement.dataset.i], metricOf.get(cell.dataset.metric)];
  const [score, range] = [medium.scores[metric.name], scoreRange(medium, metric.name)];
  const moves = scorePlusMinus(score?.value, metric, medium).textContent;
  if (score?.value == null) cell.title = withFullStop(score?.reason ?? "Not computed");
  else cell.title = [`${metric.title}: ${formatValue(score.value, metric)}${moves && ` ${moves}`}.`, rankOf(score.standing, medium), range?.sentence ?? range?.reason].filter(Boolean).join(" ");
}

export function wireList() {
  byId("sort").prepend(...sortableFacts().map(([value, words]) => element("option", { value }, words)));
  byId("media").addEventListener("click", openRow);
  byId("media").addEventListener("pointerover", describeCell);
  byId("cards").addEventListener("click", (event) => {
    const card = event.target.closest(".card");
    if (card) sortBy(card.dataset.metric);
  });
  for (const button of queryAll("[data-look]")) {
    button.addEventListener("click", () => updateList({ look: button.dataset.look }));
  }
  listen("list", showList);
  listen("list", showSorting);
  addEventListener("beforeprint", layOutRest);
}
