// Drawing and changing areas with a mouse, a pen or a finger.

import { byId } from "../core/dom.js";
import { listen, notify, state } from "../core/state.js";
import { bounds } from "./boxes.js";
import { drawItems, drawPath } from "./canvas.js";
import { addCorner, closePath, leavePath, newItem, startBox } from "./commands.js";
import { recordList } from "./drafts.js";
import { bySize, followed, isInside, itemBox, movedBy, outlineDistance, placed, resizedBy, withCorner } from "./geometry.js";
import { isClick, wirePresses } from "./presses.js";
import { showScores } from "./scores.js";
import { chosenItem, endTyping, focusItem, itemWords, say, visibleItems } from "./session.js";

const NEAR_PX = 9; // of an outline, or of the first corner of a polygon
const NEAR_TOUCH_PX = 22; // half of what a finger hits

const canvasSize = () => byId("canvas").getBoundingClientRect();
/** @param {PointerEvent} event */
const nearPx = (event) => (event.pointerType === "touch" ? NEAR_TOUCH_PX : NEAR_PX);

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
  const [nearest] = bySize(items, near);
  return nearest ? { kind: "move", item: nearest } : { kind: "draw", item: null };
}

/** @param {Point} at @param {PointerEvent} event */
function onPress(at, event) {
  endTyping();
  const boxing = state.editor.shape === "box" && state.editor.path.length === 0;
  if (state.editor.path && !boxing) return pressCorner(at, event);
  if (boxing) leavePath();
  state.editor.gesture = { ...(boxing ? { kind: "draw", item: null, boxing } : gestureAt(event, at)), from: at, before: state.editor.draft.list, going: false };
  return undefined;
}

/** @param {Point} at @param {PointerEvent} event */
function pressCorner(at, event) {
  const size = canvasSize();
  const first = state.editor.path[0];
  const closes = state.editor.shape === "polygon" && state.editor.path.length > 2 && Math.hypot((at[0] - first[0]) * size.width, (at[1] - first[1]) * size.height) < nearPx(event);
  if (closes) return closePath();
  return addCorner(at);
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
  return placed(item, bounds([from, at]), null);
}

function beginGesture() {
  state.editor.gesture.going = true;
  if (state.editor.gesture.kind === "draw") {
    state.editor.gesture.item = newItem(bounds([state.editor.gesture.from]));
    state.editor.draft.list = [...state.editor.gesture.before, state.editor.gesture.item];
  } else if (followed(state.editor.gesture.item)) {
    say("It now stays at this place.");
    state.editor.gesture.item = placed(state.editor.gesture.item, itemBox(state.editor.gesture.item), null);
  }
  state.editor.chosen = state.editor.gesture.item.key;
}

/** @param {Point} at @param {PointerEvent} event */
function onHover(at, event) {
  if (!state.editor.path || event.pointerType !== "mouse") return;
  state.editor.cross = at;
  drawPath();
}

/** @param {Point} at */
function onDrag(at) {
  if (!state.editor.gesture) return undefined;
  if (!state.editor.gesture.going) beginGesture();
  const changed = reshaped(at);
  state.editor.draft.list = state.editor.draft.list.map((item) => (item.key === changed.key ? changed : item));
  drawItems();
  return showScores();
}

/** @param {Point} at @param {PointerEvent} event */
function onRelease(at, event) {
  if (!state.editor.gesture) return undefined;
  const done = state.editor.gesture;
  state.editor.gesture = null;
  const list = state.editor.draft.list;
  state.editor.draft.list = done.before;
  const clicked = !done.going || (done.kind === "draw" && isClick(list.at(-1).box, canvasSize(), event.pointerType));
  if (clicked && done.boxing) return startBox();
  if (clicked) return done.kind === "draw" || done.kind === "move" ? clickAt(at, event) : undefined;
  recordList(state.editor.draft, list);
  notify("draft");
  focusItem(state.editor.chosen);
  return done.kind === "draw" ? say(`New ${itemWords(chosenItem())}. Choose its type and name it.`) : undefined;
}

/**
 * A click means the smallest area there; on the chosen one, the next larger.
 * @param {Point} at
 * @param {PointerEvent} event
 */
function clickAt(at, event) {
  const there = bySize(visibleItems(), (item) => isInside(item, at) || outlineDistance(item, at, canvasSize()) < nearPx(event));
  if (there.length) return focusItem(there[(there.indexOf(chosenItem()) + 1) % there.length].key);
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
  wirePresses(canvas, { onPress, onHover, onDrag, onRelease, onCancel: () => { if (state.editor.gesture) leaveGesture(); } });
  canvas.addEventListener("dblclick", () => { if (state.editor.shape === "polygon") closePath(); });
  // keep it from the slider below an image and from the video, which plays on a click
  for (const kind of ["pointerdown", "pointermove", "click"]) canvas.addEventListener(kind, (event) => event.stopPropagation());
}
