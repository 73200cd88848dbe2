// Opening and closing the editor of areas.

import { showAreas } from "../areas/areas.js";
import { byId } from "../core/dom.js";
import { report } from "../core/report.js";
import { notify, state } from "../core/state.js";
import { itemShapes } from "./canvas.js";
import { draftOf } from "./drafts.js";
import { loadScorer, showDraft } from "./scores.js";
import { endTyping, putDown, say } from "./session.js";
import { setLook } from "../player/player.js";
import { video } from "../player/video.js";
import { setLeft } from "../viewer/viewer.js";

export function openEditor() {
  const medium = report.media[state.open];
  state.editor.draft = draftOf(medium);
  putDown();
  itemShapes.clear();
  video.pause();
  if (medium.moves && medium.videos.preview) setLook("preview");
  if (!medium.moves) setLeft(medium.maps.original ? "original" : Object.keys(medium.maps)[0], medium);
  byId(medium.moves ? "film" : "compare").append(byId("canvas"));
  setEditing(true);
  byId("saved-how").hidden = true;
  notify("draft");
  loadScorer(medium);
  byId("canvas").focus({ preventScroll: true });
  say(state.editor.draft.list.length ? "Tab goes from area to area. N draws a new box." : "Drag on the image to draw an area.");
}

/** @param {boolean} on */
function setEditing(on) {
  byId("detail").classList.toggle("editing", on);
  for (const id of ["canvas", "editor"]) byId(id).hidden = !on;
  byId("areas").hidden = on;
  byId("editor").classList.toggle("timed", on && state.editor.draft.medium.moves);
}

export function closeEditor() {
  if (state.editor.draft === null) return;
  endTyping();
  const { medium } = state.editor.draft;
  state.editor.draft = null;
  putDown();
  setEditing(false);
  showDraft(medium);
  if (report.media[state.open] !== medium) return;
  showAreas(medium);
  byId("show-areas").hidden = medium.areas.length === 0;
  byId("edit-areas").focus({ preventScroll: true });
}
