// All media: which are shown, in which order, and laid down as rows of a table or cards of a gallery.

const rows = [...document.querySelectorAll("#media tbody tr")]; // by medium, as far as they were made: see rowOf
const laterRows = document.getElementById("later-rows")?.textContent.split("<!--row-->").slice(1, -1) ?? [];
const firstRows = rows.length;
const MANY = 60; // rows or cards: of more, those far from the screen are not laid out
const AT_ONCE = 40; // rows or cards that are laid down between two frames
const collator = new Intl.Collator(undefined, { numeric: true });
let shown = []; // indices of the media in the list, in its order
let laying = null; // the timer of those that are still to be laid down

/** Compare two media: by name or by score, those without a value last, then by name. */
function compare(a, b) {
  const failed = report.media[b].done - report.media[a].done;
  if (failed) return failed;
  const byName = () => collator.compare(report.media[a].name, report.media[b].name);
  const byKind = report.media[a].moves - report.media[b].moves;
  if (state.order === "kind" && byKind) return byKind;
  if (state.order.startsWith("percentile")) return byPercentile(a, b, state.order === "percentile" ? 1 : -1) || byName();
  if (state.order === "name") return byName();
  if (state.order === "name-last") return -byName();
  const [va, vb] = [valueOf(a), valueOf(b)];
  if (va === null || vb === null) return (va === null) - (vb === null) || byName();
  return (vb - va) * firstSign() * (state.order === "last" ? -1 : 1) || byName();
}

/** The row of a medium; those beyond the first are text until they are wanted. */
function rowOf(index) {
  if (!rows[index]) {
    const maker = document.createElement("template");
    maker.innerHTML = laterRows[index - firstRows];
    rows[index] = maker.content.querySelector("tr");
  }
  return rows[index];
}

/** Address of the small picture of a medium, without making its row; null where there is none. */
function thumbOf(index) {
  if (rows[index]) return rows[index].querySelector("img")?.src ?? null;
  return /<img src="([^"]+)"/.exec(laterRows[index - firstRows])?.[1] ?? null;
}

/** A row that is shown: its rank, which score the list is ranked by, and whether it is chosen. */
function dressRow(index) {
  const row = rowOf(index);
  row.querySelector(".place").textContent = scoreOf(index)?.standing?.rank ?? "";
  for (const cell of row.querySelectorAll(".score")) cell.classList.toggle("current", cell.dataset.metric === state.metric);
  if (hasDetail(index)) dressPick(row.querySelector(".picture"), index);
  return row;
}

const inGallery = () => state.look === "gallery";

function showList() {
  shown = report.media.map((_, index) => index).filter(fits).sort(compare);
  byId("gallery").hidden = !inGallery() || shown.length === 0;
  byId("media").hidden = inGallery();
  byId("media").classList.toggle("empty", shown.length === 0);
  byId("all-media").classList.toggle("many", shown.length > MANY);
  if (inGallery()) lay(byId("gallery"), dressCard);
  else lay(document.querySelector("#media tbody"), dressRow);
  byId("shown").textContent = shownWords();
  byId("nothing").hidden = shown.length > 0;
  for (const button of document.querySelectorAll("[data-look]")) button.setAttribute("aria-pressed", String(button.dataset.look === state.look));
}

/** The first at once, the others a few at a time, so that the page answers meanwhile. */
function lay(host, dress) {
  clearTimeout(laying);
  host.replaceChildren(...shown.slice(0, report.rows_at_once).map(dress));
  const more = (from) => {
    laying = null;
    if (from >= shown.length) return;
    host.append(...shown.slice(from, from + AT_ONCE).map(dress));
    laying = setTimeout(more, 0, from + AT_ONCE);
  };
  more(report.rows_at_once);
}

/** Paper has all of them. */
function layRest() {
  if (laying === null) return;
  clearTimeout(laying);
  laying = null;
  const [host, dress] = inGallery() ? [byId("gallery"), dressCard] : [document.querySelector("#media tbody"), dressRow];
  host.append(...shown.slice(host.children.length).map(dress));
}

/** How many fit the filters; of a large run they look through the media on the page alone. */
function shownWords() {
  const all = report.media.length;
  if (report.part_of) return `${shown.length} of the ${all} on this page, of ${report.part_of.toLocaleString("en")} in the run`;
  return shown.length === all ? `${all} shown` : `${shown.length} of ${all} shown`;
}

function showSorting() {
  const byName = state.order.startsWith("name");
  for (const head of document.querySelectorAll("#media thead th")) {
    const key = head.querySelector("button")?.dataset.sort;
    const active = key && state.order !== "kind" && key === (byName ? "name" : state.metric);
    const falling = state.order.startsWith("percentile") ? state.order === "percentile" : byName ? state.order === "name-last" : (state.order === "first") === (firstSign() > 0);
    if (active) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  for (const cell of document.querySelectorAll("#media thead [data-metric]")) {
    cell.classList.toggle("current", cell.dataset.metric === state.metric);
  }
  for (const card of document.querySelectorAll("#cards .card")) {
    card.setAttribute("aria-pressed", String(card.dataset.metric === state.metric));
  }
  byId("metric").value = state.metric;
  byId("order").value = state.order;
}

function sortBy(key) {
  if (key === "name") choose(state.metric, state.order === "name" ? "name-last" : "name");
  else choose(key, key === state.metric && state.order === "first" ? "last" : "first");
}

/** The link of a medium in the list, where the reader was. */
function linkOf(index) {
  return (inGallery() ? cardOf(index) : rowOf(index)).querySelector("a");
}

function openRow(event) {
  const key = event.target.closest("[data-sort]")?.dataset.sort;
  if (key) return sortBy(key);
  if (event.target.closest(".pick")) return;
  const link = event.target.closest("tbody tr")?.querySelector("th a");
  if (link && event.target !== link && !getSelection().toString()) link.click();
}

function wireList() {
  byId("media").addEventListener("click", openRow);
  for (const button of document.querySelectorAll("[data-look]")) {
    button.addEventListener("click", () => { state.look = button.dataset.look; showList(); keepAddress(); });
  }
  addEventListener("beforeprint", layRest);
}
