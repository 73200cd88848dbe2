// The address of the list, and changes of what it shows.

import { metricOf } from "../core/report.js";
import { LIST_DEFAULTS, notify, state } from "../core/state.js";
import { isSortable, ordersOf } from "../gallery/sorting.js";

export const IN_ADDRESS = { look: "look", sort: "sort", order: "order", score: "metric", search: "text", status: "status", kind: "kind", for: "purpose", brand: "brand", platform: "platform", domain: "domain", folder: "folder", area: "area", standing: "against", rules: "rules", why: "why", from: "from", to: "to", verdict: "verdict", recurs: "reason" };
export const LIST = "media?"; // an address that begins so says what the list shows

/**
 * Change filters, order or look of the list, show it so, and put that into the address.
 * @param {any} changes
 */
export function updateList(changes) {
  setList(changes);
  keepAddress();
}

/** @param {any} changes */
function setList(changes) {
  Object.assign(state.list, changes);
  if (metricOf.has(changes.sort)) state.list.metric = changes.sort;
  notify("filters");
  notify("list");
}

/** @param {string} sort @param {string} [order] */
export function sortBy(sort, order = "first") {
  updateList({ sort, order });
}

/**
 * The address of a list: `#media?look=table&sort=clarity&status=noted`; the keys are those of IN_ADDRESS.
 * @param {{ [key: string]: string | number | null }} values
 */
function listAddress(values) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value != null).map(([key, value]) => [key, `${value}`]));
  return `#${LIST}${query}`;
}

/** The address of what is shown; none where it is what the page opens with. */
export function currentAddress() {
  const isStated = (name) => state.list[name] !== LIST_DEFAULTS[name] && !(name === "metric" && state.list.metric === state.list.sort);
  const changed = Object.entries(IN_ADDRESS).filter(([, name]) => isStated(name)).map(([key, name]) => [key, state.list[name]]);
  return changed.length ? listAddress(Object.fromEntries(changed)) : location.pathname + location.search;
}

/** Put what is shown into the address: a step of its own to go back to, but for each letter that is typed. */
export function keepAddress(typed = false) {
  const address = currentAddress();
  const isList = location.hash === "" || location.hash.startsWith(`#${LIST}`);
  if (address === (isList && location.hash ? location.hash : location.pathname + location.search)) return;
  history[typed && isList && location.hash ? "replaceState" : "pushState"](null, "", address);
}

let typing = null;

/** Browsers count the changes of an address: those of a word that is typed are one. */
export function keepTyped() {
  clearTimeout(typing);
  typing = setTimeout(keepAddress, 400, true);
}

/**
 * Values of controls that the address of a list may hold; anything else in it is left out.
 * @param {string} address
 */
function stateOf(address) {
  const list = { ...LIST_DEFAULTS };
  for (const [key, value] of new URLSearchParams(address)) {
    const name = IN_ADDRESS[key];
    if (name === undefined || (name === "metric" && !metricOf.has(value)) || (name === "sort" && !isSortable(value))) continue;
    if (name !== "from" && name !== "to") list[name] = value;
    else if (value !== "" && Number.isFinite(Number(value))) list[name] = Number(value);
  }
  if (!["table", "gallery"].includes(list.look)) list.look = LIST_DEFAULTS.look;
  const [fact, last] = list.order.split("-"); // addresses of earlier versions had these among the orders
  if (["name", "kind"].includes(fact)) Object.assign(list, { sort: fact, order: last ?? "first" });
  if (metricOf.has(list.sort)) list.metric = list.sort;
  if (!Object.hasOwn(ordersOf(list.sort), list.order)) list.order = LIST_DEFAULTS.order;
  return list;
}

/** @param {string} address */
export function restoreList(address) {
  setList(stateOf(address));
}
