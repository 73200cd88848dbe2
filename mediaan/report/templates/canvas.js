// What the editor draws on the picture: areas, grips, the polygon that is under way.

function itemShape(item) {
  if (!itemShapes.has(item.key)) {
    const made = shape("g", { tabindex: 0, role: "button", "aria-roledescription": "area" });
    made.dataset.key = item.key;
    made.addEventListener("focus", () => chooseItem(item.key));
    itemShapes.set(item.key, made);
  }
  const made = itemShapes.get(item.key);
  made.setAttribute("class", `item type-${item.type}${item.key === chosen ? " chosen" : ""}`);
  made.setAttribute("aria-label", itemWords(item));
  made.replaceChildren(...outline(itemBoxNow(item), item.polygon));
  return made;
}

function grip(name, x, y, active = false) {
  const made = element("i", { className: `grip ${name}${active ? " active" : ""}` });
  made.dataset.grip = name;
  Object.assign(made.style, { left: `${100 * x}%`, top: `${100 * y}%` });
  return made;
}

function grips() {
  const item = chosenItem();
  const box = item && itemBoxNow(item);
  if (!box || path) return [];
  if (item.polygon) return item.polygon.map(([x, y], i) => grip(`${i}`, x, y, i === corner));
  return Object.entries(GRIPS).map(([name, [x, y]]) => grip(name, box[0] + x * (box[2] - box[0]), box[1] + y * (box[3] - box[1])));
}

function drawPath() {
  const points = path ? [...path, cross].map((point) => point.join(",")).join(" ") : "";
  byId("canvas-path").replaceChildren(...["edge", "line"].map((kind) => shape("polyline", { class: kind, points })));
  byId("canvas").classList.toggle("drawing", path !== null);
  byId("new-polygon").setAttribute("aria-pressed", String(path !== null));
}

function drawItems() {
  const items = visibleItems();
  const made = items.map(itemShape);
  const host = byId("canvas-items");
  for (const old of [...host.children]) if (!made.includes(old)) old.remove();
  for (const one of made) if (one.parentNode !== host) host.append(one);
  const tags = items.map((item) => tag(`${editing.list.indexOf(item) + 1}`, item.type, itemBoxNow(item), item.polygon));
  const marks = path ? [...path.map(([x, y]) => grip("set", x, y)), grip("cross", ...cross)] : [];
  byId("canvas-marks").replaceChildren(...tags, ...grips(), ...marks);
  drawPath();
}

/** After any change: the drawing and the panel. */
function showEditing() {
  drawItems();
  showPanel();
}
