// The viewer of a medium: a map on either side of a divider, both of one time, with the areas over them.

const SHEET = "contact_sheet"; // a picture of its own size: not to be laid over the others
const PREFIXES = { total: "", start: "first_two_", end: "last_two_" }; // of maps of a window
const mapOf = new Map(report.maps.map((spec) => [spec.name, spec]));
const layers = { left: "original", right: "heat" }; // wished for; kept from medium to medium
let areasShown = true; // over pictures and video; kept, too

const sideMap = (side) => byId(`picture-${side}`).dataset.map;
const layerOf = (name) => name.replace(/^(first|last)_two_/, "");
const openMedium = () => report.media[current];

function mapTitle(name) {
  return mapOf.get(name)?.title ?? { original: "Original", [SHEET]: "Scenes" }[name] ?? name.replaceAll("_", " ");
}

/** The map of a layer at the time that is shown; that of the whole, where the window has none. */
function mapAt(layer, medium) {
  const name = `${PREFIXES[areaOrder.time]}${layer}`;
  return medium.maps[name] ? name : layer;
}

/** What a side shows; where a window is chosen that the layer does not have, that too. */
function sideTitle(name) {
  const lacks = areaOrder.time !== "total" && !["original", SHEET].includes(name) && layerOf(name) === name;
  return lacks ? `${mapTitle(name)}, whole` : mapTitle(name);
}

/** For those who do not see it. */
function tell(words) {
  byId("detail-says").textContent = words;
}

function tellSides() {
  const [left, right] = ["left", "right"].map((side) => byId(`side-${side}`).textContent);
  tell(left === right ? `${left} alone` : `${left} on the left of the divider, ${right} on the right`);
}

// ---- sides

function setPicture(side, name, medium) {
  const picture = byId(`picture-${side}`);
  picture.src = pictureOf(medium, name);
  picture.alt = `${mapTitle(name)} of ${medium.name}`;
  picture.dataset.map = name;
  byId(`side-${side}`).textContent = sideTitle(name);
}

function setRight(name, medium) {
  setPicture("right", name, medium);
  if (name !== SHEET) layers.right = layerOf(name);
  byId("compare").classList.toggle("single", name === SHEET);
  byId("divider").disabled = name === SHEET;
  byId("areas-on-picture").hidden = name === SHEET;
  showCaption(name);
  for (const button of byId("strip").children) button.setAttribute("aria-pressed", String(button.dataset.map === name));
  for (const button of byId("layers").children) button.setAttribute("aria-pressed", String(button.dataset.layer === layerOf(name)));
  describeDivider();
}

function showCaption(name) {
  const spec = mapOf.get(name);
  const words = element("p", {}, element("strong", {}, sideTitle(name)), ` ${spec?.caption ?? ""} `, element("small", {}, spec?.scale ?? ""));
  byId("map-caption").replaceChildren(words, ...(spec?.bar ? [legend(spec.bar)] : []));
}

function legend(bar) {
  const colours = element("i");
  colours.style.background = bar.gradient;
  const ticks = bar.ticks.map(([place, text]) => element("span", { style: `left:${place}%` }, text));
  return element("span", { className: "legend" }, colours, ...ticks);
}

function setLeft(name, medium) {
  setPicture("left", name, medium);
  layers.left = layerOf(name);
  byId("left-map").value = layers.left;
  describeDivider();
}

function swapSides() {
  if (byId("swap").disabled || sideMap("right") === SHEET) return;
  const [left, right] = [sideMap("left"), sideMap("right")];
  setLeft(right, openMedium());
  setRight(left, openMedium());
  tellSides();
}

/** The same wishes at the time that is shown now. */
function showLayers(medium) {
  if (!Object.keys(medium.maps).length) return;
  setLeft(mapAt(layers.left, medium), medium);
  if (sideMap("right") !== SHEET) setRight(mapAt(layers.right, medium), medium);
}

// ---- the divider

