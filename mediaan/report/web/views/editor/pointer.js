// Drawing and changing areas with a mouse, a pen or a finger.

import { STILL_PX, byId } from "../core/dom.js";
import { listen, notify, state } from "../core/state.js";
import { drawItems, drawPath } from "./canvas.js";
import { addCorner, closePath, leavePath, newItem, startBox } from "./commands.js";
import { recordList } from "./drafts.js";
import { followed, isInside, itemBox, limited, movedBy, outlineDistance, placed, resizedBy, smallest, withCorner } from "./geometry.js";
import { showScores } from "./scores.js";
import { chosenItem, focusItem, itemWords, say, visibleItems } from "./session.js";

const NEAR_PX = 9; // of an outline, or of the first corner of a polygon
const canvasSize = () => byId("canvas").getBoundingClientRect();

/**
 * Unit coordinates of a pointer, inside the image.
 * @param {any} event
 */
function pointerPosition(event) {
  const box = canvasSize();
  return [limited((event.clientX - box.left) / box.width, 0, 1), limited((event.clientY - box.top) / box.height, 0, 1)];
}

/**
 * What pressing at a place begins.
 * @param {any} event
 * @param {Point} at
 */
function gestureAt(event, at) {
  const item = chosenItem();
  const name = event.target.dataset?.grip;
  if (name && item) return item.polygon ? { kind: "corner", item, i: Number(name) } : { kind: "resize", item, sides: name };
  const size = canvasSize();
  const near = (other) => outlineDistance(other, at, size) < NEAR_PX;
  const items = visibleItems();
  if (item && items.includes(item) && (near(item) || isInside(item, at))) return { kind: "move", item };
  const nearest = smallest(items, near);
  return nearest ? { kind: "move", item: nearest } : { kind: "draw", item: null };
}

/** @param {any} event */
function onPress(event) {
  if (event.button !== 0) return;
  event.preventDefault();
  byId("canvas").setPointerCapture(event.pointerId);
  const at = pointerPosition(event);
  const boxing = state.editor.shape === "box" && state.editor.path.length === 0;
  if (state.editor.path && !boxing) return pressCorner(at);
  if (boxing) leavePath();
  state.editor.gesture = { ...(boxing ? { kind: "draw", item: null, boxing } : gestureAt(event, at)), from: at, before: state.editor.draft.list, px: [event.clientX, event.clientY], going: false };
  return undefined;
}

/** @param {Point} at */
function pressCorner(at) {
  const size = canvasSize();
  const first = state.editor.path[0];
  const closes = state.editor.shape === "polygon" && state.editor.path.length > 2 && Math.hypot((at[0] - first[0]) * size.width, (at[1] - first[1]) * size.height) < NEAR_PX;
  if (closes) return closePath();
  return addCorner(at);
}

/** @param {Point} point @param {Point} point */
function drawnBox([ax, ay], [bx, by]) {
  return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
}

/**
 * The area as the pointer has made it.
 * @param {Point} at
 */
function reshaped(at) {
  const { kind, item, from } = state.editor.gesture;
  const [dx, dy] = [at[0] - from[0], at[1] - from[1]];
  if (kind === "move") return movedBy(item, dx, dy);
  if (kind === "resize") return resizedBy(item, state.editor.gesture.sides, dx, dy);
  if (kind === "corner") return withCorner(item, state.editor.gesture.i, at);
  return placed(item, drawnBox(from, at), null);
}

function beginGesture() {
  state.editor.gesture.going = true;
  if (state.editor.gesture.kind === "draw") {
    state.editor.gesture.item = newItem(drawnBox(state.editor.gesture.from, state.editor.gesture.from));
    state.editor.draft.list = [...state.editor.gesture.before, state.editor.gesture.item];
  } else if (followed(state.editor.gesture.item)) {
    say("It stays at this place now and follows nothing any more.");
    state.editor.gesture.item = placed(state.editor.gesture.item, itemBox(state.editor.gesture.item), null);
  }
  state.editor.chosen = state.editor.gesture.item.key;
}

/** @param {any} event */
function onDrag(event) {
  if (state.editor.path && event.pointerType === "mouse") {
    state.editor.cross = pointerPosition(event);
    return drawPath();
  }
  if (!state.editor.gesture) return undefined;
  if (!state.editor.gesture.going) {
    if (Math.hypot(event.clientX - state.editor.gesture.px[0], event.clientY - state.editor.gesture.px[1]) < STILL_PX) return undefined;
    beginGesture();
  }
  const changed = reshaped(pointerPosition(event));
  state.editor.draft.list = state.editor.draft.list.map((item) => (item.key === changed.key ? changed : item));
  drawItems();
  return showScores();
}

/** @param {any} event */
function onRelease(event) {
  if (!state.editor.gesture) return undefined;
  const done = state.editor.gesture;
  state.editor.gesture = null;
  if (!done.going && done.boxing) return startBox();
  if (!done.going) return done.kind === "draw" || done.kind === "move" ? clickAt(pointerPosition(event)) : undefined;
  const item = chosenItem();
  const size = canvasSize();
  const tiny = (item.box[2] - item.box[0]) * size.width < STILL_PX || (item.box[3] - item.box[1]) * size.height < STILL_PX;
  const list = state.editor.draft.list;
  state.editor.draft.list = done.before;
  if (!(done.kind === "draw" && tiny)) recordList(state.editor.draft, list);
  else state.editor.chosen = null;
  notify("draft");
  if (state.editor.chosen !== null) focusItem(state.editor.chosen);
  return done.kind === "draw" && state.editor.chosen !== null ? say(`New ${itemWords(item)}. Choose its type and name it.`) : undefined;
}

/**
 * A click means the smallest area there; on the chosen one, the next larger.
 * @param {Point} at
 */
function clickAt(at) {
  const nearest = smallest(visibleItems(), (item) => isInside(item, at) || outlineDistance(item, at, canvasSize()) < NEAR_PX);
  if (nearest) return focusItem(nearest.key);
  state.editor.chosen = null;
  byId("canvas").focus({ preventScroll: true });
  return notify("draft");
}

export function leaveGesture() {
  state.editor.draft.list = state.editor.gesture.before;
  state.editor.gesture = null;
  if (!chosenItem()) state.editor.chosen = null;
  notify("draft");
  say("Left as it was.");
}

export function wireDrawing() {
  const canvas = byId("canvas");
  listen("draft", drawItems);
  listen("moment", () => { if (state.editor.draft !== null) drawItems(); });
  canvas.addEventListener("pointerdown", onPress);
  canvas.addEventListener("pointermove", onDrag);
  canvas.addEventListener("pointerup", onRelease);
  canvas.addEventListener("pointercancel", () => { if (state.editor.gesture) leaveGesture(); });
  canvas.addEventListener("dblclick", () => { if (state.editor.shape === "polygon") closePath(); });
  // keep it from the slider below an image and from the video, which plays on a click
  for (const kind of ["pointerdown", "pointermove", "click"]) canvas.addEventListener(kind, (event) => event.stopPropagation());
}
