// Controls of the filters, and a button for each that is set.

import { byId, element } from "../core/dom.js";
import { collator, metricOf, report } from "../core/report.js";
import { LIST_DEFAULTS, listen, notify, state } from "../core/state.js";
import { keepAddress, keepTyped, sortBy, updateList } from "./address.js";
import { activeFilters, countFitting, folderOf, noFilters, reasonsOf } from "./filters.js";

const CONTROLS = { text: "text", status: "status", kind: "kind", purpose: "purpose", brand: "brand", platform: "platform", domain: "domain", folder: "folder", area: "area", against: "against", rules: "rules-filter", why: "why", from: "from", to: "to", verdict: "verdict-filter", reason: "reason-filter" };
const BY_SCORE = ["against", "from", "to"]; // filters that are about the chosen score
const MOST_REASONS = 30;
const MOST_FOLDERS = 60;
const MOST_BRANDS = 200;

/** @param {HTMLInputElement} input */
function numberIn(input) {
  return input.value === "" || Number.isNaN(input.valueAsNumber) ? null : input.valueAsNumber;
}

function readFilters() {
  for (const [name, id] of Object.entries(CONTROLS)) {
    const control = byId(id);
    if (control) state.list[name] = control.type === "number" ? numberIn(control) : control.value.trim();
  }
  notify("list");
}

/** Show what the filters are set to; a value that a link brought and that is on no list is put there. */
function writeFilters() {
  for (const [name, id] of Object.entries(CONTROLS)) {
    const control = byId(id);
    if (!control) continue;
    control.value = state.list[name] ?? "";
    if (control.value !== `${state.list[name] ?? ""}`) {
      control.append(element("option", { value: state.list[name] }, linkedWords(name, state.list[name])));
      control.value = state.list[name];
    }
  }
}

/**
 * Words of a value that a link brought: a driver in one score, a purpose, or the value itself.
 * @param {string} name
 * @param {string} wanted
 */
function linkedWords(name, wanted) {
  const [words, only] = wanted.split(":").reverse();
  if (name === "purpose") return report.purposes[wanted] ?? wanted;
  return only === undefined ? words : `${words}, in ${metricOf.get(only)?.title ?? only}`;
}

/**
 * What a filter is set to, in the words of its control.
 * @param {string} name
 */
function filterWords(name) {
  const control = byId(CONTROLS[name]);
  const chosen = metricOf.get(state.list.metric)?.title;
  if (name === "text") return `“${state.list.text}”`;
  if (name === "from" || name === "to") return `${chosen} ${name} ${state.list[name]}`;
  const value = control?.selectedOptions?.[0]?.textContent ?? state.list[name];
  const title = control?.closest("label").querySelector("span").textContent ?? name;
  return BY_SCORE.includes(name) ? `${chosen}, ${title}: ${value}` : `${title}: ${value}`;
}

/** How many filters are set, and a button for each, which takes it away. */
function showActiveFilters() {
  const names = activeFilters();
  const folded = names.filter((name) => name !== "text").length;
  byId("filters").textContent = folded ? `Filters (${folded})` : "Filters";
  byId("active-filters").hidden = names.length === 0;
  byId("active-filters").replaceChildren(...names.flatMap((name) => [filterButton(name), " "]), names.length ? clearButton() : "");
}

/** @param {string} name */
function filterButton(name) {
  const button = element("button", { type: "button", className: "active-filter", title: "Remove this filter" }, `${filterWords(name)} `, element("span", { "aria-hidden": "true" }, "×"));
  button.addEventListener("click", () => updateList({ [name]: LIST_DEFAULTS[name] }));
  return button;
}

function clearButton() {
  const button = element("button", { type: "button", className: "quiet" }, "Clear");
  button.addEventListener("click", clearFilters);
  return button;
}

const clearFilters = () => updateList(noFilters());

/**
 * Show the media that fit some filters, and no others: `filterBy({ why: "much clutter", look: "gallery" })`.
 * @param {any} changes
 */
export function filterBy(changes) {
  updateList({ ...noFilters(), ...changes });
  const { top } = byId("all-media").getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) byId("all-media").scrollIntoView();
}

/** @param {string} id @param {string[][]} options */
function addOptions(id, options) {
  byId(id).append(...options.map(([value, words]) => element("option", { value }, words)));
}

