// Parts of a medium to jump to, and keys.

const PARTS = ["scores-and-why", "areas", "over-time", "maps", "notes"];
const TYPED = "input, select, textarea";

/** A part that has nothing for a medium is not offered. */
function showParts() {
  byId("over-time").hidden = byId("windows").hidden && timeline === null;
  byId("maps").hidden = byId("strip").hidden;
  for (const link of byId("parts").children) {
    const part = byId(link.dataset.part);
    link.hidden = part.hidden;
  }
  requestAnimationFrame(markPart); // when it can be seen
}

function goToPart(id) {
  const part = byId(id);
  part.scrollIntoView({ block: "start" });
  part.querySelector("h3").focus({ preventScroll: true });
}

/** The last part that has begun above the middle of the window. */
function markPart() {
  if (current === null) return;
  const begun = PARTS.filter((id) => !byId(id).hidden && byId(id).getBoundingClientRect().top < innerHeight / 2);
  for (const link of byId("parts").children) {
    if (link.dataset.part === begun.at(-1)) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function showShortcuts() {
  byId("shortcuts").showModal();
}

function nextTime() {
  const times = timesOf(openMedium());
  if (times.length) setTime(times[(times.indexOf(areaOrder.time) + 1) % times.length]);
}

/** Keys of the viewer; says whether it took the key. */
function viewerKey(event) {
  if (editing !== null || (event.target.matches(TYPED) && event.target.id !== "divider" && event.target.id !== "moment")) return false;
  const layer = layersOf(openMedium())[Number(event.key) - 1];
  const keys = { x: swapSides, w: nextTime, a: toggleAreas, z: () => toggleZoom(), "?": showShortcuts };
  const act = layer ? () => chooseLayer(layer) : keys[event.key.toLowerCase()];
  if (!act) return false;
  event.preventDefault();
  act();
  return true;
}

function wireShortcuts() {
  byId("keys").addEventListener("click", showShortcuts);
  byId("close-shortcuts").addEventListener("click", () => byId("shortcuts").close());
  byId("shortcuts").addEventListener("click", (event) => { if (event.target === byId("shortcuts")) byId("shortcuts").close(); });
  byId("parts").addEventListener("click", (event) => {
    const id = event.target.closest("[data-part]")?.dataset.part;
    if (id) goToPart(id);
  });
  addEventListener("scroll", markPart, { passive: true });
}
