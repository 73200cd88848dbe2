// Links to the sections of the overview, of which the one on screen is marked.

import { byId } from "../core/dom.js";

const sectionLinks = [...document.querySelectorAll("#sections a")];

/** The last section that has come up under the links; at the end of the page the last of all. */
function sectionOnScreen() {
  const line = byId("sections").getBoundingClientRect().bottom + innerHeight / 4;
  const passed = sectionLinks.filter((link) => byId(link.hash.slice(1)).getBoundingClientRect().top <= line);
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

/** Explanations are folded until one is looked for. */
function unfold() {
  const folded = location.hash && byId(location.hash.slice(1))?.closest("details");
  if (folded && !folded.open) {
    folded.open = true;
    byId(location.hash.slice(1)).scrollIntoView();
  }
}

export function wireSections() {
  let waiting = false;
  addEventListener("scroll", () => {
    if (!waiting) requestAnimationFrame(() => { waiting = false; markSection(); });
    waiting = true;
  }, { passive: true });
  addEventListener("hashchange", unfold);
  addEventListener("beforeprint", () => { for (const folded of document.querySelectorAll("details.guide-fold")) folded.open = true; });
  unfold();
  markSection();
}
