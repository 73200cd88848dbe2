// Changes of a draft.

import { areaTitle } from "../areas/scores.js";
import { byId } from "../core/dom.js";
import { notify, state } from "../core/state.js";
import { SMALLEST, bounds } from "./boxes.js";
import { drawItems } from "./canvas.js";
import { moveThrough, newKey, recordList } from "./drafts.js";
import { followed, itemBoxNow, placed } from "./geometry.js";
import { chosenItem, focusItem, itemWords, say } from "./session.js";
import { sceneAt } from "../player/timeline.js";

/** @param {DraftItem} changed @param {DraftItem[]} [before] */
export function replaceItem(changed, before) {
  recordList(state.editor.draft, state.editor.draft.list.map((item) => (item.key === changed.key ? changed : item)), before);
}

/** @param {DraftItem} item @param {(item: DraftItem) => DraftItem} make @param {string | null} [words] */
export function changeItem(item, make, words) {
  if (followed(item)) say("It now stays at this place.");
  const changed = make(item);
  if (changed === item) return;
  replaceItem(changed);
  notify("draft");
  if (words) say(words);
}

/** A drawn area of a video is there for the scene in which it was drawn. */
function sceneSpan() {
  if (state.timeline === null || state.timeline.scenes.start.length < 2) return { t0: null, t1: null };
  const { start, end } = state.timeline.scenes;
  return { t0: start[sceneAt(state.now)], t1: end[sceneAt(state.now)] };
}

/** @param {Box} box @param {Point[] | null} [polygon] */
export function newItem(box, polygon = null) {
  return placed({ key: newKey(), type: state.editor.newType, label: "", ...sceneSpan(), found: null }, box, polygon);
}

/** @param {DraftItem} item */
function addItem(item) {
  recordList(state.editor.draft, [...state.editor.draft.list, item]);
  notify("draft");
  focusItem(item.key);
  say(`New ${itemWords(item)}. Choose its type and name it.`);
}

/**
 * Draw a shape from now on; asked for again, it is left.
 * @param {"box" | "polygon"} shape
 * @param {string} words
 */
function startPath(shape, words) {
  const again = state.editor.shape === shape;
  leavePath(again ? `The ${shape} was left.` : null);
  if (again) return;
  [state.editor.path, state.editor.shape, state.editor.cross, state.editor.chosen] = [[], shape, [0.5, 0.5], null];
  notify("draft");
  byId("canvas").focus({ preventScroll: true });
  say(words);
}

export function startBox() {
  startPath("box", "New box: drag on the image, or set two opposite corners with the arrows and Space.");
}

export function removeItem() {
  const item = chosenItem();
  if (!item) return;
  const i = state.editor.draft.list.indexOf(item);
  recordList(state.editor.draft, state.editor.draft.list.filter((other) => other !== item));
  state.editor.chosen = null;
  notify("draft");
  const next = state.editor.draft.list[Math.min(i, state.editor.draft.list.length - 1)];
  if (next && itemBoxNow(next)) focusItem(next.key);
  else byId("canvas").focus({ preventScroll: true });
  say(`Deleted: ${areaTitle.get(item.type)}${item.label ? ` “${item.label}”` : ""}.`);
}

export function undo(back = true) {
  if (state.editor.path) return back && state.editor.path.length ? dropCorner() : leavePath(`The ${state.editor.shape} was left.`);
  const moved = back ? moveThrough(state.editor.draft, state.editor.draft.past, state.editor.draft.future) : moveThrough(state.editor.draft, state.editor.draft.future, state.editor.draft.past);
  if (!chosenItem()) state.editor.chosen = null;
  state.editor.corner = null;
  notify("draft");
  if (state.editor.chosen !== null) focusItem(state.editor.chosen);
  return say(moved ? (back ? "Undone." : "Done again.") : `Nothing to ${back ? "undo" : "redo"}.`);
}

export function startPolygon() {
  startPath("polygon", "New polygon: click its corners, or set them with the arrows and Space. Enter closes it.");
}

/** @param {string | null} [words] */
export function leavePath(words) {
  [state.editor.path, state.editor.shape] = [null, null];
  notify("draft");
  if (words) say(words);
}

/** @param {Point} point */
export function addCorner(point) {
  const last = state.editor.path.at(-1);
  if (last && Math.hypot(last[0] - point[0], last[1] - point[1]) < SMALLEST) return;
  state.editor.cross = point;
  if (state.editor.shape === "box" && last) return closeBox(last, point);
  state.editor.path.push(point);
  drawItems();
  if (state.editor.shape === "box") return say("First corner. Space sets the opposite one.");
  return say(`Corner ${state.editor.path.length}.${state.editor.path.length > 2 ? " Enter closes the polygon." : ""}`);
}

/** @param {Point} first @param {Point} second */
function closeBox(first, second) {
  const box = bounds([first, second]);
  if (box[2] - box[0] < SMALLEST || box[3] - box[1] < SMALLEST) return say("The corners of a box must be apart in both directions.");
  leavePath();
  return addItem(newItem(box));
}

export function closePath() {
  if (state.editor.shape === "box") return addCorner(state.editor.cross);
  const box = state.editor.path.length > 2 ? bounds(state.editor.path) : null;
  if (!box || box[2] - box[0] < SMALLEST || box[3] - box[1] < SMALLEST) return say("A polygon needs three corners that are apart.");
  const item = newItem(box, state.editor.path);
  [state.editor.path, state.editor.shape] = [null, null];
  return addItem(item);
}

/** @param {number} by */
export function chooseCorner(by) {
  const item = chosenItem();
  if (!item?.polygon) return;
  const n = item.polygon.length;
  state.editor.corner = state.editor.corner === null ? (by > 0 ? 0 : n - 1) : (state.editor.corner + by + n) % n;
  drawItems();
  say(`Corner ${state.editor.corner + 1} of ${n}: the arrows move it.`);
}

export function dropCorner() {
  state.editor.path.pop();
  drawItems();
  say(`${state.editor.path.length} corners.`);
}
