// Controls of the filters, and a button for each that is set.

import { byId, element } from "../core/dom.js";
import { collator, metricOf, report } from "../core/report.js";
import { LIST_DEFAULTS, listen, notify, state } from "../core/state.js";
import { keepAddress, keepTyped, rankBy, updateList } from "./address.js";
import { activeFilters, folderOf, noFilters, reasonsOf } from "./filters.js";

const CONTROLS = { text: "text", status: "status", kind: "kind", purpose: "purpose", domain: "domain", folder: "folder", area: "area", against: "against", rules: "rules-filter", why: "why", from: "from", to: "to", verdict: "verdict-filter", reason: "reason-filter" };
const MOST_REASONS = 30;
const MOST_FOLDERS = 60;

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
      control.append(element("option", { value: state.list[name] }, reasonWords(state.list[name])));
      control.value = state.list[name];
    }
  }
}

function reasonWords(wanted) {
  const [words, only] = wanted.split(":").reverse();
  return only === undefined ? words : `${words}, in ${metricOf.get(only)?.title ?? only}`;
}

/** What a filter is set to, in the words of its control. */
function filterWords(name) {
  const control = byId(CONTROLS[name]);
  const title = control?.closest("label").querySelector("span").textContent ?? name;
  if (name === "text") return `“${state.list.text}”`;
  if (name === "from") return `${metricOf.get(state.list.metric).title} from ${state.list.from}`;
  if (name === "to") return `${metricOf.get(state.list.metric).title} to ${state.list.to}`;
  return `${title}: ${control?.selectedOptions?.[0]?.textContent ?? state.list[name]}`;
}

/** One button for each filter that is set: it takes that filter away. */
function showActiveFilters() {
  const names = activeFilters();
  byId("active-filters").hidden = names.length === 0;
  byId("filters").querySelector("summary").textContent = names.length ? `Filters (${names.length})` : "Filters";
  byId("active-filters").replaceChildren(...names.flatMap((name) => [filterButton(name), " "]), names.length > 1 ? clearButton() : "");
}

function filterButton(name) {
  const button = element("button", { type: "button", className: "active-filter", title: "Take this filter away" }, `${filterWords(name)} `, element("span", { "aria-hidden": "true" }, "×"));
  button.addEventListener("click", () => updateList({ [name]: LIST_DEFAULTS[name] }));
  return button;
}

function clearButton() {
  const button = element("button", { type: "button", className: "quiet" }, "Clear all");
  button.addEventListener("click", clearFilters);
  return button;
}

const clearFilters = () => updateList(noFilters());

/** Show the media that fit some filters, and no other one: `filterBy({ why: "much clutter", look: "gallery" })`. */
export function filterBy(changes) {
  updateList({ ...noFilters(), ...changes });
  byId("all-media").scrollIntoView();
}

/** A filter is offered where it tells media apart. */
function fillOptions(id, options, fewest = 2) {
  const control = byId(id);
  control.append(...options.map(([value, words]) => element("option", { value }, words)));
  control.closest("label").hidden = options.length < fewest;
}

/** What media are meant for: in all its words, and where these differ, by purpose alone. */
function purposeOptions() {
  const done = report.media.filter((medium) => medium.done);
  const objectives = [...new Set(done.map((medium) => medium.objective).filter(Boolean))].sort(collator.compare);
  const purposes = Object.keys(report.purposes).filter((name) => objectives.length > 1 && done.some((medium) => medium.purpose === name && medium.objective !== report.purposes[name]));
  const none = objectives.length && done.some((medium) => !medium.objective) ? [["none", "Not stated"]] : [];
  return [...purposes.map((name) => [name, `Any ${report.purposes[name]}`]), ...objectives.map((words) => [words, words]), ...none];
}

function domainOptions() {
  const domains = [...new Set(report.media.map((medium) => medium.domain).filter(Boolean))].sort(collator.compare);
  return domains.map((domain) => [domain, domain]);
}

function folderOptions() {
  const folders = [...new Set(report.media.flatMap((medium) => medium.paths.map(folderOf)))].filter(Boolean);
  const named = folders.length <= MOST_FOLDERS ? folders : [...new Set(folders.map((folder) => folder.split("/")[0]))];
  return named.length > MOST_FOLDERS ? [] : named.sort(collator.compare).map((folder) => [folder, folder]);
}

/** What holds most media back first. */
function reasonOptions() {
  const counts = new Map();
  for (const medium of report.media) for (const words of reasonsOf(medium)) counts.set(words, (counts.get(words) ?? 0) + 1);
  const most = [...counts].sort(([a, n], [b, m]) => m - n || collator.compare(a, b)).slice(0, MOST_REASONS);
  return most.map(([words, n]) => [words, `${words} (${n})`]);
}

export function wireFilters() {
  fillOptions("purpose", purposeOptions());
  fillOptions("domain", domainOptions());
  fillOptions("folder", folderOptions());
  fillOptions("why", reasonOptions(), 1);
  byId("toolbar").addEventListener("submit", (event) => event.preventDefault());
  for (const id of Object.values(CONTROLS)) {
    const control = byId(id);
    if (control === null) continue;
    const typed = control.tagName === "INPUT";
    control.addEventListener(typed ? "input" : "change", () => { readFilters(); (typed ? keepTyped : keepAddress)(); });
  }
  byId("metric").addEventListener("change", () => rankBy(byId("metric").value));
  byId("order").addEventListener("change", () => rankBy(state.list.metric, byId("order").value));
  byId("reset").addEventListener("click", clearFilters);
  listen("filters", writeFilters);
  listen("list", showActiveFilters);
  byId("filters").open = matchMedia("(min-width: 761px)").matches;
}
