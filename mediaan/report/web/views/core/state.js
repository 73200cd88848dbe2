// The state of the page, in one object. Views listen for what changes; whoever changes it, notifies them.

import { readLocally } from "./choices.js";
import { judged, report } from "./report.js";

/** The list as the page opens: what needs attention first, or by the first score where nothing was checked. @type {ListState} */
export const LIST_DEFAULTS = {
  look: "gallery", sort: judged ? "verdict" : report.metrics[0]?.name ?? "name", order: "first", metric: report.metrics[0]?.name,
  text: "", status: "all", kind: "all", purpose: "all", brand: "all", platform: "all", domain: "all", folder: "", area: "all", against: "all", rules: "all", why: "all", verdict: "all", reason: "all", from: null, to: null,
};

/** @type {any} */
const nothing = null; // see State: what nobody asks for before it is there

/** @type {State} */
export const state = {
  list: { ...LIST_DEFAULTS },
  shown: [],
  laying: null,
  cardHeat: readLocally("card-heat") !== "off",
  picks: [],
  sides: [],
  sidesMap: null,
  open: nothing,
  layers: { left: "original", right: "heat" },
  divided: false,
  opacity: 100,
  window: "total",
  areasShown: true,
  hiddenTypes: new Set(),
  areaOrder: { by: null, rising: false },
  allAreas: false,
  pointedArea: null,
  chosenArea: null,
  preview: "preview_heat",
  curves: new Set(["focus", "cognitive_demand"]),
  timeline: nothing,
  now: 0,
  seekTo: null,
  untouched: true,
  editor: { draft: nothing, chosen: null, corner: null, path: nothing, shape: null, cross: [0.5, 0.5], newType: "branding", gesture: null },
};

export const openMedium = () => report.media[state.open];

// ---- listeners

/** @type {{ [topic in Topic]: (() => void)[] }} */
const listeners = {
  filters: [], // filters were set, other than by their controls
  list: [], // filters, order or look of the list
  window: [], // the time window
  moment: [], // the moment of a video
  draft: [], // the draft that is edited, or what is chosen of it
};

/**
 * @param {Topic} topic
 * @param {() => void} listener
 */
export function listen(topic, listener) {
  listeners[topic].push(listener);
}

/**
 * Call those who listen to a topic, in the order in which they came.
 * @param {Topic} topic
 */
export function notify(topic) {
  for (const listener of listeners[topic]) listener();
}
