// The panel of the editor: type, name and times of the chosen area, the list, saving.

import { areaTitle } from "../areas/scores.js";
import { spansOf } from "../areas/tracks.js";
import { applyCommand } from "../core/command.js";
import { byId, copyText, element } from "../core/dom.js";
import { report, runAreas, served } from "../core/report.js";
import { listen, notify, state } from "../core/state.js";
import { removeItem, replaceItem, startBox, startPolygon, undo } from "./commands.js";
import { discardDraft, drafts, onLeaving, recordList, saveDrafts, shortLabel } from "./drafts.js";
import { closeEditor, openEditor } from "./editor.js";
import { followed, itemBoxNow } from "./geometry.js";
import { seenWords, wireScores } from "./scores.js";
import { chosenItem, focusItem, putDown, say } from "./session.js";
import { showMoment } from "../player/video.js";
import { saveOnServer } from "../served/areas.js";

let listBefore = null; // before the label that is being typed

/** @param {DraftItem} item @param {number} i */
function draftRow(item, i) {
  const number = element("span", { className: `area-number type-${item.type}`, "aria-hidden": "true" }, `${i + 1}`);
  const name = element("span", {}, item.label.split("\n")[0] || areaTitle.get(item.type));
  const status = item.found === null ? "new" : item.moved ? "moved" : null;
  const button = element("button", { type: "button" }, number, name, element("small", {}, [item.label ? areaTitle.get(item.type) : null, status, seenWords(item)].filter(Boolean).join(", ")));
  if (item.key === state.editor.chosen) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => goToItem(item));
  return element("li", {}, button);
}

/**
 * Choose it; in a video, go to where it is seen.
 * @param {DraftItem} item
 */
export function goToItem(item) {
  if (!itemBoxNow(item)) showMoment(followed(item) ? spansOf(runAreas(state.editor.draft.medium)[item.found])[0][0] : item.t0 ?? 0);
  focusItem(item.key);
}

/** @param {number} seconds */
const toMs = (seconds) => (seconds == null ? null : Math.round(1000 * seconds) / 1000);

/** @param {string} id @param {string | number | null | undefined} value */
const setField = (id, value) => {
  if (document.activeElement !== byId(id)) byId(id).value = value ?? "";
};

function showForm() {
  const item = chosenItem();
  byId("area-form-title").textContent = item ? `Area ${state.editor.draft.list.indexOf(item) + 1}` : "The next area";
  byId("area-label").disabled = !item;
  setField("area-type", item?.type ?? state.editor.newType);
  setField("area-label", item?.label);
  setField("area-from", toMs(item?.t0));
  setField("area-until", toMs(item?.t1));
  for (const id of ["area-from", "area-until"]) {
    byId(id).disabled = !item || followed(item);
    byId(id).title = item && followed(item) ? "It is followed through the video; move it to set times by hand" : "";
  }
}

function showPanel() {
  showForm();
  byId("draft-list").replaceChildren(...state.editor.draft.list.map(draftRow));
  byId("undo").disabled = state.editor.draft.past.length === 0;
  byId("redo").disabled = state.editor.draft.future.length === 0;
  byId("remove-area").disabled = !chosenItem();
  byId("discard").disabled = state.editor.draft.list === state.editor.draft.start;
  const changed = [...drafts.values()].filter((draft) => draft.list !== draft.start);
  byId("save-all").hidden = changed.length < 2;
  byId("save-all").textContent = `Save all ${changed.length} edited files`;
}

function setType() {
  state.editor.newType = byId("area-type").value;
  const item = chosenItem();
  if (!item) return;
  replaceItem({ ...item, type: state.editor.newType });
  notify("draft");
}

/** While a label is typed it is shown, but undo takes the whole of it back. */
function typeLabel() {
  const item = chosenItem();
  if (!item) return;
  listBefore ??= state.editor.draft.list;
  const label = shortLabel(byId("area-label").value);
  state.editor.draft.list = state.editor.draft.list.map((other) => (other === item ? { ...other, label } : other));
  notify("draft");
}

function endLabel() {
  if (listBefore === null || state.editor.draft === null) return;
  const [list, before] = [state.editor.draft.list, listBefore];
  listBefore = null;
  state.editor.draft.list = before;
  recordList(state.editor.draft, list);
  showPanel();
}

/** @param {string} id */
const secondsIn = (id) => (byId(id).value === "" ? null : byId(id).valueAsNumber);

function setSpan() {
  const item = chosenItem();
  if (!item) return;
  const [t0, t1] = [secondsIn("area-from"), secondsIn("area-until")];
  const wrong = Number.isNaN(t0) || Number.isNaN(t1) || (t0 ?? 0) < 0 || (t0 ?? 0) >= (t1 ?? Infinity) || (t0 ?? 0) >= state.timeline.end;
  byId("area-until").setCustomValidity(wrong ? "must lie after the beginning" : "");
  if (wrong) return say(`Not taken: it must begin within the ${state.editor.draft.medium.kind} and end later than it begins.`);
  replaceItem({ ...item, t0, t1, moved: true });
  notify("draft");
  return say(itemBoxNow(chosenItem()) ? "Times are set." : "Times are set; at the moment shown it is not there.");
}

/** @param {Draft[]} saved */
function saveAreas(saved) {
  if (served) return saveOnServer(saved[0]);
  saveDrafts(saved);
  byId("apply-command").textContent = applyCommand();
  byId("saved-how").hidden = false;
  byId("saved-how").scrollIntoView({ block: "nearest" });
  const media = saved.length === 1 ? "this file" : `${saved.length} media`;
  return say(`Saved the areas of ${media} as areas.json.`);
}

function discardEdits() {
  discardDraft(state.editor.draft);
  putDown();
  notify("draft");
  byId("canvas").focus({ preventScroll: true });
  say("Back to the areas of the run.");
}

export function wirePanel() {
  const does = {
    "edit-areas": openEditor,
    "close-editor": closeEditor,
    "new-box": startBox,
    "new-polygon": startPolygon,
    undo: () => undo(),
    redo: () => undo(false),
    "remove-area": removeItem,
    "save-areas": () => saveAreas([state.editor.draft]),
    "save-all": () => saveAreas([...drafts.values()].filter((draft) => draft.list !== draft.start)),
    discard: discardEdits,
    "copy-command": () => copyText(byId("copy-command"), applyCommand(), "Copying is blocked here: select the text"),
  };
  for (const [id, action] of Object.entries(does)) byId(id).addEventListener("click", action);
  byId("area-type").replaceChildren(...report.areas.types.map(({ name, title }) => element("option", { value: name }, title)));
  byId("area-type").addEventListener("change", setType);
  byId("area-label").addEventListener("input", typeLabel);
  byId("area-label").addEventListener("change", endLabel);
  byId("area-label").addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing && chosenItem()) focusItem(state.editor.chosen); });
  for (const id of ["area-from", "area-until"]) byId(id).addEventListener("change", setSpan);
  listen("draft", showPanel);
  wireScores();
  addEventListener("beforeunload", onLeaving);
}
