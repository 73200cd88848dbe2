// First and last two seconds: how scores and maps of the windows differ.

const WINDOW_MAPS = ["first_two_heat", "last_two_heat"];
const TIMES = { start: "First 2 s", end: "Last 2 s", total: "Whole" };

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

function showWindowTable(found) {
  const table = byId("windows-table");
  const names = report.metrics.map((metric) => metric.name).filter((name) => found[name]);
  table.hidden = names.length === 0;
  const heads = Object.entries(TIMES).map(([time, text]) => ofTime(element("th", { scope: "col" }, text), time));
  table.querySelector("thead").replaceChildren(element("tr", {}, element("th", { scope: "col" }, "Score"), ...heads));
  table.querySelector("tbody").replaceChildren(...names.map((name) => windowRow(metricOf.get(name), found[name])));
}

function windowRow(metric, scores) {
  const cells = Object.keys(TIMES).map((time) => ofTime(windowCell(scores[time], metric, windowRange(metric.name, time)), time));
  return element("tr", {}, element("th", { scope: "row" }, metric.title, " ", proxyBadge(metric.name)), ...cells);
}

/** A cell that can be marked as one of the time that is shown. */
function ofTime(cell, time) {
  cell.dataset.time = time;
  cell.classList.toggle("of-time", areaOrder.time === time);
  return cell;
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
  tellSides();
}
