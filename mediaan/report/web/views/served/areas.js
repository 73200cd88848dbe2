// When a server shows the page: areas are saved and looked for through its API, and the way back leads to its list.

import { byId, element, query, queryAll } from "../core/dom.js";
import { report, served } from "../core/report.js";
import { state } from "../core/state.js";
import { areaRecord, drafts, keepDrafts } from "../editor/drafts.js";
import { say } from "../editor/session.js";
import { showMoment } from "../player/video.js";

const RESUMED = "mediaan-resumed"; // what was in view before areas were saved
const POLL_MS = 1500;

/**
 * An area as the API takes it.
 * @param {DraftItem} item
 * @param {Medium} medium
 */
function apiArea(item, medium) {
  const { type, aoi_id, ...rest } = areaRecord(item, medium);
  return { ...rest, aoi_type: type, ...(aoi_id ? { uuid: aoi_id } : {}) };
}

/**
 * Ask the server; what it refuses, and what never reached it, is thrown in its own words.
 * @param {string} method
 * @param {string} address
 * @param {unknown} [body]
 */
async function askServer(method, address, body) {
  const options = { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(address, body === undefined ? { method } : options).catch(() => null);
  if (response === null) throw new Error("the server cannot be reached");
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401) throw new Error("you are no longer signed in; sign in on another tab, then try again");
  if (!response.ok) throw new Error(answer.detail ?? `the server answered ${response.status}`);
  return { status: response.status, answer };
}

/**
 * Keep the reader's place, and show the page as the server has it now.
 * @param {string} words
 */
function reloadAt(words) {
  try {
    sessionStorage.setItem(RESUMED, JSON.stringify({ words, moment: state.timeline === null ? null : state.now }));
  } catch { /* then it begins at the top */ }
  location.reload();
}

/** @param {boolean} on */
function setWaiting(on) {
  for (const id of ["editor", "canvas", "areas"]) byId(id).inert = on;
}

/** @param {Draft} draft */
export async function saveOnServer(draft) {
  setWaiting(true);
  byId("editor-says").classList.remove("error");
  say("Saving, and scoring the areas …");
  try {
    const aois = draft.list.map((item) => apiArea(item, draft.medium));
    const { status, answer } = await askServer("PUT", served.areas, { aois });
    draft.saved = draft.list;
    if (status === 202) return say(`${answer.detail}. It takes longer than usual: load this page again in a while.`);
    drafts.delete(draft.medium.id);
    keepDrafts();
    return reloadAt("Saved and scored.");
  } catch (error) {
    byId("editor-says").classList.add("error");
    return say(`Not saved: ${error.message}`);
  } finally {
    setWaiting(false);
  }
}

async function findAreas() {
  const button = byId("find-areas");
  button.disabled = true;
  byId("areas-note").textContent = "Looking for brand, product, headline, text, faces and people …";
  try {
    const { status } = await askServer("POST", `${served.areas}/detect`);
    const medium = status === 202 ? await searchEnds() : null;
    if (medium?.aoi_status === "failed") throw new Error(medium.error ?? "the search failed");
    reloadAt("The search is done.");
  } catch (error) {
    byId("areas-note").textContent = `Nothing was found: ${error.message}`;
    button.disabled = false;
  }
}

async function searchEnds() {
  for (;;) {
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    const { answer } = await askServer("GET", served.medium);
    if (answer.aoi_status !== "started") return answer;
  }
}

/** Back where the reader was before the page was loaded again. */
export function resume() {
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(RESUMED));
    sessionStorage.removeItem(RESUMED);
  } catch { /* see above */ }
  if (kept === null || state.open === null) return;
  if (kept.moment !== null && state.timeline !== null) showMoment(kept.moment);
  byId("areas-note").textContent = `${kept.words} ${byId("areas-note").textContent}`;
  byId("edit-areas").focus({ preventScroll: true });
}

/** A report of one medium begins with that medium; there is none before or after it. Whether it did. */
function openOnly() {
  const [medium] = report.media;
  if (report.media.length > 1 || !medium.done) return false;
  document.title = `${medium.name}: attention report`;
  for (const id of ["detail-place", "previous", "next"]) byId(id).hidden = true;
  if (!location.hash) history.replaceState(null, "", `#${medium.id}`);
  return true;
}

export function wireServed() {
  document.documentElement.classList.add("served");
  query(".masthead h1").textContent = served.company;
  byId("back").href = served.home;
  byId("back").textContent = "← All files";
  // commands for a run on disk are of no use here
  for (const name of queryAll("[data-run]")) name.closest("p").hidden = true;
  byId("edit-areas").before(element("button", { type: "button", id: "find-areas" }, "Find areas"));
  byId("find-areas").addEventListener("click", findAreas);
  if (!openOnly()) query(".masthead nav").prepend(element("a", { href: served.home }, "All files"));
}
