// The panel of the editor: type, name and times of the chosen area, the list, saving.

let listBefore = null; // before the label that is being typed

function draftRow(item, i) {
  const number = element("span", { className: `area-number type-${item.type}`, "aria-hidden": "true" }, `${i + 1}`);
  const name = element("span", {}, item.label.split("\n")[0] || areaTitle.get(item.type));
  const state = item.found === null ? "new" : item.moved ? "moved" : null;
  const button = element("button", { type: "button" }, number, name, element("small", {}, [item.label ? areaTitle.get(item.type) : null, state].filter(Boolean).join(", ")));
  if (item.key === chosen) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => goToItem(item));
  return element("li", {}, button);
}

/** Choose it; in a video, go to where it is seen. */
function goToItem(item) {
  if (!itemBoxNow(item)) showMoment(followed(item) ? spansOf(editing.medium.areas[item.found])[0][0] : item.t0 ?? 0);
  focusItem(item.key);
}

const toMs = (seconds) => (seconds == null ? null : Math.round(1000 * seconds) / 1000);

const setField = (id, value) => {
  if (document.activeElement !== byId(id)) byId(id).value = value ?? "";
};

function showForm() {
  const item = chosenItem();
  byId("area-form").disabled = !item;
  byId("area-form-title").textContent = item ? `Area ${editing.list.indexOf(item) + 1}` : "No area is chosen";
  setField("area-type", item?.type ?? newType);
  setField("area-label", item?.label);
  setField("area-from", toMs(item?.t0));
  setField("area-until", toMs(item?.t1));
  for (const id of ["area-from", "area-until"]) {
    byId(id).disabled = Boolean(item && followed(item));
    byId(id).title = item && followed(item) ? "It is followed through the video; move it to set times by hand" : "";
  }
}

function showPanel() {
  showForm();
  byId("draft-list").replaceChildren(...editing.list.map(draftRow));
  byId("undo").disabled = editing.past.length === 0;
  byId("redo").disabled = editing.future.length === 0;
  byId("remove-area").disabled = !chosenItem();
  byId("discard").disabled = editing.list === editing.start;
  const changed = [...drafts.values()].filter((draft) => draft.list !== draft.start);
  byId("save-all").hidden = changed.length < 2;
  byId("save-all").textContent = `Save all ${changed.length} edited media`;
}

function setType() {
  newType = byId("area-type").value;
  const item = chosenItem();
  if (!item) return;
  replaceItem({ ...item, type: newType });
  showEditing();
}

/** While a label is typed it is shown, but undo takes the whole of it back. */
function typeLabel() {
  const item = chosenItem();
  if (!item) return;
  listBefore ??= editing.list;
  const label = shortLabel(byId("area-label").value);
  editing.list = editing.list.map((one) => (one === item ? { ...one, label } : one));
  showEditing();
}

function endLabel() {
  if (listBefore === null || editing === null) return;
  const [list, before] = [editing.list, listBefore];
  listBefore = null;
  editing.list = before;
  record(editing, list);
  showPanel();
}

const secondsIn = (id) => (byId(id).value === "" ? null : byId(id).valueAsNumber);

function setSpan() {
  const item = chosenItem();
  if (!item) return;
  const [t0, t1] = [secondsIn("area-from"), secondsIn("area-until")];
  const wrong = Number.isNaN(t0) || Number.isNaN(t1) || (t0 ?? 0) < 0 || (t0 ?? 0) >= (t1 ?? Infinity) || (t0 ?? 0) >= timeline.end;
  byId("area-until").setCustomValidity(wrong ? "must lie after the beginning" : "");
  if (wrong) return say(`Not taken: it must begin within the ${editing.medium.kind} and end later than it begins.`);
  replaceItem({ ...item, t0, t1, moved: true });
  showEditing();
  return say(itemBoxNow(chosenItem()) ? "Times are set." : "Times are set; at the moment shown it is not there.");
}

// ---- saving

function saveAreas(saved) {
  if (served) return saveOnServer(saved[0]);
  saveDrafts(saved);
  byId("apply-command").textContent = applyCommand();
  byId("saved-how").hidden = false;
  byId("saved-how").scrollIntoView({ block: "nearest" });
  const media = saved.length === 1 ? "this medium" : `${saved.length} media`;
  return say(`Saved the areas of ${media} as areas.json.`);
}

async function copyCommand() {
  const button = byId("copy-command");
  try {
    await navigator.clipboard.writeText(applyCommand());
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying is blocked here: select the text";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2500);
}

function discard() {
  discardDraft(editing);
  [chosen, corner, path] = [null, null, null];
  showEditing();
  byId("canvas").focus({ preventScroll: true });
  say("Back to the areas of the run.");
}

function wirePanel() {
  const does = {
    "edit-areas": openEditor,
    "close-editor": closeEditor,
    "new-box": newBox,
    "new-polygon": startPolygon,
    undo: () => undo(),
    redo: () => undo(false),
    "remove-area": removeItem,
    "save-areas": () => saveAreas([editing]),
    "save-all": () => saveAreas([...drafts.values()].filter((draft) => draft.list !== draft.start)),
    discard,
    "copy-command": copyCommand,
    "all-lanes": toggleLanes,
  };
  for (const [id, action] of Object.entries(does)) byId(id).addEventListener("click", action);
  byId("area-type").replaceChildren(...report.areas.types.map(({ name, title }) => element("option", { value: name }, title)));
  byId("area-type").addEventListener("change", setType);
  byId("area-label").addEventListener("input", typeLabel);
  byId("area-label").addEventListener("change", endLabel);
  byId("area-label").addEventListener("keydown", (event) => { if (event.key === "Enter" && chosenItem()) focusItem(chosen); });
  for (const id of ["area-from", "area-until"]) byId(id).addEventListener("change", setSpan);
  addEventListener("beforeunload", onLeaving);
}
