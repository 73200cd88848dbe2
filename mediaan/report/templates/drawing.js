// Drawing and changing areas with a mouse, a pen or a finger.

const NEAR_PX = 9; // of an outline, or of the first corner of a polygon
const STILL_PX = 4; // a hand that moves less only clicks
let gesture = null; // what a pressed pointer does

const canvasSize = () => byId("canvas").getBoundingClientRect();

/** Unit coordinates of a pointer, inside the picture. */
function spot(event) {
  const box = canvasSize();
  return [limited((event.clientX - box.left) / box.width, 0, 1), limited((event.clientY - box.top) / box.height, 0, 1)];
}

/** What pressing at a place begins. */
function gestureAt(event, at) {
  const item = chosenItem();
  const name = event.target.dataset?.grip;
  if (name && item) return item.polygon ? { kind: "corner", item, i: Number(name) } : { kind: "resize", item, sides: name };
  const size = canvasSize();
  const near = (one) => outlineDistance(one, at, size) < NEAR_PX;
  const items = visibleItems();
  if (item && items.includes(item) && (near(item) || isInside(item, at))) return { kind: "move", item };
  const found = smallest(items, near);
  return found ? { kind: "move", item: found } : { kind: "draw", item: null };
}

function onPress(event) {
  if (event.button !== 0) return;
  event.preventDefault();
  byId("canvas").setPointerCapture(event.pointerId);
  const at = spot(event);
  if (path) return pressCorner(at);
  gesture = { ...gestureAt(event, at), from: at, before: editing.list, px: [event.clientX, event.clientY], going: false };
  return undefined;
}

function pressCorner(at) {
  const size = canvasSize();
  const first = path[0];
  const closes = path.length > 2 && Math.hypot((at[0] - first[0]) * size.width, (at[1] - first[1]) * size.height) < NEAR_PX;
  if (closes) return closePath();
  return addCorner(at);
}

function drawnBox([ax, ay], [bx, by]) {
  return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
}

/** The area as the pointer has made it. */
function reshaped(at) {
  const { kind, item, from } = gesture;
  const [dx, dy] = [at[0] - from[0], at[1] - from[1]];
  if (kind === "move") return movedBy(item, dx, dy);
  if (kind === "resize") return resizedBy(item, gesture.sides, dx, dy);
  if (kind === "corner") return withCorner(item, gesture.i, at);
  return placed(item, drawnBox(from, at), null);
}

function begin() {
  gesture.going = true;
  if (gesture.kind === "draw") {
    gesture.item = newItem(drawnBox(gesture.from, gesture.from));
    editing.list = [...gesture.before, gesture.item];
  } else if (followed(gesture.item)) {
    say("It stays at this place now and follows nothing any more.");
    gesture.item = placed(gesture.item, itemBox(gesture.item), null);
  }
  chosen = gesture.item.key;
}

function onDrag(event) {
  if (path && event.pointerType === "mouse") {
    cross = spot(event);
    return drawPath();
  }
  if (!gesture) return undefined;
  if (!gesture.going) {
    if (Math.hypot(event.clientX - gesture.px[0], event.clientY - gesture.px[1]) < STILL_PX) return undefined;
    begin();
  }
  const changed = reshaped(spot(event));
  editing.list = editing.list.map((item) => (item.key === changed.key ? changed : item));
  return drawItems();
}

function onRelease(event) {
  if (!gesture) return undefined;
  const done = gesture;
  gesture = null;
  if (!done.going) return done.kind === "draw" || done.kind === "move" ? clickAt(spot(event)) : undefined;
  const item = chosenItem();
  const size = canvasSize();
  const tiny = (item.box[2] - item.box[0]) * size.width < STILL_PX || (item.box[3] - item.box[1]) * size.height < STILL_PX;
  const list = editing.list;
  editing.list = done.before;
  if (!(done.kind === "draw" && tiny)) record(editing, list);
  else chosen = null;
  showEditing();
  if (chosen !== null) focusItem(chosen);
  return done.kind === "draw" && chosen !== null ? say(`New ${itemWords(item)}. Choose its type and name it.`) : undefined;
}

/** A click means the smallest area there; on the chosen one, the next larger. */
function clickAt(at) {
  const found = smallest(visibleItems(), (item) => isInside(item, at) || outlineDistance(item, at, canvasSize()) < NEAR_PX);
  if (found) return focusItem(found.key);
  chosen = null;
  byId("canvas").focus({ preventScroll: true });
  return showEditing();
}

function leaveGesture() {
  editing.list = gesture.before;
  gesture = null;
  if (!chosenItem()) chosen = null;
  showEditing();
  say("Left as it was.");
}

function wireDrawing() {
  const canvas = byId("canvas");
  canvas.addEventListener("pointerdown", onPress);
  canvas.addEventListener("pointermove", onDrag);
  canvas.addEventListener("pointerup", onRelease);
  canvas.addEventListener("pointercancel", () => { if (gesture) leaveGesture(); });
  canvas.addEventListener("dblclick", () => { if (path) closePath(); });
  // neither the slider below a picture nor the video that plays on a click shall notice
  for (const kind of ["pointerdown", "pointermove", "click"]) canvas.addEventListener(kind, (event) => event.stopPropagation());
}
