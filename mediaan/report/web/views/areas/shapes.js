// Shapes of areas over images and video.

import { AREA_HOSTS, showHighlight } from "./highlight.js";
import { areaDigits, areaMetric, areaMetrics, areaName, areaPlusMinus, areaScore, areaValue } from "./scores.js";
import { boxAt } from "./tracks.js";
import { byId, element, svgElement } from "../core/dom.js";
import { report } from "../core/report.js";
import { openMedium, state } from "../core/state.js";

const TAG_ROOM = 0.035; // of the height
const MOST_TAGS = 10; // at once on a picture: those of the areas that get most attention, and of the one pointed at

/**
 * An outline with a dark edge, so that it stands out from any image; unit coordinates.
 * @param {Box} box
 * @param {Point[] | null} polygon
 */
export function outline(box, polygon) {
  const [x0, y0, x1, y1] = box;
  const points = (polygon ?? [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]).map((point) => point.join(","));
  return ["edge", "line"].map((kind) => svgElement("polygon", { class: kind, points: points.join(" ") }));
}

/**
 * The number of an area, above the left of its box or the top of its polygon; inside where above there is no room.
 * @param {string} text
 * @param {string} type
 * @param {Box} box
 * @param {Point[] | null} polygon
 */
export function tag(text, type, box, polygon) {
  const [x, y] = polygon ? [...polygon].sort((a, b) => a[1] - b[1] || a[0] - b[0])[0] : box;
  const label = element("span", { className: `area-tag type-${type}${y < TAG_ROOM ? " inside" : ""}` }, text);
  Object.assign(label.style, { left: `${100 * Math.max(x, 0)}%`, top: `${100 * Math.max(y, 0)}%` });
  return label;
}

/** @param {Area} area @param {number} i @param {Box} box */
function areaShape(area, i, box) {
  const group = svgElement("g", { class: `area type-${area.type}` });
  group.dataset.area = `${i}`;
  group.append(...outline(box, area.track ? null : area.polygon));
  return group;
}

/** @param {Box} box */
export const areaSize = (box) => (box[2] - box[0]) * (box[3] - box[1]);

/**
 * Draw what is there at a moment, small areas over large ones.
 * @param {HTMLElement} host
 * @param {number} seconds
 */
function drawAreas(host, seconds) {
  const visible = report.media[state.open].areas
    .map((area, i) => ({ area, i, box: state.hiddenTypes.has(area.type) ? null : boxAt(area, seconds) }))
    .filter(({ box }) => box)
    .sort((a, b) => areaSize(b.box) - areaSize(a.box));
  const canvas = svgElement("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  canvas.append(...visible.map(({ area, i, box }) => areaShape(area, i, box)));
  const attention = areaMetric("attention");
  const ranked = [...visible].sort((a, b) => (areaValue(b.area, attention) ?? 0) - (areaValue(a.area, attention) ?? 0));
  const tagged = new Set(ranked.slice(0, MOST_TAGS));
  const tags = visible.map((entry) => {
    const { area, i, box } = entry;
    const label = tag(`${i + 1}`, area.type, box, area.track ? null : area.polygon);
    label.dataset.area = `${i}`;
    label.classList.toggle("minor", !tagged.has(entry));
    label.append(seenBy(area) ?? "", element("b", {}, tagWords(area)));
    return label;
  });
  host.replaceChildren(canvas, ...tags);
  showHighlight();
}

/**
 * The share of viewers that see it, for its tag.
 * @param {Area} area
 */
function seenBy(area) {
  const i = areaMetric("percentage_seen");
  const seen = i < 0 ? null : areaScore(area, i);
  return Array.isArray(seen) ? element("i", {}, `${seen[0].toFixed(0)}\u00a0%`) : null;
}

/**
 * Its name, and how many see it at the time that is shown.
 * @param {Area} area
 */
function tagWords(area) {
  const i = areaMetric("percentage_seen");
  const seen = i < 0 ? null : areaScore(area, i);
  if (!Array.isArray(seen)) return areaName(area);
  const moves = areaPlusMinus(seen[0], areaMetrics[i], openMedium());
  return `${areaName(area)} · seen by ${areaDigits(seen[0], areaMetrics[i])}${moves && ` ${moves}`} %${area.here ? ", scored here" : ""}`;
}

/** Areas of a medium that moves belong to moments: they lie over the video, and not over its maps. */
export function showAreasOnVideo() {
  if (state.timeline !== null) drawAreas(byId("areas-on-video"), state.now);
}

/** @param {Medium} medium */
export function showShapes(medium) {
  for (const id of AREA_HOSTS) byId(id).replaceChildren();
  if (medium.moves) return showAreasOnVideo();
  return drawAreas(byId("areas-on-picture"), 0);
}

/**
 * A piece of the line that a type is drawn with.
 * @param {string} type
 */
export function swatch(type) {
  const sample = svgElement("svg", { class: `swatch type-${type}`, viewBox: "0 0 34 16", "aria-hidden": "true" });
  sample.append(svgElement("rect", { class: "ground", width: 34, height: 16, rx: 4 }), svgElement("path", { class: "line", d: "M4 8H30" }));
  return sample;
}
