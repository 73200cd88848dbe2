// The state of the page, in one object. Views listen for what changes; whoever changes it, notifies them.

import { judged, report } from "./report.js";

/** The list as the page opens: what needs attention first, or by the first score where nothing was checked. */
export const LIST_DEFAULTS = {
  look: "gallery", sort: judged ? "verdict" : report.metrics[0]?.name ?? "name", order: "first", metric: report.metrics[0]?.name,
  text: "", status: "all", kind: "all", purpose: "all", brand: "all", platform: "all", domain: "all", folder: "", area: "all", against: "all", rules: "all", why: "all", verdict: "all", reason: "all", from: null, to: null,
};

export const state = {
  list: { ...LIST_DEFAULTS }, // filters, order and look of the list: what its address keeps
  shown: [], // indices of the media in the list, in its order
  laying: null, // timer of rows or cards of the list that are still to be laid out
  cardHeat: false, // whether all cards of the gallery do
  picks: [], // indices of the media that are chosen to be compared, in that order
  sides: [], // indices of the media that are compared
  sidesMap: null, // the map that is shown of all of them
  open: null, // index of the open medium
  // what follows is kept from medium to medium, but for what is of one video or one area
  layers: { left: "original", right: "heat" }, // of the viewer, as they were last chosen
  divided: false, // whether a divider shows the left layer beside the right one
  opacity: 100, // of the right layer over the original, %
  window: "total", // time window of maps, areas and their numbers
  areasShown: true, // over images and video
  hiddenTypes: new Set(), // of areas
  areaOrder: { by: null, rising: false }, // of the table of areas
  allAreas: false, // whether the table shows more than the first
  pointedArea: null, // index
  chosenArea: null, // index
  preview: "preview_heat", // which video the player shows
  curves: new Set(["focus", "cognitive_demand"]), // that are drawn
  timeline: null, // of the open medium; null for an image
  now: 0, // the moment that is shown, s from the first frame
  seekTo: null, // s in the preview to go to, as soon as it can
  untouched: true, // the medium was opened, and nobody has gone to a moment yet
  editor: {
    draft: null, // that is open
    chosen: null, // key of the chosen area
    corner: null, // index of the chosen corner of a polygon
    path: null, // corners of the shape that is being drawn
    shape: null, // "box" or "polygon": what the path becomes
    cross: [0.5, 0.5], // where the keyboard draws
    newType: "branding", // of the next area
    gesture: null, // what a pressed pointer does
  },
};

export const openMedium = () => report.media[state.open];

// ---- listeners

const listeners = {
  filters: [], // filters were set, other than by their controls
  list: [], // filters, order or look of the list
  window: [], // the time window
  moment: [], // the moment of a video
  draft: [], // the draft that is edited, or what is chosen of it
};

export function listen(topic, listener) {
  listeners[topic].push(listener);
}

/** Call those who listen to a topic, in the order in which they came. */
export function notify(topic) {
  for (const listener of listeners[topic]) listener();
}
