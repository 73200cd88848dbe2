// The order in which simulated viewers look at an image: areas in order, and the typical path, which can be played.

import { areaName, areaTitle } from "../areas/scores.js";
import { byId, element, svgElement } from "../core/dom.js";
import { imageOf } from "../core/images.js";
import { openMedium } from "../core/state.js";

const LONG_SIDE = 1000; // of the drawing
const RADIUS = 20; // of a look of 0.25 s; the area of the circle grows with its length
const RADIUS_S = 0.25;
const ANGLES = 12; // at which a number is tried beside its circle's centre
const LISTED = 8;
const IN_LINE = 3;
const PAUSE_S = 1; // at the end, before the whole path is shown again

let timer = null; // of the animation that runs

/**
 * The area's title and, in quotes, its words.
 * @param {Area} area
 */
function nameOf(area) {
  const [title, name] = [areaTitle.get(area.type), areaName(area)];
  return name === title || area.type === "other" ? name : `${title} “${name}”`;
}

/**
 * `Headline, then product (area 3), then product (area 5); an estimate`.
 * @param {Medium} medium
 */
function sentence(medium) {
  const first = medium.looks.order.slice(0, IN_LINE).map(([area]) => area);
  const titles = first.map((area) => (medium.areas[area].type === "other" ? areaName(medium.areas[area]) : areaTitle.get(medium.areas[area].type)));
  const words = titles.map((title, i) => {
    const which = titles.filter((other) => other === title).length > 1 ? ` (area ${first[i] + 1})` : "";
    return `${i ? `then ${title.toLowerCase()}` : title}${which}`;
  });
  return words.length ? `${words.join(", ")}; an estimate` : "an estimate";
}

/** @param {Medium} medium @param {[number, number]} pair @param {number} i @param {[number, number][]} all */
function orderItem(medium, [area, share], i, all) {
  const words = i === all.length - 1 ? "" : ` ${share}\u00a0%`;
  return element("li", {}, `${nameOf(medium.areas[area])} (area ${area + 1})`, element("b", {}, words));
}

/**
 * Colours from dark to bright in the order of the looks, and an ink that can be read on them.
 * @param {number} i
 * @param {number} n
 */
function colours(i, n) {
  const place = n > 1 ? i / (n - 1) : 0;
  return { fill: `hsl(${Math.round(226 - 100 * place)} 62% ${Math.round(36 + 38 * place)}%)`, ink: place > 0.25 ? "#18191f" : "#ffffff" };
}

/**
 * The centre of a look's number: in its circle, where earlier circles, which lie on top, leave room; else null.
 * @param {any} options
 * @param {any[]} earlier
 */
function numberAt({ x, y, radius, size }, earlier) {
  const angles = Array.from({ length: ANGLES }, (_, i) => (2 * Math.PI * i) / ANGLES);
  const reach = Math.max(0, radius - size / 2);
  const places = [{ x, y }, ...angles.map((angle) => ({ x: x + reach * Math.cos(angle), y: y + reach * Math.sin(angle) }))];
  const isClear = (place) => earlier.every((other) => Math.hypot(place.x - other.x, place.y - other.y) > other.radius + 0.6 * size);
  return places.find(isClear) ?? null;
}

/**
 * Draw the looks that have begun at a moment; the present one grows while it lasts, and the first lie on top.
 * @param {Medium} medium
 * @param {number} seconds
 */
function drawPath(medium, seconds) {
  const wide = medium.width >= medium.height;
  const [width, height] = wide ? [LONG_SIDE, (LONG_SIDE * medium.height) / medium.width] : [(LONG_SIDE * medium.width) / medium.height, LONG_SIDE];
  const path = medium.looks.path.filter(([, , onset]) => onset <= seconds);
  const canvas = byId("looks-path");
  canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const points = path.map(([x, y]) => `${x * width},${y * height}`).join(" ");
  const lines = [["edge", 7], ["line", 2.5]].map(([name, size]) => svgElement("polyline", { class: name, points, "stroke-width": size }));
  const circles = path.map(([x, y, onset, duration]) => {
    const radius = RADIUS * Math.sqrt(Math.max(0.03, Math.min(duration, seconds - onset)) / RADIUS_S);
    return { x: x * width, y: y * height, radius, size: Math.max(11, Math.min(radius * 1.05, 24)) };
  });
  const looks = circles.map((circle, i) => {
    const { fill, ink } = colours(i, medium.looks.path.length);
    const group = svgElement("g", {});
    group.append(svgElement("circle", { cx: circle.x, cy: circle.y, r: circle.radius, fill, "stroke-width": 2.5 }));
    const place = numberAt(circle, circles.slice(0, i));
    if (place) {
      const number = svgElement("text", { ...place, fill: ink, "font-size": circle.size });
      number.append(`${i + 1}`);
      group.append(number);
    }
    return group;
  });
  canvas.replaceChildren(...lines, ...looks.reverse());
}

function stop() {
  cancelAnimationFrame(timer);
  timer = null;
  byId("looks-play").textContent = "Play";
  byId("looks-play").setAttribute("aria-pressed", "false");
  if (openMedium()?.looks) drawPath(openMedium(), Infinity);
}

function play() {
  if (timer !== null) return stop();
  const medium = openMedium();
  const [, , onset, duration] = medium.looks.path.at(-1);
  const began = performance.now();
  byId("looks-play").textContent = "Stop";
  byId("looks-play").setAttribute("aria-pressed", "true");
  const step = () => {
    const seconds = (performance.now() - began) / 1000;
    if (openMedium() !== medium || seconds > onset + duration + PAUSE_S) return stop();
    drawPath(medium, seconds);
    timer = requestAnimationFrame(step);
    return undefined;
  };
  timer = requestAnimationFrame(step);
  return undefined;
}

/** @param {Medium} medium */
export function showLooks(medium) {
  byId("order-of-looks").hidden = !medium.looks;
  if (timer !== null) stop();
  if (!medium.looks) return;
  const { order, path } = medium.looks;
  const source = medium.maps.original ? imageOf(medium, "original") : null;
  byId("looks-line").textContent = sentence(medium);
  byId("looks-figure").hidden = !source;
  if (source) byId("looks-picture").src = source;
  byId("looks-picture").alt = "";
  byId("looks-path").setAttribute("aria-label", `Typical path of a simulated viewer: ${path.length} looks`);
  byId("looks-order").replaceChildren(...order.slice(0, LISTED).map((one, i) => orderItem(medium, one, i, order)));
  const [more, rare] = [order.length - LISTED, medium.areas.length - order.length];
  const rest = [more > 0 ? `${more} more follow.` : "", rare > 0 ? `${rare} ${rare === 1 ? "area is" : "areas are"} looked at by fewer than 5\u00a0%.` : ""];
  byId("looks-rest").textContent = order.length || rare ? rest.filter(Boolean).join(" ") : "No areas were found, so there is no order of areas.";
  drawPath(medium, Infinity);
}

export function wireLooks() {
  byId("looks-play").addEventListener("click", play);
}
