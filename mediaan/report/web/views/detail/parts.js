// Links to the parts of a medium.

import { byId } from "../core/dom.js";
import { state } from "../core/state.js";

const PARTS = ["scores-and-why", "areas", "over-time", "maps", "notes"];

/** A part that has nothing for a medium is not offered. */
export function showParts() {
  byId("over-time").hidden = byId("windows").hidden && state.timeline === null;
  byId("maps").hidden = byId("strip").hidden;
  for (const link of byId("parts").children) {
    const part = byId(link.dataset.part);
    link.hidden = part.hidden;
  }
  requestAnimationFrame(markPart); // when it can be seen
}

export function goToPart(id) {
  const part = byId(id);
  part.scrollIntoView({ block: "start" });
  part.querySelector("h3").focus({ preventScroll: true });
}

/** The last part that has begun above the middle of the window. */
export function markPart() {
  if (state.open === null) return;
  const begun = PARTS.filter((id) => !byId(id).hidden && byId(id).getBoundingClientRect().top < innerHeight / 2);
  for (const link of byId("parts").children) {
    if (link.dataset.part === begun.at(-1)) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
