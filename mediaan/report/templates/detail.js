// The detail of one medium: comparison slider, scores, windows, notes.

let current = null; // index of the open medium

const mapOf = new Map(report.maps.map((spec) => [spec.name, spec]));

const SHEET = "contact_sheet"; // a picture of its own size: not to be laid over the others

function mapTitle(name) {
  return mapOf.get(name)?.title ?? { original: "Original", [SHEET]: "Scenes" }[name] ?? name.replaceAll("_", " ");
}

function facts(medium) {
  const size = medium.size_bytes === null ? null : `${Math.max(1, Math.round(medium.size_bytes / 1000)).toLocaleString("en")} kB`;
  const pixels = medium.width === null ? null : `${medium.width} × ${medium.height} px`;
  const copies = medium.paths.length > 1 ? `the same ${medium.kind} in ${medium.paths.length} files` : null;
  const rate = medium.frame_rate === null ? null : `${Number(medium.frame_rate.toFixed(2))} frames a second`;
  const length = medium.moves ? clock(medium.duration_s) : null;
  const read = medium.share_read !== null && medium.share_read < 1 ? `${Math.floor(100 * medium.share_read)} % of the file could be read` : null;
  const objective = medium.objective ? `for ${medium.objective}` : null;
  const paths = medium.paths.length === 1 && medium.paths[0] === medium.name ? null : medium.paths.join(", ");
  return [paths, objective, length, pixels, rate, medium.codec?.toUpperCase(), size, copies, read].filter(Boolean).join(" · ");
}

function setPicture(side, name, medium) {
  const picture = byId(`picture-${side}`);
  picture.src = pictureOf(medium, name);
  picture.alt = `${mapTitle(name)} of ${medium.name}`;
  picture.dataset.map = name;
  byId(`side-${side}`).textContent = mapTitle(name);
}

function setRight(name, medium) {
  setPicture("right", name, medium);
  byId("compare").classList.toggle("single", name === SHEET);
  byId("divider").disabled = name === SHEET;
  byId("areas-on-picture").hidden = name === SHEET;
  const spec = mapOf.get(name);
  const words = element("p", {}, element("strong", {}, mapTitle(name)), ` ${spec?.caption ?? ""} `, element("small", {}, spec?.scale ?? ""));
  byId("map-caption").replaceChildren(words, ...(spec?.bar ? [legend(spec.bar)] : []));
  for (const button of byId("strip").children) button.setAttribute("aria-pressed", String(button.dataset.map === name));
  describeDivider();
}

function legend(bar) {
  const colours = element("i");
  colours.style.background = bar.gradient;
  const ticks = bar.ticks.map(([place, text]) => element("span", { style: `left:${place}%` }, text));
  return element("span", { className: "legend" }, colours, ...ticks);
}

function setLeft(name, medium) {
  setPicture("left", name, medium);
  byId("left-map").value = name;
  describeDivider();
}

function describeDivider() {
  const divider = byId("divider");
  const [left, right] = [byId("side-left").textContent, byId("side-right").textContent];
  divider.setAttribute("aria-label", `Divider between ${left} and ${right}`);
  divider.setAttribute("aria-valuetext", `${divider.value} % ${left}, ${100 - divider.value} % ${right}`);
}

function setDivider(percent) {
  byId("divider").value = percent;
  byId("compare").style.setProperty("--at", `${byId("divider").value}%`);
  describeDivider();
}

function showPictures(medium) {
  const names = Object.keys(medium.maps).sort((a, b) => mapOrder(a) - mapOrder(b));
  const some = names.length > 0;
  byId("figure").hidden = byId("strip").hidden = byId("strip-head").hidden = !some;
  byId("no-maps").hidden = some;
  byId("strip").replaceChildren();
  if (!some) return;
  const ratio = medium.width && medium.height ? medium.width / medium.height : 4 / 3;
  for (const id of ["compare", "strip"]) byId(id).style.setProperty("--ratio", ratio);
  byId("strip").replaceChildren(...names.map((name) => stripButton(name, medium)));
  byId("left-map").replaceChildren(...names.filter((name) => name !== SHEET).map((name) => element("option", { value: name }, mapTitle(name))));
  setLeft(names.includes("original") ? "original" : names[0], medium);
  setRight(names.find((name) => name !== "original" && name !== SHEET) ?? names[0], medium);
  setDivider(50);
}

