// How placements show the open medium: its picture in each slot, what is covered, and what is wrong.

import { byId, element, svgElement } from "../core/dom.js";
import { imageOf } from "../core/images.js";
import { report } from "../core/report.js";

const WIDTH = 1000; // units of a drawing
const MOST_LINES = 5; // that are shown before the rest is unfolded

/**
 * A rectangle in unit coordinates of the slot.
 * @param {Box} pair
 * @param {number} height
 * @param {string} kind
 */
function rectangle([x0, y0, x1, y1], height, kind) {
  return svgElement("rect", { x: x0 * WIDTH, y: y0 * height, width: (x1 - x0) * WIDTH, height: (y1 - y0) * height, class: kind });
}

/**
 * The shown part of the picture where it lies; the rest of the picture is cut off by a nested drawing.
 * @param {Medium} medium
 * @param {Placement} placement
 * @param {number} height
 */
function picture(medium, placement, height) {
  const [x0, y0, x1, y1] = placement.place, [left, top, right, bottom] = placement.crop;
  const box = { x: x0 * WIDTH, y: y0 * height, width: (x1 - x0) * WIDTH, height: (y1 - y0) * height };
  const part = svgElement("svg", { ...box, viewBox: `${left} ${top} ${right - left} ${bottom - top}`, preserveAspectRatio: "none" });
  const href = imageOf(medium, "original");
  if (href) part.append(svgElement("image", { href, x: 0, y: 0, width: 1, height: 1, preserveAspectRatio: "none" }));
  else part.append(svgElement("rect", { x: 0, y: 0, width: 1, height: 1, class: "no-picture" }));
  return part;
}

/** @param {Medium} medium @param {ShownPlacement} placement */
function drawing(medium, placement) {
  const height = WIDTH * placement.slot[1];
  const hidden = placement.lines.length ? placement.lines.map((line) => `${line.name}: ${line.text}`).join(". ") : "nothing hidden";
  const drawn = svgElement("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `${placement.title}: ${hidden}` });
  drawn.append(rectangle([0, 0, 1, 1], height, "slot"), picture(medium, placement, height));
  for (const zone of placement.zones) {
    const veil = rectangle(zone.box, height, "zone");
    veil.append(svgElement("title", {}));
    veil.firstChild.textContent = zone.title;
    drawn.append(veil);
  }
  for (const mark of placement.marks) drawn.append(rectangle(mark.box, height, "mark-under"), rectangle(mark.box, height, `mark is-${mark.kind}`));
  return drawn;
}

/** @param {Placement} placement */
function wrong(placement) {
  if (placement.lines.length) {
    const items = placement.lines.map((line) => element("li", {}, element("strong", {}, line.name[0].toUpperCase() + line.name.slice(1)), ` ${line.text.replaceAll(" %", "\u00a0%")}`));
    const more = items.splice(MOST_LINES);
    const list = element("div", {}, element("ul", {}, ...items));
    if (more.length) list.append(element("details", { class: "fine" }, element("summary", {}, `${more.length} more`), element("ul", {}, ...more)));
    return list;
  }
  return element("p", { class: "sub" }, placement.areas ? "No area is covered, cropped or too small." : "No areas were found.");
}

/** @param {Medium} medium @param {ShownPlacement} placement */
function card(medium, placement) {
  const shape = placement.slot[1] > 1.3 ? "tall" : placement.slot[1] < 0.5 ? "wide" : "even";
  const caption = element("figcaption", {}, element("h4", {}, placement.title), element("p", { class: "sub" }, placement.facts.replaceAll(" %", "\u00a0%")), wrong(placement));
  caption.append(element("details", { class: "fine" }, element("summary", {}, "Source"), element("p", {}, `${placement.source} (${placement.date || "no date"})`)));
  return element("figure", { class: `placement ${shape} frame-${placement.frame}` }, drawing(medium, placement), caption);
}

/** @param {Medium} medium */
export function showPlacements(medium) {
  const placements = medium.placements.map((placement) => ({ ...report.placements[placement.name], ...placement }));
  byId("placements").hidden = placements.length === 0;
  const bad = placements.filter((placement) => placement.lines.length).length;
  const one = placements.length === 1;
  const count = one ? placements[0].title : `${placements.length} placements`;
  byId("placements-moving").hidden = !medium.moves;
  byId("placements-line").textContent = bad ? `${count}${one ? ": has" : `, ${bad} with`} covered, cropped or small areas` : count;
  byId("placement-list").replaceChildren(...placements.map((placement) => card(medium, placement)));
}
