// Ranking: the best and the weakest media by the chosen score.

import { byId, element } from "../core/dom.js";
import { directionWords, formatValue } from "../core/format.js";
import { imageOf } from "../core/images.js";
import { metricOf, report } from "../core/report.js";
import { listen, state } from "../core/state.js";
import { rankBy } from "../filters/address.js";
import { playMark } from "../gallery/cards.js";
import { rowOf } from "../gallery/rows.js";
import { whyLine } from "../scores/drivers.js";
import { categoryChip, scoreRange } from "../scores/ranges.js";
import { firstSign, scoreBar, scoreOf, valueOf } from "../scores/values.js";

/** Scores that rest in part on how concentrated gaze is, on the scale of images: in a moment it is more so than in five seconds. */
const RESTS_ON_GAZE = new Set(["memory"]);

/** `sign` says of which end of the score the card is an example: 1 high, -1 low, 0 neither. */
function rankingCard(index, sign) {
  const metric = metricOf.get(state.list.metric);
  const [medium, score] = [report.media[index], scoreOf(index)];
  const range = scoreRange(medium, state.list.metric);
  const source = (state.heat && imageOf(medium, "heat")) || rowOf(index).querySelector("img")?.src;
  const image = source ? element("img", { src: source, alt: "" }) : element("span", { className: "blank" });
  const rank = element("span", { className: "rank" }, `${score.standing.rank}`);
  const mark = playMark(medium);
  const value = element("span", { className: "ranking-value" }, element("b", {}, formatValue(score.value, metric)), scoreBar(score, metric));
  return element(
    "a",
    { className: "ranking-card", href: `#${medium.id}` },
    element("span", { className: "frame" }, image, rank, mark),
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

let rankedBy = null; // name of the metric of the ranking that is shown

function showRanking() {
  const metric = metricOf.get(state.list.metric);
  rankedBy = metric.name;
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

function mixesKinds() {
  const done = report.media.filter((medium) => medium.done);
  return done.some((medium) => medium.moves) && done.some((medium) => !medium.moves);
}

function levelWords(n) {
  return n === 1 ? "The intervals of the first two overlap: treat them as level." : `${n} media have intervals that reach the first one's: treat them as level with it.`;
}

/** Heat maps are large images: they are loaded only when asked for. */
function toggleHeat() {
  state.heat = !state.heat;
  byId("show-heat").setAttribute("aria-pressed", String(state.heat));
  showRanking();
}

export function wireRanking() {
  byId("cards").addEventListener("click", (event) => {
    const card = event.target.closest(".card");
    if (card) rankBy(card.dataset.metric);
  });
  byId("show-heat").addEventListener("click", toggleHeat);
  byId("show-heat").hidden = !report.media.some((medium) => medium.maps.heat);
  listen("list", () => { if (state.list.metric !== rankedBy) showRanking(); });
}
