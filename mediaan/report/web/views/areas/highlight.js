// The area that is pointed at, and the one that was chosen: shapes, rows and lanes of it stand out together.

import { byId, query, queryAll } from "../core/dom.js";
import { state } from "../core/state.js";

export const AREA_HOSTS = ["areas-on-picture", "areas-on-video"];

/** @param {any} target */
export const areaUnder = (target) => {
  const marked = target.closest?.("[data-area]");
  return marked ? Number(marked.dataset.area) : null;
};

/** Shapes, rows and lanes of one area are lit together. */
export function showHighlight() {
  const lit = state.pointedArea ?? state.chosenArea;
  for (const part of queryAll("#detail [data-area]")) part.classList.toggle("lit", Number(part.dataset.area) === lit);
  for (const row of byId("area-table").tBodies[0].rows) row.classList.toggle("picked", Number(row.dataset.area) === state.chosenArea);
  for (const host of AREA_HOSTS) byId(host).classList.toggle("dimmed", lit !== null);
}

/** @param {number} i */
export function pointToArea(i) {
  if (state.pointedArea === i) return;
  state.pointedArea = i;
  showHighlight();
}

/** @param {number} i */
export function toggleArea(i) {
  state.chosenArea = state.chosenArea === i ? null : i;
  showHighlight();
}

/** @param {number} i */
export function chooseShape(i) {
  toggleArea(i);
  if (state.chosenArea === null) return;
  const row = query(`#area-table tr[data-area="${i}"]`);
  if (row?.classList.contains("beyond") && !state.allAreas) byId("more-areas").click();
  row?.scrollIntoView({ block: "nearest" });
}

/** A mouse that goes leaves what the keyboard is on. */
export const focusedArea = () => areaUnder(document.activeElement.closest("#area-table tbody tr") ?? document.body);
