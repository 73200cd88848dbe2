// The detail of one medium, and the steps to the next.

import { showAreas } from "../areas/areas.js";
import { byId, element, queryAll } from "../core/dom.js";
import { clock } from "../core/format.js";
import { report } from "../core/report.js";
import { state } from "../core/state.js";
import { showMediumSummary } from "./medium_summary.js";
import { showRules } from "./rules.js";
import { showScores } from "./scores.js";
import { compareWindows, showOverTime } from "./windows.js";
import { showPlacements } from "../placements/placements.js";
import { closeEditor } from "../editor/editor.js";
import { showLooks } from "../looks/looks.js";
import { showPlayer } from "../player/player.js";
import { showFilmButton } from "../print/film.js";
import { showPictures } from "../viewer/viewer.js";

/** @param {Medium} medium */
function factsLine(medium) {
  const size = medium.size_bytes === null ? null : `${Math.max(1, Math.round(medium.size_bytes / 1000)).toLocaleString("en")} kB`;
  const pixels = medium.width === null ? null : `${medium.width} × ${medium.height} px`;
  const copies = medium.paths.length > 1 ? `${medium.paths.length} identical files` : null;
  const rate = medium.frame_rate === null ? null : `${Number(medium.frame_rate.toFixed(2))} fps`;
  const length = medium.moves ? clock(medium.duration_s) : null;
  const read = medium.share_read !== null && medium.share_read < 1 ? `${Math.floor(100 * medium.share_read)} % of the file could be read` : null;
  const objective = medium.objective;
  const domain = domainWords(medium);
  const paths = medium.paths.length === 1 && medium.paths[0] === medium.name ? null : medium.paths.join(", ");
  return [paths, objective, domain, length, pixels, rate, medium.codec?.toUpperCase(), size, copies, read].filter(Boolean).join(" · ");
}

/**
 * The kind of picture that attention was predicted for, and whether that was stated or guessed.
 * @param {Medium} medium
 */
function domainWords(medium) {
  if (medium.domain === null) return null;
  if (medium.domain_probability === null) return medium.domain;
  return `${medium.domain} (${Math.round(100 * medium.domain_probability)} % sure)`;
}

/** @param {Medium} medium */
function showNotes(medium) {
  byId("notes").hidden = medium.notes.length === 0;
  byId("notes-line").textContent = `${medium.notes.length}`;
  const items = medium.notes.map((note) => element("li", {}, element("code", {}, note.code), ` ${note.message}`));
  byId("notes").querySelector("ul").replaceChildren(...items);
}

/** @param {number} index */
export function showDetail(index) {
  state.open = index;
  closeEditor();
  const medium = report.media[index];
  byId("detail-name").textContent = medium.name;
  byId("detail-facts").textContent = factsLine(medium);
  byId("unlike").hidden = medium.unlike === null;
  byId("unlike-share").textContent = medium.unlike === null ? "" : `${Math.min(100, 100 * medium.unlike).toFixed(1)} %`;
  showPictures(medium);
  showPlayer(medium);
  showFilmButton(medium);
  byId("player-keys").hidden = medium.timeline === null;
  showMediumSummary(medium);
  showScores(medium);
  showRules(index);
  showNotes(medium);
  showOverTime(medium);
  showAreas(medium);
  showLooks(medium);
  showPlacements(medium);
  showSteps();
}

/** The media that previous and next walk through: those in the table that have a detail, and the open one. */
function steppedMedia() {
  const open = state.shown.filter((index) => report.media[index].done && report.media[index].id);
  return open.includes(state.open) ? open : [state.open, ...open];
}

function showSteps() {
  const path = steppedMedia();
  const at = path.indexOf(state.open);
  byId("detail-place").textContent = `${at + 1} of ${path.length}`;
  byId("previous").disabled = at === 0;
  byId("next").disabled = at === path.length - 1;
}

/** @param {number} by */
export function stepMedium(by) {
  const path = steppedMedia();
  const target = path[path.indexOf(state.open) + by];
  if (target !== undefined) location.replace(`#${report.media[target].id}`);
}

/** On paper everything that is folded lies open. */
function unfoldForPrint() {
  const folded = queryAll("#detail details:not([open])");
  for (const fold of folded) fold.open = true;
  addEventListener("afterprint", () => { for (const fold of folded) fold.open = false; }, { once: true });
}

export function wireDetail() {
  addEventListener("beforeprint", unfoldForPrint);
  byId("previous").addEventListener("click", () => stepMedium(-1));
  byId("next").addEventListener("click", () => stepMedium(1));
  byId("compare-windows").addEventListener("click", compareWindows);
}
