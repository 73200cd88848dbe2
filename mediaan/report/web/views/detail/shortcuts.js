// Keys of the viewer, and their list.

import { byId } from "../core/dom.js";
import { openMedium, state } from "../core/state.js";
import { setWindow, windowsOf } from "./time_window.js";
import { layersOf } from "../viewer/maps.js";
import { chooseLayer, swapSides, toggleAreas, toggleDivider, toggleZoom } from "../viewer/viewer.js";

const TYPED = "input, select, textarea";

function showShortcuts() {
  byId("shortcuts").showModal();
}

function nextWindow() {
  const times = windowsOf(openMedium());
  if (times.length) setWindow(times[(times.indexOf(state.window) + 1) % times.length]);
}

/**
 * Keys of the viewer; says whether it took the key.
 * @param {any} event
 */
export function viewerKey(event) {
  if (state.editor.draft !== null || (event.target.matches(TYPED) && event.target.type !== "range")) return false;
  const layer = layersOf(openMedium())[Number(event.key) - 1];
  const keys = { d: toggleDivider, x: swapSides, w: nextWindow, a: toggleAreas, z: () => toggleZoom(), "?": showShortcuts };
  const act = layer ? () => chooseLayer(layer) : keys[event.key.toLowerCase()];
  if (!act) return false;
  event.preventDefault();
  act();
  return true;
}

export function wireShortcuts() {
  byId("keys").addEventListener("click", showShortcuts);
  byId("close-shortcuts").addEventListener("click", () => byId("shortcuts").close());
  byId("shortcuts").addEventListener("click", (event) => { if (event.target === byId("shortcuts")) byId("shortcuts").close(); });
}
