// Rows of the table: those beyond the first are text until they are wanted.

import { queryAll } from "../core/dom.js";

const rows = queryAll("#media tbody tr"); // by medium, as far as they were made: see rowOf
const laterRows = document.getElementById("later-rows")?.textContent.split("<!--row-->").slice(1, -1) ?? [];
const firstRows = rows.length;

/**
 * The row of a medium; those beyond the first are text until they are wanted.
 * @param {number} index
 */
export function rowOf(index) {
  if (!rows[index]) {
    const maker = document.createElement("template");
    maker.innerHTML = laterRows[index - firstRows];
    rows[index] = maker.content.querySelector("tr");
  }
  return rows[index];
}

/**
 * Address of the small image of a medium, without making its row; null where there is none.
 * @param {number} index
 */
export function thumbOf(index) {
  if (rows[index]) return rows[index].querySelector("img")?.src ?? null;
  return /<img src="([^"]+)"/.exec(laterRows[index - firstRows])?.[1] ?? null;
}
