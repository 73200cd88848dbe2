// The draft that is open, its chosen area, and what the editor says.

import { areaTitle } from "../areas/scores.js";
import { byId, query } from "../core/dom.js";
import { notify, state } from "../core/state.js";
import { itemBox, itemBoxNow } from "./geometry.js";

export const chosenItem = () => state.editor.draft?.list.find((item) => item.key === state.editor.chosen);
export const visibleItems = () => state.editor.draft.list.filter((item) => itemBoxNow(item));

/** @param {string} text */
export function say(text) {
  byId("editor-says").textContent = text;
}

/**
 * In words: for those who do not see it.
 * @param {DraftItem} item
 */
export function itemWords(item) {
  const [x0, y0, x1, y1] = itemBox(item).map((side) => Math.round(100 * side));
  const name = `${areaTitle.get(item.type)}${item.label ? ` “${item.label}”` : ""}`;
  return `Area ${state.editor.draft.list.indexOf(item) + 1}, ${name}: ${x0} % from the left, ${y0} % from the top, ${x1 - x0} % wide, ${y1 - y0} % high`;
}

/** What is being typed in the panel belongs to the area that is chosen now: it is taken before another one is. */
export function endTyping() {
  if (byId("editor").contains(document.activeElement)) /** @type {HTMLElement} */ (document.activeElement).blur();
}

/** No area is chosen and none is being drawn. */
export function putDown() {
  Object.assign(state.editor, { chosen: null, corner: null, path: null, shape: null, gesture: null });
}

/** @param {number} key */
export function chooseItem(key) {
  if (state.editor.chosen === key) return;
  [state.editor.chosen, state.editor.corner] = [key, null];
  const item = chosenItem();
  if (item) say(itemWords(item));
  notify("draft");
}

/** @param {number} key */
export function focusItem(key) {
  chooseItem(key);
  const drawn = query(`#canvas-items [data-key="${key}"]`);
  (drawn ?? byId("canvas")).focus({ preventScroll: true });
}
