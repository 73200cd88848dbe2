// Drafts: the areas of a medium as they are edited, with undo, kept over a reload, saved as a file.
// A list of areas is never changed, only replaced; so the same list is the same state.

const LONGEST_LABEL = 200;
const drafts = new Map(); // by medium_id
let newestKey = 0;

/** Drafts of other areas than this page's are of no use. */
const keptUnder = () => `mediaan-areas ${location.pathname} ${report.areas.version}`;

function foundItem(area, i) {
  newestKey += 1;
  const polygon = area.track ? null : area.polygon ?? null;
  return { key: newestKey, type: area.type, label: area.label, box: area.box, polygon, t0: area.t0 ?? null, t1: area.t1 ?? null, found: i, moved: false };
}

function draftOf(medium) {
  if (!drafts.has(medium.id)) {
    const list = medium.areas.map(foundItem);
    drafts.set(medium.id, { medium, start: list, saved: list, list, past: [], future: [] });
  }
  return drafts.get(medium.id);
}

function changedDraft(medium) {
  const draft = drafts.get(medium.id);
  return draft !== undefined && draft.list !== draft.start;
}

const unsavedDrafts = () => [...drafts.values()].filter((draft) => draft.list !== draft.saved);

/** Go on with another list; what was is kept for undo. */
function record(draft, list, before = draft.list) {
  if (list === before) return;
  draft.past.push(before);
  draft.future = [];
  draft.list = list;
  keepDrafts();
}

function travel(draft, from, to) {
  if (!from.length) return false;
  to.push(draft.list);
  draft.list = from.pop();
  keepDrafts();
  return true;
}

function discardDraft(draft) {
  Object.assign(draft, { list: draft.start, saved: draft.start, past: [], future: [] });
  keepDrafts();
}

// ---- over a reload

/** Some browsers keep nothing for pages opened from disk: drafts then last as long as the page. */
function keepDrafts() {
  const kept = [...drafts.values()].filter((draft) => draft.list !== draft.start);
  try {
    sessionStorage.setItem(keptUnder(), JSON.stringify(kept.map((draft) => [draft.medium.id, draft.list, draft.list === draft.saved])));
  } catch { /* see above */ }
}

function recallDrafts() {
  let kept = [];
  try {
    kept = JSON.parse(sessionStorage.getItem(keptUnder())) ?? [];
  } catch { /* see above */ }
  for (const [id, list, saved] of kept) {
    const medium = report.media.find((one) => one.id === id);
    if (!medium) continue;
    const draft = draftOf(medium);
    for (const item of list) item.key = newestKey += 1;
    Object.assign(draft, { list, past: [draft.start], saved: saved ? list : draft.start });
  }
}

function onLeaving(event) {
  if (unsavedDrafts().length) event.preventDefault();
}

// ---- the file

/** Cut by characters: half of a pair would be no text. */
const shortLabel = (text) => [...text].slice(0, LONGEST_LABEL).join("");

const shortNumber = (value) => Math.round(value * 1e5) / 1e5;

/** An area as `mediaan aois apply` reads it; one that was not moved keeps all that is known of its place. */
function areaRecord(item, medium) {
  const area = item.found === null ? null : medium.areas[item.found];
  const whole = area !== null && !item.moved;
  const written = { type: item.type, label: shortLabel(item.label), box: item.box };
  const polygon = whole ? area.polygon : item.polygon;
  if (polygon) written.polygon = polygon;
  if (item.t0 !== null) written.t0_s = item.t0;
  if (item.t1 !== null) written.t1_s = item.t1;
  if (whole && area.track) written.track = sightings(area).map(({ t, box }) => [t, ...box.map(shortNumber), area.confidence ?? 1]);
  if (area) written.aoi_id = area.id;
  return written;
}

/** Areas by path, one a line. */
function areasFile(saved) {
  const blocks = saved.map((draft) => {
    const lines = draft.list.map((item) => `  ${JSON.stringify(areaRecord(item, draft.medium))}`).join(",\n");
    return `${JSON.stringify(draft.medium.paths[0])}: [${lines ? `\n${lines}\n` : ""}]`;
  });
  return `{\n${blocks.join(",\n")}\n}\n`;
}

function saveDrafts(saved) {
  const address = URL.createObjectURL(new Blob([areasFile(saved)], { type: "application/json" }));
  element("a", { href: address, download: "areas.json" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  for (const draft of saved) draft.saved = draft.list;
  keepDrafts();
}

// ---- the command that applies it

/** Where the run lies, as the page's own address tells; a page that was forwarded alone cannot. */
function runFolder() {
  const folder = location.protocol === "file:" && decodeURIComponent(location.pathname).match(/^(.*)\/report\/[^/]*$/)?.[1];
  if (!folder) return "RUN";
  return /^\/[A-Za-z]:\//.test(folder) ? folder.slice(1) : folder;
}

function shellQuoted(text) {
  if (/^[A-Za-z]:/.test(text)) return `"${text}"`;
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const applyCommand = () => `mediaan aois apply ${shellQuoted(runFolder())} ~/Downloads/areas.json`;
