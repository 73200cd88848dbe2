// Media that are chosen to be compared side by side: two to four.

import { byId, element, queryAll } from "../core/dom.js";
import { report } from "../core/report.js";
import { state } from "../core/state.js";

export const MOST_CHOSEN = 4; // more columns than a screen can hold side by side
export const SIDES = "compare="; // an address that begins so compares media
/** @param {number[]} indices */
export const sidesAddress = (indices) => `#${SIDES}${indices.map((index) => report.media[index].id).join(",")}`;

/**
 * The box by which a medium is chosen, on its image.
 * @param {any} frame
 * @param {number} index
 */
export function showPickBox(frame, index) {
  let box = frame.querySelector(".pick input");
  if (!box) {
    box = element("input", { type: "checkbox", "aria-label": `Compare ${report.media[index].name}` });
    box.addEventListener("change", () => togglePick(index, box));
    frame.append(element("label", { className: "pick", title: "Compare" }, box));
  }
  box.checked = state.picks.includes(index);
}

/** @param {number} index @param {HTMLInputElement} box */
function togglePick(index, box) {
  const full = box.checked && state.picks.length === MOST_CHOSEN;
  if (full) box.checked = false;
  else if (box.checked) state.picks.push(index);
  else state.picks.splice(state.picks.indexOf(index), 1);
  showPicks(full ? ` Four at most: remove one first.` : "");
}

export function showPicks(remark = "") {
  byId("chosen").hidden = state.picks.length === 0;
  byId("chosen-count").textContent = `${state.picks.length} selected.${remark || (state.picks.length === 1 ? " Select another to compare." : "")}`;
  byId("chosen-go").hidden = state.picks.length < 2;
  if (state.picks.length >= 2) byId("chosen-go").href = sidesAddress(state.picks);
}

/** Boxes of rows and cards say what is chosen. */
export function markPicks() {
  for (const box of queryAll("#all-media .pick input")) box.checked = state.picks.includes(Number(box.closest("[data-i]").dataset.i));
  showPicks();
}

function clearPicks() {
  state.picks.length = 0;
  markPicks();
  byId("table-title").focus({ preventScroll: true });
}

export function wirePicks() {
  byId("chosen-clear").addEventListener("click", clearPicks);
}
