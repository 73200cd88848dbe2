// Why a score is as it is: what moved it, and which way is good for the objective at hand.

const SMALLEST_SCALE = 10; // points that fill half a bar at least, so that trifles look like trifles
const MINUS = "\u2212";

/** Points with their sign; whole ones, tenths below one. */
function signed(points) {
  const size = Math.abs(points);
  const text = size < 0.95 ? size.toFixed(1) : size.toFixed(0);
  if (Number(text) === 0) return "0";
  return `${points < 0 ? MINUS : "+"}${text}`;
}

/** Points that fill half a bar: the same for all scores of a medium, so that its bars can be compared. */
function driverScale(medium) {
  const points = Object.values(medium.scores).flatMap((score) => score.drivers.map(([size]) => Math.abs(size)));
  return Math.max(SMALLEST_SCALE, ...points);
}

function driverItem([points, text], scale) {
  const fill = element("i");
  const bar = element("span", { className: "driver-bar", "aria-hidden": "true" }, fill);
  const wide = Math.min(50, (50 * Math.abs(points)) / scale);
  fill.style.setProperty("--from", `${points < 0 ? 50 - wide : 50}%`);
  fill.style.setProperty("--wide", `${wide}%`);
  const number = element("span", { className: "driver-points" }, signed(points), element("span", { className: "hidden" }, " points:"));
  return element("li", { className: points < 0 ? "down" : "up" }, number, bar, element("span", {}, unbroken(text)));
}

/** A number keeps its unit on its line. */
const unbroken = (text) => text.replaceAll(/(\d) %/g, "$1\u00a0%");

function driverList(metric, score, scale) {
  if (!score.drivers.length) return null;
  return element("ul", { className: "drivers", "aria-label": `What moved ${metric.title}` }, ...score.drivers.map((driver) => driverItem(driver, scale)));
}

/** Which way of a metric is good for a medium, and why. */
function aimFor(metric, medium) {
  return metric.aims[medium.purpose] ?? metric.aims.any;
}

function aimWords(metric, medium) {
  const aim = aimFor(metric, medium);
  const words = directionWords(aim.direction);
  if (!medium.purpose) return words;
  const reason = aim.direction === "higher" ? "" : `: ${aim.reason[0].toLowerCase()}${aim.reason.slice(1, -1)}`; // what is not expected
  return `for ${report.purposes[medium.purpose]}, ${words}${reason}`;
}

function aboutLink(metric) {
  return element("a", { className: "about", href: `#about-${metric.name}`, title: `What ${metric.title} means` }, metric.title);
}

/** What explains best that a score is high (sign 1) or low (-1): the largest push that way, or of all for 0. */
function mainDriver(score, sign) {
  return score.drivers.find(([points]) => (sign ? points * sign > 0.5 : Math.abs(points) > 0.5)) ?? null;
}

/** One line for a ranking: `+18 large text`. */
function whyLine(score, sign) {
  const driver = mainDriver(score, sign);
  if (!driver) return null;
  const [points, text] = driver;
  return element("span", { className: "ranking-why", title: text }, element("b", {}, signed(points)), ` ${text.split(":")[0]}`);
}
