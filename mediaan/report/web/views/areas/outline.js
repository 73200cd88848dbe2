// The outline of an area over an image, and its tag.

import { element, svgElement } from "../core/dom.js";

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
 * The number of an area, above the left of its box or the top of its polygon, but never above the picture.
 * @param {string} text
 * @param {string} type
 * @param {Box} box
 * @param {Point[] | null} polygon
 */
export function tag(text, type, box, polygon) {
  const [x, y] = polygon ? [...polygon].sort((a, b) => a[1] - b[1] || a[0] - b[0])[0] : box;
  const label = element("span", { className: `area-tag type-${type}` }, text);
  Object.assign(label.style, { left: `${100 * Math.max(x, 0)}%`, top: `max(${100 * y}%, var(--tag-height))` });
  return label;
}
