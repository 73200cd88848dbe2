// The page: which view is shown (by the address), keys, theme, export, wiring.

let scrollBefore = 0;

/** `#medium_id` opens a detail, `#compare=` media side by side, `#media?` a list; any other address is a place in the overview. */
function route() {
  const wanted = location.hash.slice(1);
  const index = wanted ? report.media.findIndex((medium) => medium.done && medium.id === wanted) : -1;
  const indices = wanted.startsWith(SIDES) ? sidesOf(wanted) : [];
  if (indices.length < 2) closeSides(wanted);
  if (index >= 0) return openDetail(index);
  if (indices.length >= 2) return openSides(indices);
  return openOverview(wanted);
}

/** The list as the address says it; with no address as the page opens. */
function openOverview(wanted) {
  const before = current;
  const list = wanted.startsWith(LIST);
  if (list || (wanted === "" && currentAddress().startsWith("#"))) restoreList(list ? location.hash.slice(1 + LIST.length) : "");
  if (before !== null) return closeDetail(wanted);
  if (list || (wanted === "media" && inGallery())) byId("all-media").scrollIntoView();
}

function openSides(indices) {
  if (current === null && byId("sides").hidden) scrollBefore = scrollY;
  if (current !== null) leaveDetail();
  showSides(indices);
  picks.splice(0, picks.length, ...indices);
  markPicks();
  byId("chosen").hidden = true;
  byId("overview").hidden = true;
  byId("sides").hidden = false;
  byId("sides").focus({ preventScroll: true });
  scrollTo({ top: 0, behavior: "instant" });
}

function closeSides(anchor = "") {
  if (byId("sides").hidden) return;
  byId("sides").hidden = true;
  byId("overview").hidden = false;
  showPicks();
  if (anchor && byId(anchor)) return byId(anchor).scrollIntoView();
  scrollTo({ top: scrollBefore, behavior: "instant" });
}

function openDetail(index) {
  if (current === null) scrollBefore = scrollY;
  const stepping = current !== null;
  showDetail(index);
  byId("overview").hidden = true;
  byId("detail").hidden = false;
  document.body.classList.add("detail-open");
  if (!stepping) byId("detail").focus({ preventScroll: true });
  scrollTo({ top: 0, behavior: "instant" });
}

function leaveDetail() {
  current = null;
  closeEditor();
  timeline = null;
  closePlayer();
  byId("detail").hidden = true;
  document.body.classList.remove("detail-open");
}

function closeDetail(anchor) {
  const link = linkOf(current);
  leaveDetail();
  byId("overview").hidden = false;
  if (anchor && byId(anchor)) return byId(anchor).scrollIntoView();
  scrollTo({ top: scrollBefore, behavior: "instant" });
  return link.focus({ preventScroll: true });
}

function back(event) {
  event?.preventDefault();
  if (served) return location.assign(served.home);
  history.pushState(null, "", currentAddress());
  return current === null ? closeSides() : closeDetail("");
}

function onKey(event) {
  if (current === null && event.key === "Escape" && !byId("sides").hidden) return back(event);
  if (current === null || byId("shortcuts").open || editorKey(event)) return;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (playerKey(event) || viewerKey(event)) return;
  if (event.key === "Escape") back(event);
  if (event.target.matches("input, select, textarea")) return;
  if (event.key === "ArrowLeft" || event.key === "k") step(-1);
  if (event.key === "ArrowRight" || event.key === "j") step(1);
}

// ---- theme

function isDark() {
  return (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

function toggleTheme() {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  remember("theme", theme);
}

/** Some browsers keep nothing for pages opened from disk: the choice then lasts as long as the page. */
function remember(key, value) {
  try {
    localStorage.setItem(`mediaan-${key}`, value);
  } catch { /* see above */ }
}

function recall(key) {
  try {
    return localStorage.getItem(`mediaan-${key}`);
  } catch {
    return null;
  }
}

// ---- wiring

function wire() {
  byId("cards").addEventListener("click", (event) => {
    const card = event.target.closest(".card");
    if (card) choose(card.dataset.metric);
  });
  byId("show-heat").addEventListener("click", toggleHeat);
  byId("show-heat").hidden = !report.media.some((medium) => medium.maps.heat);
  byId("card-heat").hidden = byId("show-heat").hidden;
  byId("theme").addEventListener("click", toggleTheme);
  byId("sides-back").addEventListener("click", back);
  wireWishes();
  wireList();
  wireGallery();
  wirePicks();
  wireExport();
  wireSummary();
  wireCategories();
  wireRules();
  wireDetail();
  wireViewer();
  wireShortcuts();
  wirePlayer();
  wireAreas();
  wireDrawing();
  wirePanel();
  addEventListener("keydown", onKey);
  addEventListener("hashchange", route);
}

function wireDetail() {
  byId("back").addEventListener("click", back);
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("compare-windows").addEventListener("click", compareWindows);
}

document.documentElement.classList.add("scripted");
const theme = recall("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
for (const name of document.querySelectorAll("[data-run]")) name.textContent = shellQuoted(runFolder());
wire();
wireAreaRanking();
recallDrafts();
if (served) wireServed();
show();
route();
wireSections();
if (served) resume();
