// The page: which view is shown (by the address), keys, theme, export, wiring.

let scrollBefore = 0;

/** `#medium_id` opens a detail; any other address is a place in the overview. */
function route() {
  const wanted = location.hash.slice(1);
  const index = wanted ? report.media.findIndex((medium) => medium.done && medium.id === wanted) : -1;
  if (index >= 0) openDetail(index);
  else if (current !== null) closeDetail(wanted);
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

function closeDetail(anchor) {
  const link = rowOf(current).querySelector("a");
  current = null;
  closeEditor();
  timeline = null;
  closePlayer();
  byId("detail").hidden = true;
  byId("overview").hidden = false;
  document.body.classList.remove("detail-open");
  if (anchor && byId(anchor)) return byId(anchor).scrollIntoView();
  scrollTo({ top: scrollBefore, behavior: "instant" });
  return link.focus({ preventScroll: true });
}

function back(event) {
  event?.preventDefault();
  if (served) return location.assign(served.home);
  history.pushState(null, "", location.pathname + location.search);
  return closeDetail("");
}

function onKey(event) {
  if (current === null || editorKey(event)) return;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (playerKey(event)) return;
  if (event.key === "Escape") back(event);
  if (event.target.matches("input, select, textarea")) return;
  if (event.key === "ArrowLeft" || event.key === "k") step(-1);
  if (event.key === "ArrowRight" || event.key === "j") step(1);
}

let pressed = null; // an area that was pressed: it is chosen, unless the pointer goes on to move the divider

function drag(event) {
  if (event.type === "pointerup") return release();
  if (event.type === "pointerdown") {
    if (event.button !== 0) return;
    pressed = { area: areaUnder(event.target), x: event.clientX };
    event.currentTarget.setPointerCapture(event.pointerId);
    byId("divider").focus({ preventScroll: true });
    event.preventDefault();
  } else if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
  if (pressed?.area != null && Math.abs(event.clientX - pressed.x) < STILL_PX) return;
  pressed = null;
  const box = event.currentTarget.getBoundingClientRect();
  setDivider((100 * (event.clientX - box.left)) / box.width);
}

function release() {
  if (pressed?.area != null) pickShape(pressed.area);
  pressed = null;
}

function onPictureError(event) {
  const text = `This picture is not where the run left it (${event.target.getAttribute("src")}). Keep the folders report and maps together.`;
  byId("map-caption").textContent = text;
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

// ---- export

/** Quote for CSV; text that a spreadsheet would run as a formula gets a leading apostrophe. */
function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = /^'*[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csv() {
  const names = report.metrics.map((metric) => metric.name);
  const head = ["name", "path", "medium_id", "status", "error_code", "kind", "width", "height", "duration_s"];
  const lines = [[...head, ...names.flatMap((name) => [name, `${name}_lo`, `${name}_hi`, ...standingHeads(name)])]];
  for (const index of shown) {
    const medium = report.media[index];
    const scores = names.flatMap((name) => [...["value", "lo", "hi"].map((key) => medium.scores[name]?.[key]), ...standingCells(medium, name)]);
    for (const path of medium.paths) {
      lines.push([medium.name, path, medium.id, medium.done ? "done" : "failed", medium.error_code, medium.kind, medium.width, medium.height, medium.duration_s, ...scores]);
    }
  }
  return lines.map((line) => line.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function download() {
  // The mark at the start tells spreadsheets that the text is UTF-8.
  const address = URL.createObjectURL(new Blob(["\ufeff", csv()], { type: "text/csv;charset=utf-8" }));
  element("a", { href: address, download: "media.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

async function copy() {
  const button = byId("copy");
  try {
    await navigator.clipboard.writeText(csv());
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying is blocked here: use Download";
  }
  setTimeout(() => { button.textContent = "Copy CSV"; }, 2500);
}

// ---- wiring

function wire() {
  byId("cards").addEventListener("click", (event) => {
    const card = event.target.closest(".card");
    if (card) choose(card.dataset.metric);
  });
  byId("media").addEventListener("click", (event) => {
    const key = event.target.closest("[data-sort]")?.dataset.sort;
    if (key) return sortBy(key);
    const link = event.target.closest("tbody tr")?.querySelector("th a");
    if (link && event.target !== link && !getSelection().toString()) link.click();
  });
  byId("show-heat").addEventListener("click", toggleHeat);
  byId("show-heat").hidden = !report.media.some((medium) => medium.maps.heat);
  byId("toolbar").addEventListener("submit", (event) => event.preventDefault());
  for (const id of ["text", "from", "to"]) byId(id).addEventListener("input", readFilters);
  for (const id of ["status", "kind"]) byId(id)?.addEventListener("change", readFilters);
  byId("metric").addEventListener("change", () => choose(byId("metric").value));
  byId("order").addEventListener("change", () => choose(state.metric, byId("order").value));
  byId("reset").addEventListener("click", () => { byId("toolbar").reset(); readFilters(); show(); });
  byId("all-rows").addEventListener("click", showAllRows);
  addEventListener("beforeprint", showAllRows);
  byId("copy").addEventListener("click", copy);
  byId("download").addEventListener("click", download);
  byId("theme").addEventListener("click", toggleTheme);
  wireCategories();
  wireRules();
  wireDetail();
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
  byId("divider").addEventListener("input", (event) => setDivider(event.target.value));
  byId("left-map").addEventListener("change", (event) => setLeft(event.target.value, report.media[current]));
  byId("compare-windows").addEventListener("click", compareWindows);
  for (const kind of ["pointerdown", "pointermove", "pointerup"]) byId("compare").addEventListener(kind, drag);
  for (const side of ["left", "right"]) byId(`picture-${side}`).addEventListener("error", onPictureError);
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
if (served) resume();
