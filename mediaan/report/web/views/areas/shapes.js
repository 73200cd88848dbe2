// Shapes of areas over images and video.

import { AREA_HOSTS, showHighlight } from "./highlight.js";
import { outline, tag } from "./outline.js";
import { areaDigits, areaMetric, areaMetrics, areaName, areaPlusMinus, areaScore, areaValue } from "./scores.js";
import { boxAt } from "./tracks.js";
import { byId, element, svgElement } from "../core/dom.js";
import { report } from "../core/report.js";
import { openMedium, state } from "../core/state.js";
import { areaSize } from "../editor/boxes.js";

const MOST_TAGS = 10; // at once on a picture: those of the areas that get most attention, and of the one pointed at

/** @param {Area} area @param {number} i @param {Box} box */
function areaShape(area, i, box) {
  const group = svgElement("g", { class: `area type-${area.type}` });
  group.dataset.area = `${i}`;
  group.append(...outline(box, area.track ? null : area.polygon));
  return group;
}

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