function mapOrder(name) {
  if (name === "original") return -1;
  const index = report.maps.findIndex((spec) => spec.name === name);
  return index < 0 || name === SHEET ? report.maps.length : index;
}

function stripButton(name, medium) {
  const picture = element("img", { src: pictureOf(medium, name), alt: "", decoding: "async" });
  const className = { original: "print-only", [SHEET]: "screen-only" }[name] ?? "";
  const button = element("button", { type: "button", className }, picture, element("span", {}, mapTitle(name)));
  button.dataset.map = name;
  button.addEventListener("click", () => setRight(name, medium));
  return button;
}

function standingWords(standing, metric, medium) {
  const aim = aimWords(metric, medium);
  if (standing.of === 1) return `${aim.charAt(0).toUpperCase()}${aim.slice(1)}.`;
  const range = standing.first < standing.last ? ` (${standing.first}–${standing.last})` : "";
  const best = metric.direction !== "middle" && metric.direction === aimFor(metric, medium).direction;
  const from = best ? "" : ` from the ${metric.direction === "lower" ? "lowest" : "highest"}`;
  return `Rank ${standing.rank}${range} of ${standing.of}${from}; ${aim}.`;
}

function scorePanel(metric, score, medium) {
  const head = element("h4", {}, aboutLink(metric), " ", element("span", { className: `badge ${score.basis}` }, score.basis));
  const panel = element("section", { className: "score-panel" });
  panel.dataset.metric = metric.name;
  if (score.value === null) {
    panel.append(head, element("p", { className: "no-value" }, `No value: ${score.reason ?? "not computed"}.`));
  } else {
    const interval = score.lo === null ? "" : `${formatted(score.lo, metric)}–${formatted(score.hi, metric)}`;
    const value = element("p", { className: "value" }, element("b", {}, formatted(score.value, metric)), " ", element("span", { className: "interval" }, ["score", "count"].includes(metric.unit) ? interval : `${interval} ${metric.unit}`));
    const range = scoreRange(medium, metric.name);
    panel.append(element("header", {}, head, value));
    if (range) panel.append(standingBlock(metric, score, range));
    panel.append(distribution(metric, score));
    if (score.standing) panel.append(element("p", { className: "standing" }, standingWords(score.standing, metric, medium)));
    const why = driverList(metric, score, driverScale(medium));
    if (why) panel.append(why);
  }
  panel.append(element("p", { className: "fine" }, metric.caption));
  return panel;
}

/** The run's histogram with this medium's value and interval marked. */
function distribution(metric, score) {
  const figure = document.querySelector(`#cards [data-metric="${CSS.escape(metric.name)}"] .histogram`).cloneNode(true);
  const marker = bar(score, metric);
  marker.classList.replace("bar", "marker");
  const label = `${metric.title} among ${metric.n} media; this medium is marked`;
  const ends = element("span", { className: "ends" }, element("span", {}, `${metric.low}`), element("span", {}, `${metric.high}`));
  return element("div", { className: "distribution", role: "img", "aria-label": label }, element("div", { className: "plot" }, figure, marker), ends);
}

function showScores(medium) {
  const panels = report.metrics.filter((metric) => medium.scores[metric.name]).map((metric) => scorePanel(metric, medium.scores[metric.name], medium));
  byId("why-note").hidden = !Object.values(medium.scores).some((score) => score.drivers.length);
  byId("detail-scores").replaceChildren(...panels);
  showCompared(medium);
}

function showRemarks(medium) {
  byId("remarks").hidden = medium.remarks.length === 0;
  const items = medium.remarks.map((found) => element("li", { className: found.kind }, element("strong", {}, found.sentence), found.advice ? ` ${found.advice}` : null));
  byId("remarks").querySelector("ul").replaceChildren(...items);
}

function showNotes(medium) {
  byId("notes").hidden = medium.notes.length === 0;
  const items = medium.notes.map((note) => element("li", {}, element("code", {}, note.code), ` ${note.message}`));
  byId("notes").querySelector("ul").replaceChildren(...items);
}

const WINDOW_MAPS = ["first_two_heat", "last_two_heat"];

