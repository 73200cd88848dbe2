// Presses of a mouse, a pen or a finger on a canvas, one at a time, in unit coordinates.

import { STILL_PX } from "../core/dom.js";
import { limited } from "./boxes.js";

const STILL_TOUCH_PX = 12; // a finger rolls while it taps

/** @param {string} pointerType */
const stillPx = (pointerType) => (pointerType === "touch" ? STILL_TOUCH_PX : STILL_PX);

/**
 * Whether a box is what a hand makes that only clicks: small, or as thin as a line.
 * @param {Box} box
 * @param {{ width: number; height: number }} size Of the canvas, px.
 * @param {string} pointerType
 */
export function isClick(box, size, pointerType) {
  const [width, height] = [(box[2] - box[0]) * size.width, (box[3] - box[1]) * size.height];
  return Math.max(width, height) < 2 * stillPx(pointerType) || Math.min(width, height) < STILL_PX;
}

/**
 * Tell of presses on a canvas. A second finger ends a press: two of them zoom and scroll.
 * @param {HTMLElement} canvas
 * @param {PressListener} listener
 */
export function wirePresses(canvas, { onPress, onHover, onDrag, onRelease, onCancel }) {
  let press = null;

  /** @param {PointerEvent} event */
  function position(event) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return [limited((event.clientX - left) / width, 0, 1), limited((event.clientY - top) / height, 0, 1)];
  }

  function cancel() {
    if (press === null) return;
    press = null;
    onCancel();
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || press !== null) return cancel();
    if (event.button !== 0) return undefined;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    press = { id: event.pointerId, px: [event.clientX, event.clientY], going: false };
    return onPress(position(event), event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (press === null) return onHover?.(position(event), event);
    if (event.pointerId !== press.id) return undefined;
    press.going ||= Math.hypot(event.clientX - press.px[0], event.clientY - press.px[1]) >= stillPx(event.pointerType);
    return press.going ? onDrag(position(event), event) : undefined;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (event.pointerId !== press?.id) return;
    press = null;
    onRelease(position(event), event);
  });
  canvas.addEventListener("pointercancel", cancel);
}
