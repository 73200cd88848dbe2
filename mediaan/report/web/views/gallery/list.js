// The list of media: filtered, ordered, and laid out as rows of a table or cards of a gallery.

import { showPickBox } from "../compare/picks.js";
import { byId } from "../core/dom.js";
import { collator, hasDetail, report } from "../core/report.js";
import { listen, state } from "../core/state.js";
import { rankBy, updateList } from "../filters/address.js";
import { fitsFilters } from "../filters/filters.js";
import { cardOf, updateCard } from "./cards.js";
import { rowOf } from "./rows.js";
import { percentileOf } from "../scores/ranges.js";
import { firstSign, scoreOf, valueOf } from "../scores/values.js";

const MANY = 60; // rows or cards: of more, those far from the screen are not laid out
const AT_ONCE = 40; // rows or cards that are laid out between two frames

/** Compare two media by percentile, the largest first (sign 1) or the smallest (-1); those without one last. */
function byPercentile(a, b, sign) {
  const [pa, pb] = [percentileOf(a), percentileOf(b)];
  if (pa === null || pb === null) return (pa === null) - (pb === null);
  return (pb - pa) * sign;
}

/** Compare two media: by name or by score, those without a value last, then by name. */
function compareMedia(a, b) {
  const failed = report.media[b].done - report.media[a].done;
  if (failed) return failed;
  const byName = () => collator.compare(report.media[a].name, report.media[b].name);
  const byKind = report.media[a].moves - report.media[b].moves;
  if (state.list.order === "kind" && byKind) return byKind;
  if (state.list.order.startsWith("percentile")) return byPercentile(a, b, state.list.order === "percentile" ? 1 : -1) || byName();
  if (state.list.order === "name") return byName();
  if (state.list.order === "name-last") return -byName();
  const [va, vb] = [valueOf(a), valueOf(b)];
  if (va === null || vb === null) return (va === null) - (vb === null) || byName();
  return (vb - va) * firstSign() * (state.list.order === "last" ? -1 : 1) || byName();
}

/** A row that is shown: its rank, which score the list is ranked by, and whether it is chosen. */
export function updateRow(index) {
  const row = rowOf(index);
  row.querySelector(".place").textContent = scoreOf(index)?.standing?.rank ?? "";
  for (const cell of row.querySelectorAll(".score")) cell.classList.toggle("current", cell.dataset.metric === state.list.metric);
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
  else layOut(document.querySelector("#media tbody"), updateRow);
  byId("shown").textContent = shownWords();
  byId("nothing").hidden = state.shown.length > 0;
  for (const button of document.querySelectorAll("[data-look]")) button.setAttribute("aria-pressed", String(button.dataset.look === state.list.look));
}

/** The first at once, the others a few at a time, so that the page answers meanwhile. */
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
  const [host, update] = inGallery() ? [byId("gallery"), updateCard] : [document.querySelector("#media tbody"), updateRow];
  host.append(...state.shown.slice(host.children.length).map(update));
}

/** How many fit the filters; of a large run they look through the media on the page alone. */
function shownWords() {
  const all = report.media.length;
  if (report.part_of) return `${state.shown.length} of the ${all} on this page, of ${report.part_of.toLocaleString("en")} in the run`;
  return state.shown.length === all ? `${all} shown` : `${state.shown.length} of ${all} shown`;
}

function showSorting() {
  const byName = state.list.order.startsWith("name");
  for (const head of document.querySelectorAll("#media thead th")) {
    const key = head.querySelector("button")?.dataset.sort;
    const active = key && state.list.order !== "kind" && key === (byName ? "name" : state.list.metric);
    const falling = state.list.order.startsWith("percentile") ? state.list.order === "percentile" : byName ? state.list.order === "name-last" : (state.list.order === "first") === (firstSign() > 0);
    if (active) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  for (const cell of document.querySelectorAll("#media thead [data-metric]")) {
    cell.classList.toggle("current", cell.dataset.metric === state.list.metric);
  }
  for (const card of document.querySelectorAll("#cards .card")) {
    card.setAttribute("aria-pressed", String(card.dataset.metric === state.list.metric));
  }
  byId("metric").value = state.list.metric;
  byId("order").value = state.list.order;
}

function sortBy(key) {
  if (key === "name") rankBy(state.list.metric, state.list.order === "name" ? "name-last" : "name");
  else rankBy(key, key === state.list.metric && state.list.order === "first" ? "last" : "first");
}

/** The link of a medium in the list, where the reader was. */
export function linkOf(index) {
  return (inGallery() ? cardOf(index) : rowOf(index)).querySelector("a");
}

function openRow(event) {
  const key = event.target.closest("[data-sort]")?.dataset.sort;
  if (key) return sortBy(key);
  if (event.target.closest(".pick")) return;
  const link = event.target.closest("tbody tr")?.querySelector("th a");
  if (link && event.target !== link && !getSelection().toString()) link.click();
}

export function wireList() {
  byId("media").addEventListener("click", openRow);
  for (const button of document.querySelectorAll("[data-look]")) {
    button.addEventListener("click", () => updateList({ look: button.dataset.look }));
  }
  listen("list", showList);
  listen("list", showSorting);
  addEventListener("beforeprint", layOutRest);
}