function showWindows(medium) {
  const pair = ["focus_first_two", "focus_last_two"].filter((name) => metricOf.has(name) && medium.scores[name]?.value != null);
  const maps = WINDOW_MAPS.every((name) => medium.maps[name]);
  byId("windows").hidden = !medium.windows && !maps && !medium.window_scores;
  byId("windows-text").textContent = [medium.windows, medium.window_note].filter(Boolean).join(" ");
  byId("windows-title").textContent = medium.moves ? "First two seconds, last two, and the whole" : "First look and last look";
  byId("compare-windows").hidden = !maps;
  byId("windows-bars").hidden = medium.moves;
  showWindowTable(medium.window_scores ?? {});
  byId("windows-bars").replaceChildren(...pair.flatMap((name) => windowBar(metricOf.get(name), medium.scores[name])));
}

function windowBar(metric, score) {
  return [element("span", {}, metric.title), bar(score, metric), element("b", {}, formatted(score.value, metric))];
}

function proxyBadge(name) {
  return metricOf.get(name).basis === "proxy" ? element("span", { className: "badge proxy" }, "proxy") : null;
}

const TIMES = { start: "First 2 s", end: "Last 2 s", total: "Whole" };

function showWindowTable(found) {
  const table = byId("windows-table");
  const names = report.metrics.map((metric) => metric.name).filter((name) => found[name]);
  table.hidden = names.length === 0;
  const head = ["Score", ...Object.values(TIMES)].map((text) => element("th", { scope: "col" }, text));
  table.querySelector("thead").replaceChildren(element("tr", {}, ...head));
  table.querySelector("tbody").replaceChildren(...names.map((name) => windowRow(metricOf.get(name), found[name])));
}

function windowRow(metric, scores) {
  const cells = Object.keys(TIMES).map((time) => windowCell(scores[time], metric, windowRange(metric.name, time)));
  return element("tr", {}, element("th", { scope: "row" }, metric.title, " ", proxyBadge(metric.name)), ...cells);
}

/** The range of a window's score, which may be that of a metric of its own name, such as focus_first_two. */
function windowRange(name, time) {
  const { ranges } = report.media[current];
  const own = { start: `${name}_first_two`, end: `${name}_last_two` }[time];
  return rangeOf(ranges?.[name]?.[time] ?? ranges?.[own]?.[time]);
}

function windowCell(score, metric, range) {
  if (score?.value == null) return element("td", {}, element("span", { className: "none", title: score?.reason ?? "not computed" }, "n/a"));
  const interval = score.lo === null ? null : element("span", { className: "interval" }, `${formatted(score.lo, metric)}–${formatted(score.hi, metric)}`);
  const chip = range === null || range.category === undefined ? null : categoryChip(range, false);
  if (chip) chip.title = range.sentence ?? "";
  return element("td", {}, element("b", {}, formatted(score.value, metric)), " ", interval, chip);
}

function compareWindows() {
  const medium = report.media[current];
  setLeft(WINDOW_MAPS[0], medium);
  setRight(WINDOW_MAPS[1], medium);
  byId("compare").scrollIntoView({ block: "center" });
  byId("divider").focus({ preventScroll: true });
}

function showDetail(index) {
  current = index;
  closeEditor();
  const medium = report.media[index];
  byId("detail-name").textContent = medium.name;
  byId("detail-facts").textContent = facts(medium);
  byId("unlike").hidden = medium.unlike === null;
  byId("unlike-share").textContent = medium.unlike === null ? "" : `${Math.min(100, 100 * medium.unlike).toFixed(1)} %`;
  showPictures(medium);
  showPlayer(medium);
  byId("maps-of").textContent = medium.kind;
  byId("maps-title").hidden = !medium.moves || byId("figure").hidden;
  byId("player-keys").hidden = medium.timeline === null;
  showScores(medium);
  showRules(medium, index);
  showRemarks(medium);
  showNotes(medium);
  showWindows(medium);
  showAreas(medium);
  showSteps();
}

/** The media that previous and next walk through: those in the table that have a detail, and the open one. */
function walk() {
  const open = shown.filter((index) => report.media[index].done && report.media[index].id);
  return open.includes(current) ? open : [current, ...open];
}

function showSteps() {
  const path = walk();
  const at = path.indexOf(current);
  byId("detail-place").textContent = `${at + 1} of ${path.length}`;
  byId("previous").disabled = at === 0;
  byId("next").disabled = at === path.length - 1;
}

function step(by) {
  const path = walk();
  const target = path[path.indexOf(current) + by];
  if (target !== undefined) location.replace(`#${report.media[target].id}`);
}
