// The editor of areas: its state, what it draws over the picture, and its keys.

const NUDGE = 0.005; // of a side, for a press of an arrow
const GRIPS = { nw: [0, 0], n: [0.5, 0], ne: [1, 0], e: [1, 0.5], se: [1, 1], s: [0.5, 1], sw: [0, 1], w: [0, 0.5] };
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let editing = null; // the draft that is open
let chosen = null; // key of the chosen area
let corner = null; // index of the chosen corner of a polygon
let path = null; // corners of the polygon that is being drawn
let cross = [0.5, 0.5]; // where the keyboard draws
let newType = "branding"; // of the next area
const itemShapes = new Map(); // by key; kept, so that focus stays where it is

const chosenItem = () => editing?.list.find((item) => item.key === chosen);
const visibleItems = () => editing.list.filter((item) => itemBoxNow(item));

function say(text) {
  byId("editor-says").textContent = text;
}

/** In words: for those who do not see it. */
function itemWords(item) {
  const [x0, y0, x1, y1] = itemBox(item).map((side) => Math.round(100 * side));
  const name = `${areaTitle.get(item.type)}${item.label ? ` “${item.label}”` : ""}`;
  return `Area ${editing.list.indexOf(item) + 1}, ${name}: ${x0} % from the left, ${y0} % from the top, ${x1 - x0} % wide, ${y1 - y0} % high`;
}

// ---- choosing

function chooseItem(key) {
  if (chosen === key) return;
  [chosen, corner] = [key, null];
  const item = chosenItem();
  if (item) say(itemWords(item));
  showEditing();
}

function focusItem(key) {
  chooseItem(key);
  if (itemShapes.get(key)?.isConnected) itemShapes.get(key).focus({ preventScroll: true });
  else byId("canvas").focus({ preventScroll: true });
}

// ---- changing

function replaceItem(changed, before) {
  record(editing, editing.list.map((item) => (item.key === changed.key ? changed : item)), before);
}

function change(item, make, words) {
  if (followed(item)) say("It stays at this place now and follows nothing any more.");
  const changed = make(item);
  if (changed === item) return;
  replaceItem(changed);
  showEditing();
  if (words) say(words);
}

/** A drawn area of a video is there for the scene in which it was drawn. */
function sceneSpan() {
  if (timeline === null || timeline.scenes.start.length < 2) return { t0: null, t1: null };
  const { start, end } = timeline.scenes;
  return { t0: start[sceneAt(now)], t1: end[sceneAt(now)] };
}

function newItem(box, polygon = null) {
  newestKey += 1;
  return placed({ key: newestKey, type: newType, label: "", ...sceneSpan(), found: null }, box, polygon);
}

function addItem(item) {
  record(editing, [...editing.list, item]);
  showEditing();
  focusItem(item.key);
  say(`New ${itemWords(item)}. Choose its type and name it.`);
}

function newBox() {
  leavePath();
  addItem(newItem([0.4, 0.4, 0.6, 0.6]));
}

function removeItem() {
  const item = chosenItem();
  if (!item) return;
  const i = editing.list.indexOf(item);
  record(editing, editing.list.filter((one) => one !== item));
  chosen = null;
  showEditing();
  const next = editing.list[Math.min(i, editing.list.length - 1)];
  if (next && itemBoxNow(next)) focusItem(next.key);
  else byId("canvas").focus({ preventScroll: true });
  say(`Deleted: ${areaTitle.get(item.type)}${item.label ? ` “${item.label}”` : ""}.`);
}

function undo(back = true) {
  const moved = back ? travel(editing, editing.past, editing.future) : travel(editing, editing.future, editing.past);
  if (!chosenItem()) chosen = null;
  corner = null;
  showEditing();
  if (chosen !== null) focusItem(chosen);
  say(moved ? (back ? "Undone." : "Done again.") : `Nothing to ${back ? "undo" : "redo"}.`);
}

// ---- polygons

function startPolygon() {
  if (path) return leavePath("The polygon was left.");
  [path, cross, chosen] = [[], [0.5, 0.5], null];
  showEditing();
  byId("canvas").focus({ preventScroll: true });
  say("New polygon: click its corners, or set them with the arrows and Space. Enter closes it.");
}

function leavePath(words) {
  path = null;
  showEditing();
  if (words) say(words);
}

function addCorner(point) {
  const last = path.at(-1);
  if (last && Math.hypot(last[0] - point[0], last[1] - point[1]) < SMALLEST) return;
  path.push(point);
  cross = point;
  drawItems();
  say(`Corner ${path.length}.${path.length > 2 ? " Enter closes the polygon." : ""}`);
}

function closePath() {
  const box = path.length > 2 ? bounds(path) : null;
  if (!box || box[2] - box[0] < SMALLEST || box[3] - box[1] < SMALLEST) return say("A polygon needs three corners that are apart.");
  const item = newItem(box, path);
  path = null;
  return addItem(item);
}