/** @param {string} name */
const valuesOf = (name) => [...new Set(report.media.map((medium) => medium[name]).filter(Boolean))].sort(collator.compare);
/** @param {string} name */
const plainOptions = (name) => valuesOf(name).map((value) => [value, report.platforms[value] ?? value.replaceAll("_", " ")]);

function purposeOptions() {
  const stated = Object.entries(report.purposes).filter(([name]) => report.media.some((medium) => medium.purpose === name));
  return stated.length ? [...stated, ["none", "Not stated"]] : [];
}

function folderOptions() {
  const folders = [...new Set(report.media.flatMap((medium) => medium.paths.map(folderOf)))].filter(Boolean);
  const named = folders.length <= MOST_FOLDERS ? folders : [...new Set(folders.map((folder) => folder.split("/")[0]))];
  return named.length > MOST_FOLDERS ? [] : named.sort(collator.compare).map((folder) => [folder, folder]);
}

/** What weakens most media first. */
function weaknessOptions() {
  const counts = new Map();
  for (const medium of report.media) for (const words of reasonsOf(medium)) counts.set(words, (counts.get(words) ?? 0) + 1);
  const telling = [...counts].filter(([, n]) => n < report.media.length);
  const most = telling.sort(([a, n], [b, m]) => m - n || collator.compare(a, b)).slice(0, MOST_REASONS);
  return most.map(([words, n]) => [words, `${words} (${n})`]);
}

/** A value is offered where it tells media of this page apart, and a filter where it has such a value. */
function leaveOutIdle() {
  for (const [name, id] of Object.entries(CONTROLS)) {
    const control = byId(id);
    if (control?.tagName !== "SELECT" || BY_SCORE.includes(name) || name === "why") continue;
    const values = [...control.options].filter((option) => option.value !== LIST_DEFAULTS[name]);
    const idleCounts = [0, report.media.length, name === "status" ? 0 : report.media.filter((medium) => medium.done).length];
    const idle = values.filter((option) => idleCounts.includes(countFitting(name, option.value)));
    for (const option of idle) option.remove();
    for (const group of control.querySelectorAll("optgroup")) if (!group.children.length) group.remove();
    control.closest("label").hidden = idle.length === values.length;
  }
}

let prepared = false;

/** Options are found when they are first wanted: on a page of a thousand media that takes a moment. */
function prepareFilters() {
  if (prepared) return;
  prepared = true;
  addOptions("purpose", purposeOptions());
  for (const name of ["brand", "platform", "domain"]) addOptions(name, plainOptions(name).slice(0, MOST_BRANDS));
  addOptions("folder", folderOptions());
  const weaknesses = weaknessOptions();
  addOptions("why", weaknesses);
  byId("why").closest("label").hidden = !weaknesses.length;
  leaveOutIdle();
}

function foldFilters() {
  const open = byId("filter-list").hidden;
  if (open) prepareFilters();
  byId("filter-list").hidden = !open;
  byId("filters").setAttribute("aria-expanded", String(open));
  writeFilters();
}

/**
 * The menu closes when another place is clicked, and with Escape.
 * @param {any} event
 */
function closeMenu(event) {
  const menu = byId("export");
  if (!menu.open || (event.key ? event.key !== "Escape" : menu.contains(event.target))) return;
  menu.open = false;
  if (event.key) menu.querySelector("summary").focus();
}

export function wireFilters() {
  byId("toolbar").addEventListener("submit", (event) => event.preventDefault());
  for (const id of Object.values(CONTROLS)) {
    const control = byId(id);
    if (control === null) continue;
    const typed = control.tagName === "INPUT";
    control.addEventListener(typed ? "input" : "change", () => { readFilters(); (typed ? keepTyped : keepAddress)(); });
  }
  byId("sort").addEventListener("change", () => sortBy(byId("sort").value));
  byId("order").addEventListener("change", () => sortBy(state.list.sort, byId("order").value));
  byId("metric").addEventListener("change", () => updateList({ metric: byId("metric").value }));
  byId("filters").addEventListener("click", foldFilters);
  byId("reset").addEventListener("click", clearFilters);
  addEventListener("click", closeMenu);
  addEventListener("keydown", closeMenu);
  listen("filters", writeFilters);
  listen("list", showActiveFilters);
}
