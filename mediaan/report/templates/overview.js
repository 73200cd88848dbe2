"use strict";
// The overview: score cards, ranking, table. Media are addressed by their index in `report.media`.

const report = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const metricOf = new Map(report.metrics.map((metric) => [metric.name, metric]));
const rows = [...document.querySelectorAll("#media tbody tr")]; // by medium, as far as they were made: see rowOf
const laterRows = document.getElementById("later-rows")?.textContent.split("<!--row-->").slice(1, -1) ?? [];
const firstRows = rows.length;
const state = { metric: report.metrics[0]?.name, order: "first", text: "", status: "all", kind: "all", from: null, to: null, heat: false, allRows: false };
const collator = new Intl.Collator(undefined, { numeric: true });
let shown = []; // indices of the media in the table, in its order

/** Make an element; children that are strings become text, never markup. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

function scoreOf(index, name = state.metric) {
  return report.media[index].scores[name];
}

function valueOf(index, name = state.metric) {
  return scoreOf(index, name)?.value ?? null;
}

function formatted(value, metric) {
  return value.toFixed(metric.decimals);
}

function place(value, metric) {
  const share = (value - metric.low) / (metric.high - metric.low);
  return `${100 * Math.min(Math.max(share, 0), 1)}%`;
}

/** A score bar with its interval as a whisker. */
function bar(score, metric) {
  const made = element("span", { className: score.lo === null ? "bar exact" : "bar" });
  made.style.setProperty("--v", place(score.value, metric));
  made.style.setProperty("--lo", place(score.lo ?? score.value, metric));
  made.style.setProperty("--hi", place(score.hi ?? score.value, metric));
  return made;
}

function directionWords(direction) {
  return { higher: "higher is better", lower: "lower is better", middle: "neither extreme is best" }[direction];
}

/** 1 when large values come first in a ranking, -1 when small ones do. */
function firstSign() {
  return metricOf.get(state.metric)?.direction === "lower" ? -1 : 1;
}

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