function chooseCorner(by) {
  const item = chosenItem();
  if (!item?.polygon) return;
  const n = item.polygon.length;
  corner = corner === null ? (by > 0 ? 0 : n - 1) : (corner + by + n) % n;
  drawItems();
  say(`Corner ${corner + 1} of ${n}: the arrows move it.`);
}

// ---- keys

function arrow([x, y], event) {
  const step = event.repeat ? 2 * NUDGE : NUDGE;
  const [dx, dy] = [x * step, y * step];
  if (path) {
    cross = [limited(cross[0] + 2 * dx, 0, 1), limited(cross[1] + 2 * dy, 0, 1)];
    return drawItems();
  }
  const item = chosenItem();
  if (!item || !itemBoxNow(item)) return say("Choose an area first: Tab goes from one to the next.");
  if (event.shiftKey) return change(item, (one) => resizedBy(one, "se", dx, dy), null);
  if (corner !== null) return change(item, (one) => withCorner(one, corner, [one.polygon[corner][0] + dx, one.polygon[corner][1] + dy]));
  return change(item, (one) => movedBy(one, dx, dy));
}

function escape() {
  if (gesture) return leaveGesture();
  if (path) return leavePath("The polygon was left.");
  if (corner !== null) corner = null;
  else if (chosen !== null) chosen = null;
  else return closeEditor();
  byId("canvas").focus({ preventScroll: true });
  return showEditing();
}

const EDITOR_KEYS = {
  n: newBox,
  p: startPolygon,
  Delete: removeItem,
  Backspace: () => (path ? dropCorner() : removeItem()),
  "[": () => chooseCorner(-1),
  "]": () => chooseCorner(1),
};

function dropCorner() {
  path.pop();
  drawItems();
  say(`${path.length} corners.`);
}

/** Keys that mean something only on the picture: elsewhere they press buttons and open lists. */
function canvasKey(event) {
  if (event.key === "Enter") return path ? closePath() : chosenItem() && byId("area-label").focus();
  if (event.key === " " && path) return addCorner(cross);
  return ARROWS[event.key] ? arrow(ARROWS[event.key], event) ?? true : false;
}

/** Keys of the editor; says whether it took the key. */
function editorKey(event) {
  if (editing === null) return false;
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape") {
    event.preventDefault();
    if (typing && event.target.closest("#editor") && chosenItem()) focusItem(chosen);
    else escape();
    return true;
  }
  if (typing) return false;
  if (event.ctrlKey || event.metaKey) return historyKey(event);
  if (event.altKey) return false;
  const onCanvas = byId("canvas").contains(event.target) || event.target === document.body || event.target === byId("detail");
  const wants = EDITOR_KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const takes = wants !== undefined || (onCanvas && (ARROWS[event.key] || event.key === "Enter" || (event.key === " " && path)));
  if (takes) event.preventDefault();
  if (wants) wants();
  else if (takes) canvasKey(event);
  return Boolean(takes) || event.key in ARROWS || event.key === "j" || event.key === "k";
}

function historyKey(event) {
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return false;
  event.preventDefault();
  undo(key === "z" && !event.shiftKey);
  return true;
}

// ---- opening and closing

/** What can be drawn on: the picture, or the preview of a video. */
function canDraw(medium) {
  return medium.moves ? ["preview", "preview_heat", "preview_fog"].some((name) => medium.videos[name]) : Object.keys(medium.maps).length > 0;
}

function openEditor() {
  const medium = report.media[current];
  editing = draftOf(medium);
  [chosen, corner, path] = [null, null, null];
  itemShapes.clear();
  video.pause();
  if (medium.moves && medium.videos.preview) setLook("preview");
  if (!medium.moves) setLeft(medium.maps.original ? "original" : Object.keys(medium.maps)[0], medium);
  byId(medium.moves ? "film" : "compare").append(byId("canvas"));
  setEditing(true);
  byId("saved-how").hidden = true;
  showEditing();
  byId("canvas").focus({ preventScroll: true });
  say(editing.list.length ? "Tab goes from area to area. N draws a new box." : "Drag on the picture to draw an area, or press N.");
}

function setEditing(on) {
  byId("detail").classList.toggle("editing", on);
  for (const id of ["canvas", "editor"]) byId(id).hidden = !on;
  byId("areas").hidden = on;
  byId("editor").classList.toggle("timed", on && editing.medium.moves);
}

function closeEditor() {
  if (editing === null) return;
  const { medium } = editing;
  [editing, gesture, path] = [null, null, null];
  setEditing(false);
  if (report.media[current] !== medium) return;
  showAreas(medium);
  byId("edit-areas").focus({ preventScroll: true });
}
