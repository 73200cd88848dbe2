// The viewer of a medium: a map on either side of a divider, both of one time window, with the areas over them.

import { announce, byId, element, queryAll } from "../core/dom.js";
import { imageOf } from "../core/images.js";
import { listen, openMedium, state } from "../core/state.js";
import { WINDOW_TITLES, setWindow, windowsOf } from "../detail/time_window.js";
import { describeDivider, setDivider, wireDivider } from "./divider.js";
import { showFolds } from "./folds.js";
import { SHEET, layerOf, layersOf, legend, mapAt, mapOf, mapOrder, mapTitle } from "./maps.js";

/** Width over height up to which the areas of an image stand beside it. */
const UPRIGHT = 1.1;

/** @param {string} side */
const sideMap = (side) => byId(`picture-${side}`).dataset.map;

/**
 * What a side shows; where a window is chosen that the layer does not have, that too.
 * @param {string} name
 */
function sideTitle(name) {
  const lacks = state.window !== "total" && !["original", SHEET].includes(name) && layerOf(name) === name;
  return lacks ? `${mapTitle(name)}, whole` : mapTitle(name);
}

export function announceSides() {
  if (!state.divided) return announce(sideTitle(sideMap("right")));
  const [left, right] = ["left", "right"].map((side) => byId(`side-${side}`).textContent);
  return announce(left === right ? `${left} alone` : `${left} on the left of the divider, ${right} on the right`);
}

/** @param {string} side @param {string} name @param {Medium} medium */
function setPicture(side, name, medium) {
  const image = byId(`picture-${side}`);
  image.src = imageOf(medium, name);
  image.alt = `${mapTitle(name)} of ${medium.name}`;
  image.dataset.map = name;
  byId(`side-${side}`).textContent = sideTitle(name);
}

/** @param {string} name @param {Medium} medium */
export function setRight(name, medium) {
  setPicture("right", name, medium);
  if (name !== SHEET) state.layers.right = layerOf(name);
  byId("compare").classList.toggle("single", name === SHEET);
  byId("divider").disabled = !state.divided || name === SHEET;
  byId("areas-on-picture").hidden = name === SHEET;
  showCaption(name);
  for (const button of byId("strip").children) button.setAttribute("aria-pressed", String(button.dataset.map === name));
  for (const button of byId("layers").children) button.setAttribute("aria-pressed", String(button.dataset.layer === layerOf(name)));
  showOpacity();
  describeDivider();
}

/** @param {string} name */
function showCaption(name) {
  const spec = mapOf.get(name);
  const words = element("p", {}, element("strong", {}, sideTitle(name)), ` ${spec?.caption ?? ""} `, element("small", {}, spec?.scale ?? ""));
  byId("map-caption").replaceChildren(words, ...(spec?.bar ? [legend(spec.bar)] : []));
}

/** @param {string} name @param {Medium} medium */
export function setLeft(name, medium) {
  setPicture("left", name, medium);
  if (state.divided) state.layers.left = layerOf(name);
  byId("left-map").value = layerOf(name);
  describeDivider();
}

/**
 * Show two maps beside a divider, or one over the original.
 * @param {boolean} on
 */
export function setDivided(on) {
  state.divided = on;
  byId("compare").classList.toggle("divided", on);
  byId("divide").setAttribute("aria-pressed", String(on));
  byId("divider-tools").hidden = !on;
  byId("opacity-tool").hidden = on;
  byId("divider").disabled = !on || sideMap("right") === SHEET;
  showOpacity();
}

export function toggleDivider() {
  setDivided(!state.divided);
  showLayers(openMedium());
  announceSides();
}

/** How strongly the map lies over the original; the original alone has nothing over it. */
function showOpacity() {
  byId("opacity").value = state.opacity;
  byId("opacity").disabled = layerOf(sideMap("right") ?? "original") === "original";
  byId("opacity").setAttribute("aria-valuetext", `${state.opacity} % ${byId("side-right").textContent}`);
  byId("compare").style.setProperty("--mix", state.opacity / 100);
}

export function swapSides() {
  if (!state.divided || byId("swap").disabled || sideMap("right") === SHEET) return;
  const [left, right] = [sideMap("left"), sideMap("right")];
  setLeft(right, openMedium());
  setRight(left, openMedium());
  announceSides();
}

/**
 * Below one map lies the original; beside a divider, what was chosen.
 * @param {Medium} medium
 */
function leftLayer(medium) {
  const layers = layersOf(medium);
  const layer = state.divided ? state.layers.left : "original";
  return mapAt(layers.includes(layer) ? layer : layers[0] ?? Object.keys(medium.maps)[0], medium);
}

/**
 * Show the same layers at the time window that is shown now.
 * @param {Medium} medium
 */
function showLayers(medium) {
  if (!Object.keys(medium.maps).length) return;
  setLeft(leftLayer(medium), medium);
  if (sideMap("right") !== SHEET) setRight(mapAt(state.layers.right, medium), medium);
}

/** @param {any} event */
function onPictureError(event) {
  const text = `This image is not where the run left it (${event.target.getAttribute("src")}). Keep the folders report and maps together.`;
  byId("map-caption").textContent = text;
}

/** @param {string} name @param {Medium} medium */
function stripButton(name, medium) {
  const image = element("img", { src: imageOf(medium, name), alt: "", decoding: "async" });
  const className = { original: "print-only", [SHEET]: "screen-only" }[name] ?? "";
  const button = element("button", { type: "button", className }, image, element("span", {}, mapTitle(name)));
  button.dataset.map = name;
  button.addEventListener("click", () => {
    setRight(name, medium);
    announceSides();
  });
  return button;
}