function fits(index) {
  const medium = report.media[index];
  if (state.status === "done" && !medium.done) return false;
  if (state.status === "failed" && medium.done) return false;
  if (state.status === "noted" && !medium.notes.length) return false;
  if (state.status === "unlike" && medium.unlike === null) return false;
  if (state.kind !== "all" && (!medium.done || medium.moves !== (state.kind === "videos"))) return false;
  if (!fitsStanding(index) || !fitsRules(index)) return false;
  if (state.text && !medium.paths.concat(medium.name).some((path) => path.toLowerCase().includes(state.text))) return false;
  if (state.from === null && state.to === null) return true;
  const value = valueOf(index);
  return value !== null && value >= (state.from ?? -Infinity) && value <= (state.to ?? Infinity);
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

/** A row that is shown: its rank, and which score the table is ranked by. */
function dressRow(index) {
  const row = rowOf(index);
  row.querySelector(".place").textContent = scoreOf(index)?.standing?.rank ?? "";
  for (const cell of row.querySelectorAll(".score")) cell.classList.toggle("current", cell.dataset.metric === state.metric);
  return row;
}

function showTable() {
  shown = report.media.map((_, index) => index).filter(fits).sort(compare);
  const visible = state.allRows ? shown : shown.slice(0, report.rows_at_once);
  document.querySelector("#media tbody").replaceChildren(...visible.map(dressRow));
  byId("shown").textContent = shownWords();
  byId("more-rows").hidden = visible.length === shown.length;
  byId("all-rows").textContent = `Show all ${shown.length}`;
  byId("nothing").hidden = shown.length > 0;
  byId("media").classList.toggle("empty", shown.length === 0);
}

/** How many rows fit the filters; of a large run they look through the media on the page alone. */
function shownWords() {
  const all = report.media.length;
  if (report.part_of) return `${shown.length} of the ${all} on this page, of ${report.part_of.toLocaleString("en")} in the run`;
  return shown.length === all ? `${all} shown` : `${shown.length} of ${all} shown`;
}

/** Paper has all of them. */
function showAllRows() {
  state.allRows = true;
  showTable();
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
  byId("order").value = byName ? "name" : state.order;
}

/** `sign` says of which end of the score the card is an example: 1 high, -1 low, 0 neither. */
function rankingCard(index, sign) {
  const metric = metricOf.get(state.metric);
  const [medium, score] = [report.media[index], scoreOf(index)];
  const range = scoreRange(medium, state.metric);
  const source = (state.heat && pictureOf(medium, "heat")) || rowOf(index).querySelector("img")?.src;
  const picture = source ? element("img", { src: source, alt: "" }) : element("span", { className: "blank" });
  const rank = element("span", { className: "rank" }, `${score.standing.rank}`);
  const mark = rowOf(index).querySelector(".play-mark")?.cloneNode(true);
  const value = element("span", { className: "ranking-value" }, element("b", {}, formatted(score.value, metric)), bar(score, metric));
  return element(
    "a",
    { className: "ranking-card", href: `#${medium.id}` },
    element("span", { className: "frame" }, picture, rank, mark),
    element("span", { className: "ranking-name" }, medium.name),
    value,
    range?.category === undefined ? null : categoryChip(range),
    whyLine(score, sign),
  );
}

function rankingGroup(title, indices, sign) {
  const head = element("h3", {}, title);
  return element("div", { className: "ranking-group" }, head, element("div", { className: "ranking-cards" }, ...indices.map((index) => rankingCard(index, sign))));
}

function showRanking() {
  const metric = metricOf.get(state.metric);
  const ranked = report.media.map((_, index) => index).filter((index) => valueOf(index) !== null);
  ranked.sort((a, b) => scoreOf(a).standing.rank - scoreOf(b).standing.rank);
  const [first, last] = metric.direction === "middle" ? ["Highest", "Lowest"] : ["Best", "Weakest"];
  const alike = ranked.length > 1 && scoreOf(ranked.at(-1)).standing.rank === 1;
  const groups = ranked.length <= 6 || alike
    ? [rankingGroup(alike ? "All alike in this score" : `${first} first`, ranked.slice(0, 6), 0)]
    : [rankingGroup(`${first} three`, ranked.slice(0, 3), firstSign()), rankingGroup(`${last} three`, ranked.slice(-3), -firstSign())];
  byId("ranking").replaceChildren(...(ranked.length ? groups : []));
  byId("ranking-title").textContent = `Ranking by ${metric.title}`;
  const words = [metric.caption, `${directionWords(metric.direction)[0].toUpperCase()}${directionWords(metric.direction).slice(1)}.`];
  if (metric.basis === "proxy") words.push("A proxy: a hint, not evidence.");
  if (metric.level_with_best > 0) words.push(levelWords(metric.level_with_best));
  if (RESTS_ON_GAZE.has(metric.name) && mixesKinds()) words.push("Videos tend to come out higher than pictures here: compare like with like.");
  byId("ranking-note").replaceChildren(`${words.join(" ")} `, element("a", { href: `#about-${metric.name}` }, `What ${metric.title} means`));
}

/** Scores that rest in part on how gathered gaze is, on the scale of pictures: of a moment it is more so than of five seconds. */
const RESTS_ON_GAZE = new Set(["memory", "engagement"]);

function mixesKinds() {
  const done = report.media.filter((medium) => medium.done);
  return done.some((medium) => medium.moves) && done.some((medium) => !medium.moves);
}

function levelWords(n) {
  return n === 1 ? "The intervals of the first two overlap: treat them as level." : `${n} media have intervals that reach the first one's: treat them as level with it.`;
}

/** The heat maps are large pictures: they are loaded only when asked for. */
function toggleHeat() {
  state.heat = !state.heat;
  byId("show-heat").setAttribute("aria-pressed", String(state.heat));
  showRanking();
}

function show() {
  if (!state.metric) return;
  showTable();
  showSorting();
  showRanking();
  showTallies();
}

function choose(metric, order = "first") {
  Object.assign(state, { metric, order });
  show();
}

function sortBy(key) {
  if (key === "name") choose(state.metric, state.order === "name" ? "name-last" : "name");
  else choose(key, key === state.metric && state.order === "first" ? "last" : "first");
}

function number(input) {
  return input.value === "" || Number.isNaN(input.valueAsNumber) ? null : input.valueAsNumber;
}

function readFilters() {
  state.text = byId("text").value.trim().toLowerCase();
  state.status = byId("status").value;
  state.kind = byId("kind")?.value ?? "all";
  state.against = byId("against")?.value ?? "all";
  state.rules = byId("rules-filter")?.value ?? "all";
  state.from = number(byId("from"));
  state.to = number(byId("to"));
  showTable();
  showTallies();
  showRuleCounts();
}
