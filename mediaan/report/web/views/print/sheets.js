// In print: after the overview a sheet for each medium, when the address asks for it (?print=all).

import { areaCell, areaMetric, areaMetrics, areaName, areaTitle, areaValue, labelsText, oneLine } from "../areas/scores.js";
import { drawAreas } from "../areas/shapes.js";
import { element } from "../core/dom.js";
import { formatValue, signed } from "../core/format.js";
import { imageOf } from "../core/images.js";
import { report } from "../core/report.js";
import { state } from "../core/state.js";
import { factsLine } from "../detail/detail.js";
import { checksBySide, openItem, reasonItem, todoItems } from "../detail/medium_summary.js";
import { categoryChip, scoreRange } from "../scores/ranges.js";
import { ruleItem, ruleResults } from "../scores/rules.js";
import { proxyBadge, scoreBar } from "../scores/values.js";
import { mapTitle } from "../viewer/maps.js";

const PRINTED_MAPS = ["heat", "fog", "first_two_heat", "last_two_heat", "contact_sheet"];
const PRINTED_AREAS = 8; // on a sheet; the tables have all
const PRINTED_COLUMNS = ["attention", "percentage_seen", "first_seen_s", "time_spent"];

function printedMap(name, medium, over = null) {
  const image = element("img", { src: imageOf(medium, name), alt: "" });
  return element("figure", { className: name }, element("div", { className: "print-picture" }, image, over), element("figcaption", {}, mapTitle(name)));
}

/** What was shown, with its areas where it is a still image, then where people look. */
function printedMaps(medium) {
  const names = PRINTED_MAPS.filter((name) => medium.maps[name]);
  const figures = names.map((name) => printedMap(name, medium));
  if (medium.maps.original && !(medium.moves && medium.maps.contact_sheet)) {
    const areas = element("div", { className: "areas" });
    if (!medium.moves) drawAreas(areas, 0);
    figures.unshift(printedMap("original", medium, areas));
  }
  const columns = medium.maps.contact_sheet ? " film" : medium.width < 1.25 * medium.height ? " tall" : "";
  return element("div", { className: `print-pictures${columns}` }, ...figures);
}

function printedReasons(medium) {
  const { bad, good, open } = checksBySide(medium);
  const groups = { Fails: bad.map(reasonItem), "What to try": todoItems(medium), Passes: good.map(reasonItem), "Too close to call, or not known": open.map(openItem) };
  const filled = Object.entries(groups).filter(([, items]) => items.length);
  return element("div", { className: "print-reasons" }, ...filled.map(([title, items]) => element("div", {}, element("h3", {}, title), element("ul", {}, ...items))));
}

function printedDriver([points, text]) {
  return element("div", {}, element("b", {}, signed(points)), ` ${text}`);
}

function printedScore(metric, medium) {
  const score = medium.scores[metric.name];
  const name = element("th", { scope: "row" }, metric.title, " ", proxyBadge(metric.name));
  if (score.value === null) return element("tr", {}, name, element("td", { colSpan: 3 }, `No value: ${score.reason ?? "not computed"}.`));
  const interval = score.lo === null ? "" : `${formatValue(score.lo, metric)}–${formatValue(score.hi, metric)}`;
  const range = scoreRange(medium, metric.name);
  const stands = range?.category === undefined ? score.standing && `rank ${score.standing.rank} of ${score.standing.of}` : categoryChip(range);
  const value = element("td", {}, element("b", {}, formatValue(score.value, metric)), " ", element("span", { className: "interval" }, interval), scoreBar(score, metric));
  return element("tr", {}, name, value, element("td", {}, stands), element("td", { className: "sub" }, ...score.drivers.slice(0, 2).map(printedDriver)));
}

const tableHead = (titles) => element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title))));

function printedScores(medium) {
  const rows = report.metrics.filter((metric) => medium.scores[metric.name]).map((metric) => printedScore(metric, medium));
  const head = tableHead(["Score", "Value, 90 % interval", "Stands", "What moved it most, in points"]);
  return element("table", { className: "print-scores" }, head, element("tbody", {}, ...rows));
}

function printedArea(area, i, columns) {
  const number = element("span", { className: `area-number type-${area.type}` }, `${i + 1}`);
  const name = element("th", { scope: "row" }, number, " ", labelsText(area) ? oneLine(area.text) : areaName(area), " ", element("span", { className: "sub" }, areaTitle.get(area.type)));
  return element("tr", {}, name, ...columns.map((column) => areaCell(area, column)));
}

/** Those that get most attention. */
function printedAreas(medium) {
  const columns = PRINTED_COLUMNS.map(areaMetric).filter((i) => i >= 0);
  if (!medium.areas.length || !columns.length) return null;
  const order = medium.areas.map((_, i) => i).sort((a, b) => (areaValue(medium.areas[b], columns[0], "total") ?? -1) - (areaValue(medium.areas[a], columns[0], "total") ?? -1));
  const rows = order.slice(0, PRINTED_AREAS).map((i) => printedArea(medium.areas[i], i, columns));
  const head = tableHead(["Areas of interest", ...columns.map((i) => `${areaMetrics[i].title}, ${areaMetrics[i].unit}`)]);
  const rest = order.length - rows.length;
  const note = rest > 0 ? element("p", { className: "fine" }, `${rest} more with less attention are in the page and in the tables.`) : null;
  return element("div", {}, element("table", { className: "print-areas-table" }, head, element("tbody", {}, ...rows)), note);
}

function printedRules(index) {
  const open = ruleResults(index).filter(({ look }) => look !== "passed");
  return open.length ? element("ul", { className: "rule-list" }, ...open.map(ruleItem)) : null;
}

function sheetOf(index) {
  const medium = report.media[index];
  [state.open, state.timeline] = [index, medium.timeline];
  const unlike = medium.unlike === null ? null : element("p", { className: "notice" }, "Unlike what the models have learned from: take predictions and scores with caution.");
  const sentence = medium.summary ? element("p", { className: "verdict-sentence" }, medium.summary.sentence) : null;
  const parts = [element("h2", {}, medium.name), element("p", { className: "sub" }, factsLine(medium)), unlike, sentence, printedMaps(medium), printedReasons(medium), printedScores(medium), printedAreas(medium), printedRules(index)];
  const sheet = element("article", { className: "sheet" }, ...parts);
  sheet.dataset.medium = medium.id;
  return sheet;
}

export function layOutSheets() {
  const sheets = state.shown.filter((index) => report.media[index].done && report.media[index].id).map(sheetOf);
  [state.open, state.timeline] = [null, null];
  document.documentElement.classList.add("all-in-print");
  document.head.append(element("style", {}, "@page { size: A4; }")); // who prints by hand chooses a paper
  dispatchEvent(new Event("beforeprint")); // whoever folds or shortens something shows it whole
  document.body.append(...sheets);
  for (const image of document.images) Object.assign(image, { loading: "eager", decoding: "sync" });
}
