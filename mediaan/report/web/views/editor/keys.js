// Keys of the editor.

import { byId } from "../core/dom.js";
import { notify, state } from "../core/state.js";
import { limited } from "./boxes.js";
import { drawItems } from "./canvas.js";
import { addCorner, changeItem, chooseCorner, closePath, dropCorner, leavePath, removeItem, startBox, startPolygon, undo } from "./commands.js";
import { closeEditor } from "./editor.js";
import { itemBoxNow, movedBy, resizedBy, withCorner } from "./geometry.js";
import { leaveGesture } from "./pointer.js";
import { chosenItem, focusItem, say } from "./session.js";
import { leaveZoom } from "../viewer/viewer.js";

const NUDGE = 0.005; // of a side, for a press of an arrow
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {Point} point @param {any} event */
function onArrow([x, y], event) {
  const step = event.repeat ? 2 * NUDGE : NUDGE;
  const [dx, dy] = [x * step, y * step];
  if (state.editor.path) {
    state.editor.cross = [limited(state.editor.cross[0] + 2 * dx, 0, 1), limited(state.editor.cross[1] + 2 * dy, 0, 1)];
    return drawItems();
  }
  const item = chosenItem();
  if (!item || !itemBoxNow(item)) return say("Choose an area first: Tab goes from one to the next.");
  if (event.shiftKey) return changeItem(item, (area) => resizedBy(area, "se", dx, dy), null);
  if (state.editor.corner !== null) return changeItem(item, (area) => withCorner(area, state.editor.corner, [area.polygon[state.editor.corner][0] + dx, area.polygon[state.editor.corner][1] + dy]));
  return changeItem(item, (area) => movedBy(area, dx, dy));
}

function onEscape() {
  if (state.editor.path) return leavePath(`The ${state.editor.shape} was left.`);
  if (state.editor.corner !== null) state.editor.corner = null;
  else if (state.editor.chosen !== null) state.editor.chosen = null;
  else if (!leaveZoom()) return closeEditor();
  byId("canvas").focus({ preventScroll: true });
  return notify("draft");
}

const EDITOR_KEYS = {
  n: startBox,
  p: startPolygon,
  Delete: removeItem,
  Backspace: () => (state.editor.path ? dropCorner() : removeItem()),
  "[": () => chooseCorner(-1),
  "]": () => chooseCorner(1),
};

/**
 * Keys that mean something only on the image: elsewhere they press buttons and open lists.
 * @param {any} event
 */
function canvasKey(event) {
  if (event.key === "Enter") return state.editor.path ? closePath() : chosenItem() && byId("area-label").focus();
  if (event.key === " " && state.editor.path) return addCorner(state.editor.cross);
  return ARROWS[event.key] ? onArrow(ARROWS[event.key], event) ?? true : false;
}

/**
 * Keys of the editor; says whether it took the key.
 * @param {any} event
 */
export function editorKey(event) {
  if (state.editor.draft === null) return false;
  if (state.editor.gesture) return gestureKey(event);
  if (event.isComposing) return false;
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape") {
    event.preventDefault();
    if (typing && event.target.closest("#editor") && chosenItem()) focusItem(state.editor.chosen);
    else onEscape();
    return true;
  }
  if (typing) return false;
  if (event.ctrlKey || event.metaKey) return historyKey(event);
  if (event.altKey) return false;
  const onCanvas = byId("canvas").contains(event.target) || event.target === document.body || event.target === byId("detail");
  const wants = EDITOR_KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const takes = wants !== undefined || (onCanvas && (ARROWS[event.key] || event.key === "Enter" || (event.key === " " && state.editor.path)));
  if (takes) event.preventDefault();
  if (wants) wants();
  else if (takes) canvasKey(event);
  return Boolean(takes) || event.key in ARROWS || event.key === "j" || event.key === "k";
}

/**
 * While an area follows the pointer, it can be let go, and nothing else.
 * @param {any} event
 */
function gestureKey(event) {
  event.preventDefault();
  if (event.key === "Escape") leaveGesture();
  return true;
}

/** @param {any} event */
function historyKey(event) {
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return false;
  event.preventDefault();
  undo(key === "z" && !event.shiftKey);
  return true;
}