function describeDivider() {
  const divider = byId("divider");
  const [left, right] = [byId("side-left").textContent, byId("side-right").textContent];
  byId("compare").classList.toggle("alike", left === right);
  divider.setAttribute("aria-label", `Divider between ${left} and ${right}`);
  divider.setAttribute("aria-valuetext", `${divider.value} % ${left}, ${100 - divider.value} % ${right}`);
}

function setDivider(percent) {
  byId("divider").value = percent;
  byId("compare").style.setProperty("--at", `${byId("divider").value}%`);
  describeDivider();
}

function divideAt(clientX) {
  const box = byId("compare").getBoundingClientRect();
  setDivider((100 * (clientX - box.left)) / box.width);
}

let pressed = null; // where the pointer went down and on which area; `waits` until it has surely moved sideways

/** An area waits to be chosen, and a finger to scroll: both only move the divider when they go sideways. */
function press(event) {
  if (event.button !== 0) return;
  const [area, touch] = [areaUnder(event.target), event.pointerType === "touch"];
  pressed = { area, x: event.clientX, waits: area !== null || touch };
  byId("divider").focus({ preventScroll: true });
  if (!touch) {
    event.currentTarget.setPointerCapture(event.pointerId);
    event.preventDefault();
  }
  if (!pressed.waits) divideAt(event.clientX);
}

function drag(event) {
  if (pressed === null || (pressed.waits && Math.abs(event.clientX - pressed.x) < STILL_PX)) return;
  pressed.waits = false;
  divideAt(event.clientX);
}

function letGo(event) {
  if (pressed?.waits && pressed.area !== null) pickShape(pressed.area);
  else if (pressed?.waits) divideAt(event.clientX);
  pressed = null;
}

function onPictureError(event) {
  const text = `This picture is not where the run left it (${event.target.getAttribute("src")}). Keep the folders report and maps together.`;
  byId("map-caption").textContent = text;
}

// ---- what can be chosen

function mapOrder(name) {
  if (name === "original") return -1;
  const index = report.maps.findIndex((spec) => spec.name === name);
  return index < 0 || name === SHEET ? report.maps.length : index;
}

function stripButton(name, medium) {
  const picture = element("img", { src: pictureOf(medium, name), alt: "", decoding: "async" });
  const className = { original: "print-only", [SHEET]: "screen-only" }[name] ?? "";
  const button = element("button", { type: "button", className }, picture, element("span", {}, mapTitle(name)));
  button.dataset.map = name;
  button.addEventListener("click", () => {
    setRight(name, medium);
    tellSides();
  });
  return button;
}

function layerButton(layer) {
  const button = element("button", { type: "button" }, mapTitle(layer));
  button.dataset.layer = layer;
  button.addEventListener("click", () => chooseLayer(layer));
  return button;
}

function chooseLayer(layer) {
  setRight(mapAt(layer, openMedium()), openMedium());
  tellSides();
}

/** Layers of a medium: what it has of the whole time. */
const layersOf = (medium) => Object.keys(medium.maps).filter((name) => layerOf(name) === name && name !== SHEET).sort((a, b) => mapOrder(a) - mapOrder(b));

function timesOf(medium) {
  const windows = Object.keys(medium.maps).some((name) => layerOf(name) !== name);
  return windows || medium.areas.length ? Object.keys(AREA_TIMES) : [];
}

/** One wish for the time, for pictures, areas and numbers alike. */
function setTime(time) {
  areaOrder.time = time;
  const medium = openMedium();
  showLayers(medium);
  showTimes(medium);
  showAreaTable(medium);
  showShapes(medium);
  tell(`${AREA_TIMES[time]}: maps, areas and their numbers`);
}

