// What the editor draws on the image: areas, grips, the polygon that is under way.

import { outline, tag } from "../areas/outline.js";
import { byId, element, svgElement } from "../core/dom.js";
import { state } from "../core/state.js";
import { itemBoxNow } from "./geometry.js";
import { tagWords } from "./scores.js";
import { chooseItem, chosenItem, itemWords, visibleItems } from "./session.js";

const GRIPS = { nw: [0, 0], n: [0.5, 0], ne: [1, 0], e: [1, 0.5], se: [1, 1], s: [0.5, 1], sw: [0, 1], w: [0, 0.5] };
const MIDDLE_PX = 44; // of a side that has room for a grip between its corners
export const itemShapes = new Map(); // by key; kept, so that focus stays where it is

/** @param {DraftItem} item */
function itemShape(item) {
  if (!itemShapes.has(item.key)) {
    const shape = svgElement("g", { tabindex: 0, role: "button", "aria-roledescription": "area" });
    shape.dataset.key = `${item.key}`;
    shape.addEventListener("focus", () => chooseItem(item.key));
    itemShapes.set(item.key, shape);
  }
  const shape = itemShapes.get(item.key);
  shape.setAttribute("class", `item type-${item.type}${item.key === state.editor.chosen ? " chosen" : ""}`);
  shape.setAttribute("aria-label", itemWords(item));
  shape.replaceChildren(...outline(itemBoxNow(item), item.polygon));
  return shape;
}

/**
 * At the side of its area from which there is more room.
 * @param {DraftItem} item
 */
function itemTag(item) {
  const box = itemBoxNow(item);
  const label = tag(tagWords(item), item.type, box, item.polygon);
  if (box[0] > 1 - box[2]) Object.assign(label.style, { left: "auto", right: `${100 * Math.max(0, 1 - box[2])}%` });
  return label;
}

/** @param {string} name @param {number} x @param {number} y @param {boolean} [active] */
function grip(name, x, y, active = false) {
  const handle = element("i", { className: `grip ${name}${active ? " active" : ""}` });
  handle.dataset.grip = name;
  Object.assign(handle.style, { left: `${100 * x}%`, top: `${100 * y}%` });
  return handle;
}

function grips() {
  const item = chosenItem();
  const box = item && itemBoxNow(item);
  if (!box || state.editor.path) return [];
  if (item.polygon) return item.polygon.map(([x, y], i) => grip(`${i}`, x, y, i === state.editor.corner));
  const { width, height } = byId("canvas").getBoundingClientRect();
  const room = { n: (box[2] - box[0]) * width, e: (box[3] - box[1]) * height };
  const names = Object.keys(GRIPS).filter((name) => name.length === 2 || room["ns".includes(name) ? "n" : "e"] >= MIDDLE_PX);
  return names.map((name) => [name, GRIPS[name]]).map(([name, [x, y]]) => grip(name, box[0] + x * (box[2] - box[0]), box[1] + y * (box[3] - box[1])));
}

/** Corners of what is drawn, with the cross as the next one; of a box all four. */
function pathCorners() {
  if (!state.editor.path) return [];
  const [first, cross] = [state.editor.path[0], state.editor.cross];
  if (state.editor.shape === "polygon" || !first) return [...state.editor.path, cross];
  return [first, [cross[0], first[1]], cross, [first[0], cross[1]], first];
}

export function drawPath() {
  const points = pathCorners().map((point) => point.join(",")).join(" ");
  byId("canvas-path").replaceChildren(...["edge", "line"].map((kind) => svgElement("polyline", { class: kind, points })));
  byId("canvas").classList.toggle("drawing", state.editor.path !== null);
  for (const shape of ["box", "polygon"]) byId(`new-${shape}`).setAttribute("aria-pressed", String(state.editor.shape === shape));
}

export function drawItems() {
  const items = visibleItems();
  const shapes = items.map(itemShape);
  const host = byId("canvas-items");
  for (const old of [...host.children]) if (!shapes.includes(old)) old.remove();
  for (const shape of shapes) if (shape.parentNode !== host) host.append(shape);
  const tags = items.map(itemTag);
  const marks = state.editor.path ? [...state.editor.path.map(([x, y]) => grip("set", x, y)), grip("cross", state.editor.cross[0], state.editor.cross[1])] : [];
  byId("canvas-marks").replaceChildren(...tags, ...grips(), ...marks);
  drawPath();
}
