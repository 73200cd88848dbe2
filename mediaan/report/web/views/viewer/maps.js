// Maps of a medium: titles, order, layers, legends.

import { element } from "../core/dom.js";
import { report } from "../core/report.js";
import { state } from "../core/state.js";

export const SHEET = "contact_sheet"; // an image of its own size: not to be laid over the others
const PREFIXES = { total: "", start: "first_two_", end: "last_two_" }; // of maps of a window
export const mapOf = new Map(report.maps.map((spec) => [spec.name, spec]));

/** @param {string} name */
export function mapTitle(name) {
  return mapOf.get(name)?.title ?? { original: "Original", [SHEET]: "Scenes" }[name] ?? name.replaceAll("_", " ");
}

/** @param {string} name */
export function mapOrder(name) {
  if (name === "original") return -1;
  const index = report.maps.findIndex((spec) => spec.name === name);
  return index < 0 || name === SHEET ? report.maps.length : index;
}

/** @param {string} name */
export const layerOf = (name) => name.replace(/^(first|last)_two_/, "");

/**
 * Layers of a medium: what it has of the whole time.
 * @param {Medium} medium
 */
export const layersOf = (medium) => Object.keys(medium.maps).filter((name) => layerOf(name) === name && name !== SHEET).sort((a, b) => mapOrder(a) - mapOrder(b));

/**
 * The map of a layer at the time that is shown; that of the whole, where the window has none.
 * @param {string} layer
 * @param {Medium} medium
 */
export function mapAt(layer, medium) {
  const name = `${PREFIXES[state.window]}${layer}`;
  return medium.maps[name] ? name : layer;
}

/** @param {ColourBar} bar */
export function legend(bar) {
  const colours = element("i");
  colours.style.background = bar.gradient;
  const ticks = bar.ticks.map(([place, text]) => element("span", { style: `left:${place}%` }, text));
  return element("span", { className: "legend" }, colours, ...ticks);
}

/**
 * What can be drawn on: the image, or the preview of a video; a tall page only in a window, which the editor has not.
 * @param {Medium} medium
 */
export function canDraw(medium) {
  if (medium.folds.length) return false;
  return medium.moves ? ["preview", "preview_heat", "preview_fog"].some((name) => medium.videos[name]) : Object.keys(medium.maps).length > 0;
}