function showTimes(medium) {
  byId("times-shown").replaceChildren(...timesOf(medium).map((time) => {
    const button = element("button", { type: "button", "aria-pressed": `${areaOrder.time === time}` }, AREA_TIMES[time]);
    button.dataset.time = time;
    button.addEventListener("click", () => {
      setTime(time);
      byId("times-shown").querySelector(`[data-time="${time}"]`).focus();
    });
    return button;
  }));
  for (const cell of document.querySelectorAll("#windows-table [data-time]")) cell.classList.toggle("of-time", cell.dataset.time === areaOrder.time);
}

function toggleAreas() {
  areasShown = !areasShown;
  showAreasSwitch();
  tell(areasShown ? "Areas are shown" : "Areas are hidden");
}

function showAreasSwitch() {
  byId("detail").classList.toggle("areas-off", !areasShown);
  byId("show-areas").setAttribute("aria-pressed", String(areasShown));
  byId("show-areas").hidden = openMedium().areas.length === 0;
}

/** Twice as large, to be scrolled; or fitted. */
function toggleZoom(on = !byId("stage").classList.contains("zoomed")) {
  byId("stage").classList.toggle("zoomed", on);
  byId("zoom").setAttribute("aria-pressed", String(on));
  if (on) byId("stage").scrollTo({ left: byId("stage").clientWidth / 2, behavior: "instant" });
}

// ---- a medium

/** A picture is the first thing to see; of a video that is its player, and its maps come later. */
function placeViewer(medium) {
  if (medium.moves) byId("strip").before(byId("viewer"));
  else byId("detail-view").append(byId("viewer"));
  byId("maps-note").textContent = `${medium.moves ? "Each is the mean over its time, drawn on one of the frames. " : ""}Choose one for the right side of the divider.`;
  byId(medium.moves ? "transport-more" : "viewer-more").prepend(byId("show-areas"));
}

function showPictures(medium) {
  const names = Object.keys(medium.maps).sort((a, b) => mapOrder(a) - mapOrder(b));
  const some = names.length > 0;
  placeViewer(medium);
  byId("figure").hidden = byId("strip").hidden = byId("viewer-tools").hidden = !some;
  byId("no-maps").hidden = some;
  byId("strip").replaceChildren();
  showTimes(medium);
  showAreasSwitch();
  toggleZoom(false);
  if (!some) return;
  showChoices(names, medium);
  setDivider(50);
}

function showChoices(names, medium) {
  const found = layersOf(medium);
  const ratio = medium.width && medium.height ? medium.width / medium.height : 4 / 3;
  for (const id of ["compare", "strip"]) byId(id).style.setProperty("--ratio", ratio);
  byId("strip").replaceChildren(...names.map((name) => stripButton(name, medium)));
  byId("layers").replaceChildren(...found.map(layerButton));
  byId("left-map").replaceChildren(...found.map((name) => element("option", { value: name }, mapTitle(name))));
  byId("swap").disabled = found.length < 2;
  const [first, second] = [found[0] ?? names[0], found[1] ?? found[0] ?? names[0]];
  setLeft(mapAt(found.includes(layers.left) ? layers.left : first, medium), medium);
  setRight(mapAt(found.includes(layers.right) ? layers.right : second, medium), medium);
}

function wireViewer() {
  byId("divider").addEventListener("input", (event) => setDivider(event.target.value));
  byId("left-map").addEventListener("change", (event) => {
    setLeft(mapAt(event.target.value, openMedium()), openMedium());
    tellSides();
  });
  for (const [id, act] of [["swap", swapSides], ["show-areas", toggleAreas], ["zoom", () => toggleZoom()]]) byId(id).addEventListener("click", act);
  const acts = { pointerdown: press, pointermove: drag, pointerup: letGo, pointercancel: () => { pressed = null; } };
  for (const [kind, act] of Object.entries(acts)) byId("compare").addEventListener(kind, act);
  for (const side of ["left", "right"]) byId(`picture-${side}`).addEventListener("error", onPictureError);
  new ResizeObserver(([entry]) => byId("detail-view").style.setProperty("--tall", `${entry.contentRect.height}px`)).observe(byId("detail-view"));
}
