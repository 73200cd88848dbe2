// The divider between two maps.

import { areaUnder, chooseShape } from "../areas/highlight.js";
import { STILL_PX, byId } from "../core/dom.js";
import { state } from "../core/state.js";

let pressed = null; // where the pointer went down and on which area; `waits` until it has surely moved sideways

export function describeDivider() {
  const divider = byId("divider");
  const [left, right] = [byId("side-left").textContent, byId("side-right").textContent];
  byId("compare").classList.toggle("alike", left === right);
  divider.setAttribute("aria-label", `Divider between ${left} and ${right}`);
  divider.setAttribute("aria-valuetext", `${divider.value} % ${left}, ${100 - divider.value} % ${right}`);
}

/** @param {number} percent */
export function setDivider(percent) {
  byId("divider").value = percent;
  byId("compare").style.setProperty("--at", `${byId("divider").value}%`);
  describeDivider();
}

/** @param {number} clientX */
function divideAt(clientX) {
  const box = byId("compare").getBoundingClientRect();
  setDivider((100 * (clientX - box.left)) / box.width);
}

/**
 * An area waits to be chosen, and a finger to scroll: both only move the divider when they go sideways.
 * @param {any} event
 */
function pressDivider(event) {
  if (event.button !== 0) return;
  const [area, touch] = [areaUnder(event.target), event.pointerType === "touch"];
  if (!state.divided) return area === null ? undefined : chooseShape(area);
  pressed = { area, x: event.clientX, waits: area !== null || touch };
  byId("divider").focus({ preventScroll: true });
  if (!touch) {
    event.currentTarget.setPointerCapture(event.pointerId);
    event.preventDefault();
  }
  if (!pressed.waits) divideAt(event.clientX);
}

/** @param {any} event */
function dragDivider(event) {
  if (pressed === null || (pressed.waits && Math.abs(event.clientX - pressed.x) < STILL_PX)) return;
  pressed.waits = false;
  divideAt(event.clientX);
}

/** @param {any} event */
function releaseDivider(event) {
  if (pressed?.waits && pressed.area !== null) chooseShape(pressed.area);
  else if (pressed?.waits) divideAt(event.clientX);
  pressed = null;
}

export function wireDivider() {
  byId("divider").addEventListener("input", (event) => setDivider(event.target.value));
  const acts = { pointerdown: pressDivider, pointermove: dragDivider, pointerup: releaseDivider, pointercancel: () => { pressed = null; } };
  for (const [kind, act] of Object.entries(acts)) byId("compare").addEventListener(kind, act);
}
