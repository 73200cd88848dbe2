// On paper: after the overview a sheet for each medium, when the address asks for it (?print=all).

const PAPER_MAPS = ["heat", "fog", "first_two_heat", "last_two_heat", "contact_sheet"];
const PAPER_AREAS = 8; // on a sheet; the tables have all
const PAPER_COLUMNS = ["attention", "percentage_seen", "first_seen_s", "time_spent"];

function paperPicture(name, medium, over = null) {
  const picture = element("img", { src: pictureOf(medium, name), alt: "" });
  return element("figure", { className: name }, element("div", { className: "paper-picture" }, picture, over), element("figcaption", {}, mapTitle(name)));
}

/** What was shown, with its areas where it is a still picture, then where people look. */
function paperPictures(medium) {
  const names = PAPER_MAPS.filter((name) => medium.maps[name]);
  const figures = names.map((name) => paperPicture(name, medium));
  if (medium.maps.original && !(medium.moves && medium.maps.contact_sheet)) {
    const areas = element("div", { className: "areas" });
    if (!medium.moves) drawAreas(areas, 0);
    figures.unshift(paperPicture("original", medium, areas));
  }
  const columns = medium.maps.contact_sheet ? " film" : medium.width < 1.25 * medium.height ? " tall" : "";
  return element("div", { className: `paper-pictures${columns}` }, ...figures);
}

function paperReasons(medium) {
  const { bad, good, open } = reasons(medium);
  const groups = { Fails: bad.map(reasonItem), "What to try": todoItems(medium), Passes: good.map(reasonItem), "Too close to call, or not known": open.map(openItem) };
  const filled = Object.entries(groups).filter(([, items]) => items.length);
  return element("div", { className: "paper-reasons" }, ...filled.map(([title, items]) => element("div", {}, element("h3", {}, title), element("ul", {}, ...items))));
}

function paperDriver([points, text]) {
  return element("div", {}, element("b", {}, signed(points)), ` ${text}`);
}

function paperScore(metric, medium) {
  const score = medium.scores[metric.name];
  const name = element("th", { scope: "row" }, metric.title, " ", proxyBadge(metric.name));
  if (score.value === null) return element("tr", {}, name, element("td", { colSpan: 3 }, `No value: ${score.reason ?? "not computed"}.`));
  const interval = score.lo === null ? "" : `${formatted(score.lo, metric)}–${formatted(score.hi, metric)}`;
  const range = scoreRange(medium, metric.name);
  const stands = range?.category === undefined ? score.standing && `rank ${score.standing.rank} of ${score.standing.of}` : categoryChip(range);
  const value = element("td", {}, element("b", {}, formatted(score.value, metric)), " ", element("span", { className: "interval" }, interval), bar(score, metric));
  return element("tr", {}, name, value, element("td", {}, stands), element("td", { className: "sub" }, ...score.drivers.slice(0, 2).map(paperDriver)));
}

const paperHead = (titles) => element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title))));

function paperScores(medium) {
  const rows = report.metrics.filter((metric) => medium.scores[metric.name]).map((metric) => paperScore(metric, medium));
  const head = paperHead(["Score", "Value, 90 % interval", "Stands", "What moved it most, in points"]);
  return element("table", { className: "paper-scores" }, head, element("tbody", {}, ...rows));
}

function paperArea(area, i, columns) {
  const number = element("span", { className: `area-number type-${area.type}` }, `${i + 1}`);
  const name = element("th", { scope: "row" }, number, " ", labelsText(area) ? oneLine(area.text) : areaName(area), " ", element("span", { className: "sub" }, areaTitle.get(area.type)));
  return element("tr", {}, name, ...columns.map((column) => areaCell(area, column)));
}

/** Those that get most attention. */
function paperAreas(medium) {
  const columns = PAPER_COLUMNS.map(areaMetric).filter((i) => i >= 0);
  if (!medium.areas.length || !columns.length) return null;
  const order = medium.areas.map((_, i) => i).sort((a, b) => (areaValue(medium.areas[b], columns[0], "total") ?? -1) - (areaValue(medium.areas[a], columns[0], "total") ?? -1));
  const rows = order.slice(0, PAPER_AREAS).map((i) => paperArea(medium.areas[i], i, columns));
  const head = paperHead(["Areas of interest", ...columns.map((i) => `${areaMetrics[i].title}, ${areaMetrics[i].unit}`)]);
  const rest = order.length - rows.length;
  const note = rest > 0 ? element("p", { className: "fine" }, `${rest} more with less attention are in the page and in the tables.`) : null;
  return element("div", {}, element("table", { className: "paper-areas-table" }, head, element("tbody", {}, ...rows)), note);
}

function paperRules(index) {
  const open = ruleResults(index).filter(({ look }) => look !== "passed");
  return open.length ? element("ul", { className: "rule-list" }, ...open.map(ruleItem)) : null;
}

function sheetOf(index) {
  const medium = report.media[index];
  [current, timeline] = [index, medium.timeline];
  const unlike = medium.unlike === null ? null : element("p", { className: "notice" }, "Unlike what the models have learned from: take predictions and scores with caution.");
  const sentence = medium.gist ? element("p", { className: "gist-sentence" }, medium.gist.sentence) : null;
  const parts = [element("h2", {}, medium.name), element("p", { className: "sub" }, facts(medium)), unlike, sentence, paperPictures(medium), paperReasons(medium), paperScores(medium), paperAreas(medium), paperRules(index)];
  const sheet = element("article", { className: "sheet" }, ...parts);
  sheet.dataset.medium = medium.id;
  return sheet;
}

function layOutAll() {
  const sheets = shown.filter((index) => report.media[index].done && report.media[index].id).map(sheetOf);
  [current, timeline] = [null, null];
  document.documentElement.classList.add("all-on-paper");
  document.head.append(element("style", {}, "@page { size: A4; }")); // who prints by hand chooses a paper
  dispatchEvent(new Event("beforeprint")); // whoever folds or shortens something shows it whole
  document.body.append(...sheets);
  for (const picture of document.images) Object.assign(picture, { loading: "eager", decoding: "sync" });
}

if (new URLSearchParams(location.search).get("print") === "all") layOutAll();