/** @param {string} layer */
function layerButton(layer) {
  const button = element("button", { type: "button" }, mapTitle(layer));
  button.dataset.layer = layer;
  button.addEventListener("click", () => chooseLayer(layer));
  return button;
}

/** @param {string} layer */
export function chooseLayer(layer) {
  setRight(mapAt(layer, openMedium()), openMedium());
  announceSides();
}

/** @param {Medium} medium */
function showWindowButtons(medium) {
  byId("times-shown").replaceChildren(...windowsOf(medium).map((time) => {
    const button = element("button", { type: "button", "aria-pressed": `${state.window === time}` }, WINDOW_TITLES[time]);
    button.dataset.time = time;
    button.addEventListener("click", () => {
      setWindow(time);
      byId("times-shown").querySelector(`[data-time="${time}"]`).focus();
    });
    return button;
  }));
  for (const cell of queryAll("#windows-table [data-time]")) cell.classList.toggle("of-time", cell.dataset.time === state.window);
}

export function toggleAreas() {
  state.areasShown = !state.areasShown;
  showAreasSwitch();
  announce(state.areasShown ? "Areas are shown" : "Areas are hidden");
}

function showAreasSwitch() {
  byId("detail").classList.toggle("areas-off", !state.areasShown);
  byId("show-areas").setAttribute("aria-pressed", String(state.areasShown));
  byId("show-areas").hidden = openMedium().areas.length === 0;
}

/** Twice as large, to be scrolled, or as large as a reduced copy of the file is sharp; or fitted. */
export function toggleZoom(on = !byId("stage").classList.contains("zoomed")) {
  const [image, shown] = [byId("picture-left"), byId("compare").clientWidth];
  if (on) {
    const sharp = image.naturalWidth < openMedium().width ? image.naturalWidth / shown : 2;
    byId("stage").style.setProperty("--wide", `${shown * Math.min(2, Math.max(1.25, sharp))}px`);
  }
  byId("stage").classList.toggle("zoomed", on);
  byId("zoom").setAttribute("aria-pressed", String(on));
  if (on) byId("stage").scrollTo({ left: byId("stage").clientWidth / 2, behavior: "instant" });
}

/** Fit the image again; says whether it was zoomed. */
export function leaveZoom() {
  const zoomed = byId("stage").classList.contains("zoomed");
  if (zoomed) toggleZoom(false);
  return zoomed;
}

/**
 * An image is the first thing to see; of a video that is its player, and its maps come later.
 * @param {Medium} medium
 */
function placeViewer(medium) {
  if (medium.moves) byId("strip").before(byId("viewer"));
  else byId("detail-view").append(byId("viewer"));
  byId("maps-note").hidden = !medium.moves;
  byId(medium.moves ? "transport-more" : "viewer-more").prepend(byId("show-areas"));
}

/** @param {Medium} medium */
export function showPictures(medium) {
  const names = Object.keys(medium.maps).sort((a, b) => mapOrder(a) - mapOrder(b));
  const some = names.length > 0;
  placeViewer(medium);
  byId("figure").hidden = byId("maps").hidden = byId("viewer-tools").hidden = !some;
  byId("maps-count").textContent = `${names.length}`;
  byId("no-maps").hidden = some;
  byId("strip").replaceChildren();
  showWindowButtons(medium);
  showAreasSwitch();
  toggleZoom(false);
  showFolds(medium);
  const ratio = medium.width && medium.height ? medium.width / medium.height : 4 / 3;
  const scrolls = medium.folds.length > 0; // a window of its own, as wide as can be
  byId("detail-columns").classList.toggle("upright", some && !medium.moves && !scrolls && ratio <= UPRIGHT);
  if (!some) return;
  for (const id of ["compare", "strip", "detail-columns"]) byId(id).style.setProperty("--ratio", ratio);
  showChoices(names, medium);
  setDivider(50);
}

/** @param {string[]} names @param {Medium} medium */
function showChoices(names, medium) {
  const layers = layersOf(medium);
  byId("strip").replaceChildren(...names.map((name) => stripButton(name, medium)));
  byId("layers").replaceChildren(...layers.map(layerButton));
  byId("left-map").replaceChildren(...layers.map((name) => element("option", { value: name }, mapTitle(name))));
  byId("swap").disabled = layers.length < 2;
  const second = layers[1] ?? layers[0] ?? names[0];
  setLeft(leftLayer(medium), medium);
  setRight(mapAt(layers.includes(state.layers.right) ? state.layers.right : second, medium), medium);
}

export function wireViewer() {
  wireDivider();
  byId("left-map").addEventListener("change", (event) => {
    setLeft(mapAt(event.target.value, openMedium()), openMedium());
    announceSides();
  });
  byId("opacity").addEventListener("input", (event) => { state.opacity = Number(event.target.value); showOpacity(); });
  for (const [id, act] of Object.entries({ divide: toggleDivider, swap: swapSides, "show-areas": toggleAreas, zoom: () => toggleZoom() })) byId(id).addEventListener("click", act);
  for (const side of ["left", "right"]) byId(`picture-${side}`).addEventListener("error", onPictureError);
  listen("window", () => { showLayers(openMedium()); showWindowButtons(openMedium()); });
}
