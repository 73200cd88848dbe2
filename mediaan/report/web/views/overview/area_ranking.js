// Areas of the whole run: files ranked by how many viewers see the chosen type.

import { areaChip, areaDigits, areaMetric, areaMetrics, areaName, areaPlusMinus, areaScore, areaTitle, areaValue, mainArea } from "../areas/scores.js";
import { byId, element, query } from "../core/dom.js";
import { countWords, report } from "../core/report.js";
import { thumbOf } from "../gallery/rows.js";
import { scoreBar } from "../scores/values.js";

const FEW_SEEN = 6;
let seenType = null;
let allSeen = false;

/** @param {Area} area @param {Medium} medium */
function seenBar(area, medium) {
  const i = areaMetric("percentage_seen");
  const score = areaScore(area, i, "total");
  if (!Array.isArray(score)) return element("td", {}, element("span", { className: "none", title: score ?? "" }, "n/a"));
  const [value] = score;
  const moves = areaPlusMinus(value, areaMetrics[i], medium);
  return element("td", { className: "seen-score" }, element("b", {}, areaDigits(value, areaMetrics[i])), " ", element("span", { className: "plus-minus" }, `${moves} %`), areaChip(area, i, "total", true) ?? "", scoreBar(value, { ...areaMetrics[i], low: 0, high: 100 }, medium));
}

/** @param {Area} area @param {string} name */
function seenCell(area, name) {
  const i = areaMetric(name);
  const value = i < 0 ? null : areaValue(area, i, "total");
  return element("td", { className: "seen-time" }, value === null ? "–" : `${areaDigits(value, areaMetrics[i])} s`);
}

/** @param {{ index: number, area: Area }} options */
function seenRow({ index, area }) {
  const medium = report.media[index];
  const source = thumbOf(index);
  const image = element("span", { className: "picture" }, source ? element("img", { src: source, alt: "" }) : element("span", { className: "blank" }));
  const name = element("th", { scope: "row" }, element("a", { href: `#${medium.id}` }, medium.name), element("span", { className: "sub" }, area.label ? areaName(area) : areaTitle.get(area.type)));
  const cells = [element("td", { className: "thumb" }, image), name];
  const row = element("tr", {}, ...cells, seenBar(area, medium), seenCell(area, "time_spent"), seenCell(area, "first_seen_s"));
  row.addEventListener("click", (/** @type {any} */ event) => { if (!event.target.closest("a")) location.hash = medium.id; });
  return row;
}

/**
 * Files without the type are named, and not counted as seen by nobody.
 * @param {number[]} indices
 */
function unseenNote(indices) {
  if (!indices.length) return [];
  const links = indices.flatMap((index, i) => [i ? ", " : "", element("a", { href: `#${report.media[index].id}` }, report.media[index].name)]);
  const title = `No ${areaTitle.get(seenType).toLowerCase()} was found in ${countWords(indices.length)}${report.part_of ? " on this page" : ""}`;
  if (indices.length <= 8) return [element("p", { className: "sub" }, `${title}: `, ...links, ".")];
  return [element("details", {}, element("summary", {}, title), element("p", { className: "sub" }, ...links, "."))];
}

function showSeen() {
  const seen = areaMetric("percentage_seen");
  const done = report.media.map((_, index) => index).filter((index) => report.media[index].done && report.media[index].id);
  const mainAreas = done.map((index) => ({ index, area: mainArea(report.media[index], seenType) }));
  const ranked = mainAreas.filter(({ area }) => area);
  ranked.sort((a, b) => (areaValue(b.area, seen, "total") ?? -1) - (areaValue(a.area, seen, "total") ?? -1));
  const many = ranked.length > FEW_SEEN + 1;
  query("#seen tbody").replaceChildren(...ranked.slice(0, many && !allSeen ? FEW_SEEN : ranked.length).map(seenRow));
  byId("all-seen").hidden = !many;
  byId("all-seen").textContent = allSeen ? "Show fewer" : `Show all ${ranked.length}`;
  byId("unseen").replaceChildren(...unseenNote(mainAreas.filter(({ area }) => !area).map(({ index }) => index)));
  byId("seen-note").textContent = seenNote();
  for (const card of byId("type-cards").children) card.setAttribute("aria-pressed", String(card.dataset.type === seenType));
}

function seenNote() {
  const metric = areaMetrics[areaMetric("percentage_seen")];
  const title = areaTitle.get(seenType).toLowerCase();
  const part = report.part_of ? "Of those on this page. " : "";
  return `${part}Ranked by ${title} seen. ${metric?.caption ?? ""} Of several areas of a type, the one that draws most attention counts. What differs by less than the ± is tied.`;
}

/** @param {string} type */
function chooseSeen(type) {
  [seenType, allSeen] = [type, false];
  showSeen();
}

export function wireAreaRanking() {
  const cards = byId("type-cards");
  if (!cards) return;
  cards.addEventListener("click", (event) => {
    const card = event.target.closest(".type-card");
    if (card) chooseSeen(card.dataset.type);
  });
  byId("all-seen").addEventListener("click", () => {
    allSeen = !allSeen;
    showSeen();
  });
  chooseSeen(cards.querySelector(".type-card").dataset.type);
}
