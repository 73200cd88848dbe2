"use strict";
// The overview: what its parts share, score cards, ranking. Media are addressed by their index in `report.media`.

const report = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const metricOf = new Map(report.metrics.map((metric) => [metric.name, metric]));
const state = { heat: false }; // and what START says in wishes.js

/** Make an element; children that are strings become text, never markup. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

function scoreOf(index, name = state.metric) {
  return report.media[index].scores[name];
}

function valueOf(index, name = state.metric) {
  return scoreOf(index, name)?.value ?? null;
}

function formatted(value, metric) {
  return value.toFixed(metric.decimals);
}

function place(value, metric) {
  const share = (value - metric.low) / (metric.high - metric.low);
  return `${100 * Math.min(Math.max(share, 0), 1)}%`;
}

/** A score bar with its interval as a whisker. */
function bar(score, metric) {
  const made = element("span", { className: score.lo === null ? "bar exact" : "bar" });
  made.style.setProperty("--v", place(score.value, metric));
  made.style.setProperty("--lo", place(score.lo ?? score.value, metric));
  made.style.setProperty("--hi", place(score.hi ?? score.value, metric));
  return made;
}

function directionWords(direction) {
  return { higher: "higher is better", lower: "lower is better", middle: "neither extreme is best" }[direction];
}

/** 1 when large values come first in a ranking, -1 when small ones do. */
function firstSign() {
  return metricOf.get(state.metric)?.direction === "lower" ? -1 : 1;
}

/** `sign` says of which end of the score the card is an example: 1 high, -1 low, 0 neither. */
function rankingCard(index, sign) {
  const metric = metricOf.get(state.metric);
  const [medium, score] = [report.media[index], scoreOf(index)];
  const range = scoreRange(medium, state.metric);
  const source = (state.heat && pictureOf(medium, "heat")) || rowOf(index).querySelector("img")?.src;
  const picture = source ? element("img", { src: source, alt: "" }) : element("span", { className: "blank" });
  const rank = element("span", { className: "rank" }, `${score.standing.rank}`);
  const mark = playMark(medium);
  const value = element("span", { className: "ranking-value" }, element("b", {}, formatted(score.value, metric)), bar(score, metric));
  return element(
    "a",
    { className: "ranking-card", href: `#${medium.id}` },
    element("span", { className: "frame" }, picture, rank, mark),
    element("span", { className: "ranking-name" }, medium.name),
    value,
    range?.category === undefined ? null : categoryChip(range),
    whyLine(score, sign),
  );
}

function rankingGroup(title, indices, sign) {
  const head = element("h3", {}, title);
  return element("div", { className: "ranking-group" }, head, element("div", { className: "ranking-cards" }, ...indices.map((index) => rankingCard(index, sign))));
}

function showRanking() {
  const metric = metricOf.get(state.metric);
  const ranked = report.media.map((_, index) => index).filter((index) => valueOf(index) !== null);
  ranked.sort((a, b) => scoreOf(a).standing.rank - scoreOf(b).standing.rank);
  const [first, last] = metric.direction === "middle" ? ["Highest", "Lowest"] : ["Best", "Weakest"];
  const alike = ranked.length > 1 && scoreOf(ranked.at(-1)).standing.rank === 1;
  const groups = ranked.length <= 6 || alike
    ? [rankingGroup(alike ? "All alike in this score" : `${first} first`, ranked.slice(0, 6), 0)]
    : [rankingGroup(`${first} three`, ranked.slice(0, 3), firstSign()), rankingGroup(`${last} three`, ranked.slice(-3), -firstSign())];
  byId("ranking").replaceChildren(...(ranked.length ? groups : []));
  byId("ranking-title").textContent = `Ranking by ${metric.title}`;
  const words = [metric.caption, `${directionWords(metric.direction)[0].toUpperCase()}${directionWords(metric.direction).slice(1)}.`];
  if (metric.basis === "proxy") words.push("A proxy: a hint, not evidence.");
  if (metric.level_with_best > 0) words.push(levelWords(metric.level_with_best));
  if (RESTS_ON_GAZE.has(metric.name) && mixesKinds()) words.push("Videos tend to come out higher than pictures here: compare like with like.");
  byId("ranking-note").replaceChildren(`${words.join(" ")} `, element("a", { href: `#about-${metric.name}` }, `What ${metric.title} means`));
}

/** Scores that rest in part on how gathered gaze is, on the scale of pictures: of a moment it is more so than of five seconds. */
const RESTS_ON_GAZE = new Set(["memory"]);

function mixesKinds() {
  const done = report.media.filter((medium) => medium.done);
  return done.some((medium) => medium.moves) && done.some((medium) => !medium.moves);
}

function levelWords(n) {
  return n === 1 ? "The intervals of the first two overlap: treat them as level." : `${n} media have intervals that reach the first one's: treat them as level with it.`;
}

/** The heat maps are large pictures: they are loaded only when asked for. */
function toggleHeat() {
  state.heat = !state.heat;
  byId("show-heat").setAttribute("aria-pressed", String(state.heat));
  showRanking();
}

function show() {
  if (!state.metric) return;
  showList();
  showSorting();
  showWished();
  showRanking();
  showTallies();
}

function choose(metric, order = "first") {
  Object.assign(state, { metric, order });
  show();
  keepAddress();
}
