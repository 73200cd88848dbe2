// The list of media: kept up to date without a reload.

import { SIGNED_OUT, endTrouble, say, showTrouble, signInAgain } from "./api.js";

const SOON_MS = 1500; // while something is being done
const LATER_MS = 15000; // others may add media too
const LOST = "The server cannot be reached; the list may be out of date.";
const shownAs = new Map(); // text of each row as the server sent it, by the row's id
let timer = null;
let under_way = null;
let lost = false;

export const listing = () => document.getElementById("listing");
export const rowOf = (id) => document.getElementById(`m-${id}`);

/** Times in the reader's own zone. */
function localise(root) {
  const options = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };
  for (const time of root.querySelectorAll("time")) time.textContent = new Date(time.dateTime).toLocaleString(undefined, options);
}

/** Somebody is at it: an open menu, or a choice for the comparison, would be torn away. */
const inUse = (row) => row.querySelector("details[open], .pick :checked") !== null;

function adopt(row) {
  localise(row);
  return row;
}

/** Tell those who listen how what was under way has ended. */
function announce(shown, row) {
  for (const [key, mark] of [["status", ".mark:not(.areas)"], ["aois", ".mark.areas"]]) {
    if (shown.dataset[key] !== "started" || row.dataset[key] === "started") continue;
    say(`${row.dataset.name}: ${row.querySelector(mark).textContent}`);
  }
}

/** Change what is different; rows keep their place in the focus. */
function updateRows(old, fresh) {
  const rows = [...fresh.rows].map((row) => {
    const [text, shown] = [row.outerHTML, document.getElementById(row.id)];
    if (shown && (shownAs.get(row.id) === text || inUse(shown))) return shown;
    shownAs.set(row.id, text);
    if (shown) announce(shown, row);
    return { made: adopt(row), in_place_of: shown };
  });
  const focused = document.activeElement.closest?.("#media tr")?.id;
  const order = rows.map((row) => row.made ?? row);
  old.replaceChildren(...order);
  if (focused && !document.activeElement.closest("#media")) document.getElementById(focused)?.querySelector("a, summary")?.focus({ preventScroll: true });
}

function update(fresh) {
  const old = listing();
  const [oldBody, freshBody] = [old, fresh].map((one) => one.querySelector("#media tbody"));
  if (!oldBody || !freshBody) {
    remember(fresh);
    localise(fresh);
    old.replaceWith(fresh);
    return;
  }
  updateRows(oldBody, freshBody);
  old.dataset.busy = fresh.dataset.busy;
  for (const part of [".filters", ".pager"]) replacePart(old, fresh, part);
}

function replacePart(old, fresh, selector) {
  const [was, is] = [old, fresh].map((one) => one.querySelector(selector));
  if (was?.outerHTML === is?.outerHTML) return;
  const focused = was?.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  if (!was) old.append(is);
  else if (!is) was.remove();
  else was.replaceWith(is);
  if (focused && is) is.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

function remember(root) {
  for (const row of root.querySelectorAll("#media tbody tr")) shownAs.set(row.id, row.outerHTML);
}

async function fetchListing() {
  const response = await fetch(`rows${location.search}`, { cache: "no-cache" });
  if (response.status === 401) return signInAgain();
  if (!response.ok) throw new Error(`${response.status}`);
  endTrouble(SIGNED_OUT);
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  return update(document.adoptNode(parsed.getElementById("listing")));
}

/** Ask now; answers come in the order of the questions. */
export function refresh() {
  clearTimeout(timer);
  under_way = (under_way ?? Promise.resolve()).then(fetchListing).then(
    () => {
      lost = false;
      endTrouble(LOST);
    },
    () => {
      if (!lost) showTrouble(LOST);
      lost = true;
    },
  );
  return under_way.finally(plan);
}

function plan() {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(refresh, listing().dataset.busy === "yes" && !lost ? SOON_MS : LATER_MS);
}

export function keepFresh() {
  remember(document);
  localise(document);
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : refresh()));
  plan();
}
