// Drafts: the areas of a medium as they are edited, with undo, kept over a reload, saved as a file.
// A list of areas is never changed, only replaced; so the same list is the same state.

import { sightings } from "../areas/tracks.js";
import { downloadFile } from "../core/dom.js";
import { report, runAreas, served } from "../core/report.js";
import { shortNumber } from "./boxes.js";

export const drafts = new Map(); // by medium_id
let newestKey = 0; // of areas in drafts

export function newKey() {
  newestKey += 1;
  return newestKey;
}

/** Drafts of other areas than this page's are of no use. */
const keptUnder = () => `mediaan-areas ${location.pathname} ${report.areas.version}`;

/** @param {Area} area @param {number} i */
function foundItem(area, i) {
  const polygon = area.track ? null : area.polygon ?? null;
  return { key: newKey(), type: area.type, label: area.label, box: area.box, polygon, t0: area.t0 ?? null, t1: area.t1 ?? null, found: i, moved: false };
}

/** @param {Medium} medium */
export function draftOf(medium) {
  if (!drafts.has(medium.id)) {
    const list = runAreas(medium).map(foundItem);
    drafts.set(medium.id, { medium, start: list, saved: list, list, past: [], future: [] });
  }
  return drafts.get(medium.id);
}

/** @param {Medium} medium */
export function changedDraft(medium) {
  const draft = drafts.get(medium.id);
  return draft !== undefined && draft.list !== draft.start;
}

/**
 * What is to be known of the areas that are shown; null of those of the run.
 * @param {Medium} medium
 */
export function draftWords(medium) {
  if (!changedDraft(medium)) return null;
  const here = medium.areas === runAreas(medium) ? "The areas shown are those of the run." : "Numbers marked “scored here” were computed in this page.";
  if (served) return `You have edited these areas and not saved them yet. ${here}`;
  return `You have edited these areas. ${here} Save them as a file and apply it to the run: this keeps them and updates ranks and checks.`;
}

const unsavedDrafts = () => [...drafts.values()].filter((draft) => draft.list !== draft.saved);

/**
 * Go on with another list; what was is kept for undo.
 * @param {Draft} draft
 * @param {DraftItem[]} list
 * @param {DraftItem[]} [before]
 */
export function recordList(draft, list, before = draft.list) {
  if (list === before) return;
  draft.past.push(before);
  draft.future = [];
  draft.list = list;
  keepDrafts();
}

/** @param {Draft} draft @param {DraftItem[][]} from @param {DraftItem[][]} to */
export function moveThrough(draft, from, to) {
  if (!from.length) return false;
  to.push(draft.list);
  draft.list = from.pop();
  keepDrafts();
  return true;
}

/** @param {Draft} draft */
export function discardDraft(draft) {
  Object.assign(draft, { list: draft.start, saved: draft.start, past: [], future: [] });
  keepDrafts();
}

/** Some browsers keep nothing for pages opened from disk: drafts then last as long as the page. */
export function keepDrafts() {
  const kept = [...drafts.values()].filter((draft) => draft.list !== draft.start);
  try {
    sessionStorage.setItem(keptUnder(), JSON.stringify(kept.map((draft) => [draft.medium.id, draft.list, draft.list === draft.saved])));
  } catch { /* see above */ }
}

export function recallDrafts() {
  let kept = [];
  try {
    kept = JSON.parse(sessionStorage.getItem(keptUnder())) ?? [];
  } catch { /* see above */ }
  for (const [id, list, saved] of kept) {
    const medium = report.media.find((candidate) => candidate.id === id);
    if (!medium) continue;
    const draft = draftOf(medium);
    for (const item of list) item.key = newKey();
    Object.assign(draft, { list, past: [draft.start], saved: saved ? list : draft.start });
  }
}

/** @param {any} event */
export function onLeaving(event) {
  if (unsavedDrafts().length) event.preventDefault();
}

/**
 * Cut by characters: half of a pair would be no text.
 * @param {string} text
 */
export const shortLabel = (text) => [...text].slice(0, report.areas.longest_label).join("");

/**
 * An area as `mediaan aois apply` reads it; one that was not moved keeps all that is known of its place.
 * @param {DraftItem} item
 * @param {Medium} medium
 */
export function areaRecord(item, medium) {
  const area = item.found === null ? null : runAreas(medium)[item.found];
  const unmoved = area !== null && !item.moved;
  const record = { type: item.type, label: shortLabel(item.label), box: item.box };
  const polygon = unmoved ? area.polygon : item.polygon;
  if (polygon) record.polygon = polygon;
  if (item.t0 !== null) record.t0_s = item.t0;
  if (item.t1 !== null) record.t1_s = item.t1;
  if (unmoved && area.track) record.track = sightings(area).map(({ t, box }) => [t, ...box.map(shortNumber), area.confidence ?? 1]);
  if (area) record.aoi_id = area.id;
  return record;
}

/** @param {Draft} draft */
export const areaRecords = ({ list, medium }) => list.map((item) => areaRecord(item, medium));

/**
 * Areas by path, one a line.
 * @param {[Medium, object[]][]} entries
 */
export function recordsFile(entries) {
  const blocks = entries.map(([medium, records]) => {
    const lines = records.map((record) => `  ${JSON.stringify(record)}`).join(",\n");
    return `${JSON.stringify(medium.paths[0])}: [${lines ? `\n${lines}\n` : ""}]`;
  });
  return `{\n${blocks.join(",\n")}\n}\n`;
}

/** @param {Draft[]} saved */
export const areasFile = (saved) => recordsFile(saved.map((draft) => [draft.medium, areaRecords(draft)]));

/** @param {Draft[]} saved */
export function saveDrafts(saved) {
  downloadFile("areas.json", [areasFile(saved)], "application/json");
  for (const draft of saved) draft.saved = draft.list;
  keepDrafts();
}
