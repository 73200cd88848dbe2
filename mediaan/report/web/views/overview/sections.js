// Links to the sections of the overview, of which the one on screen is marked.

import { byId, queryAll } from "../core/dom.js";

const sectionLinks = queryAll("#sections a");

/** The last section that has come up under the links; at the end of the page the last of all. */
function sectionOnScreen() {
  const line = byId("sections").getBoundingClientRect().bottom + innerHeight / 4;
  const passed = sectionLinks.filter((link) => byId(link.hash.slice(1)).getBoundingClientRect().top <= line);
  const addressed = sectionLinks.find((link) => link.hash === location.hash); // the page may end before it has come up
  const atEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  if (addressed && atEnd && byId(addressed.hash.slice(1)).getBoundingClientRect().top < innerHeight) return addressed;
  return passed.at(-1) ?? sectionLinks[0];
}

function markSection() {
  if (byId("overview").hidden) return;
  const here = sectionOnScreen();
  if (here.ariaCurrent) return;
  for (const link of sectionLinks) link.ariaCurrent = link === here ? "true" : null;
  const bar = byId("sections");
  bar.scrollTo({ left: here.offsetLeft - (bar.clientWidth - here.offsetWidth) / 2 });
}

/** What comes after the list is folded until it is looked for: what holds the place of the address is opened, and the fold of a section. */
function unfold() {
  const place = location.hash && byId(location.hash.slice(1));
  if (!place || !byId("overview").contains(place)) return;
  const around = [place.querySelector(":scope > details.fold")];
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) around.push(fold);
  const folded = around.filter((fold) => fold && !fold.open);
  for (const fold of folded) fold.open = true;
  if (folded.length) place.scrollIntoView();
}

export function wireSections() {
  let waiting = false;
  addEventListener("scroll", () => {
    if (!waiting) requestAnimationFrame(() => { waiting = false; markSection(); });
    waiting = true;
  }, { passive: true });
  addEventListener("hashchange", () => { unfold(); markSection(); });
  addEventListener("beforeprint", () => { for (const folded of queryAll("details:is(.fold, .guide-fold, .sureness)")) folded.open = true; });
  unfold();
  markSection();
}
