// Cards of the gallery: the image, the verdict, and what there is to know before a medium is opened.

import { showPickBox } from "../compare/picks.js";
import { storeLocally } from "../core/choices.js";
import { byId, element } from "../core/dom.js";
import { clock, formatValue, rankOf, unbroken } from "../core/format.js";
import { imageOf } from "../core/images.js";
import { hasDetail, judged, metricOf, report } from "../core/report.js";
import { state } from "../core/state.js";
import { verdictTag } from "../core/verdicts.js";
import { thumbOf } from "./rows.js";
import { sortsByScore } from "./sorting.js";
import { scoreRange, targetMark } from "../scores/ranges.js";
import { ruleResults } from "../scores/rules.js";
import { scoreOf, scorePlusMinus } from "../scores/values.js";

const cards = []; // by medium, as far as they were made

/** @param {Medium} medium */
function playMark(medium) {
  if (!medium.moves) return null;
  return element("span", { className: "play-mark" }, element("span", { className: "hidden" }, `${medium.kind}, `), medium.duration_s < 1 ? `${medium.duration_s.toFixed(1)} s` : clock(medium.duration_s, 0));
}

/** @param {string} className @param {string} words */
function badgeOf(className, words) {
  return element("span", { className: `badge ${className}` }, words);
}

/**
 * What there is to know beside the verdict.
 * @param {Medium} medium
 * @param {number} index
 */
function badgesOf(medium, index) {
  const results = ruleResults(index);
  const ruled = ["failed", "warned"].map((look) => ({ look, n: results.filter((result) => result.look === look).length })).filter(({ n }) => n > 0);
  const badges = ruled.map(({ look, n }) => badgeOf(`rule-${look}`, `${report.words.rule_signs[look]} ${n} ${look === "failed" ? `${n === 1 ? "rule" : "rules"} failed` : n === 1 ? "warning" : "warnings"}`));
  if (results.length && results.every(({ status }) => status === "passed")) badges.push(badgeOf("rule-passed", `✓ ${results.length} ${results.length === 1 ? "rule" : "rules"} passed`));
  if (medium.unlike !== null) badges.push(badgeOf("noted", "unusual"));
  if (medium.share_read !== null && medium.share_read < 1) badges.push(badgeOf("noted", `${Math.floor(100 * medium.share_read)} % read`));
  if (medium.paths.length > 1) badges.push(badgeOf("", `${medium.paths.length} copies`));
  if (medium.notes.length) badges.push(badgeOf("noted", `${medium.notes.length} ${medium.notes.length === 1 ? "note" : "notes"}`));
  return badges;
}

/**
 * Brand, purpose and platform, as far as they are stated.
 * @param {Medium} medium
 */
function factsOf(medium) {
  const capitalized = (words) => words?.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  return [medium.brand, capitalized(report.purposes[medium.purpose]), report.platforms[medium.platform]].filter(Boolean).join(" · "); // a brand is written as it writes itself
}

/**
 * The first problem, or what is undecided; of what has neither, the first thing to try, or what works.
 * @param {Medium} medium
 */
function findingOf({ summary }) {
  if (!summary) return null;
  const [problem, pass, suggestion] = [summary.bad[0]?.text, summary.good[0]?.text, summary.to_try[0]];
  const doubt = (summary.open.find((reason) => reason.required) ?? summary.open[0])?.text;
  const orders = { open: ["open", "bad", "todo", "good"], works: ["todo", "good", "open", "bad"] }; // what works fails nothing that is required
  const sentences = { bad: problem, todo: suggestion, good: pass, open: doubt };
  const kind = (orders[summary.verdict] ?? ["bad", "todo", "good", "open"]).find((name) => sentences[name]);
  const text = kind && sentences[kind];
  return text ? element("span", { className: `gallery-finding ${kind}`, title: text }, unbroken(withoutLimit(text))) : null;
}

/**
 * A sentence without the limit or the interval that ends it in parentheses.
 * @param {string} text
 */
function withoutLimit(text) {
  return text.replace(/ \([^()]*\)\.$/, ".");
}

/** @param {number} index */
function makeCard(index) {
  const medium = report.media[index];
  const source = thumbOf(index);
  const image = source ? element("img", { className: "small", src: source, alt: "", decoding: "async", loading: "lazy" }) : element("span", { className: "blank", "aria-hidden": "true" });
  const frame = element("span", { className: "frame" }, image, playMark(medium));
  const name = hasDetail(index) ? element("a", { href: `#${medium.id}` }, medium.name) : medium.name;
  const failed = medium.done ? null : element("span", { className: "error" }, element("code", {}, medium.error_code), ` ${medium.error_message}`);
  const verdict = medium.done && judged ? verdictTag(medium.verdict) : null;
  const facts = factsOf(medium);
  const parts = [
    element("span", { className: "gallery-badges" }, ...[verdict, ...badgesOf(medium, index)].filter(Boolean).flatMap((badge) => [badge, " "])),
    element("span", { className: "gallery-name", title: medium.paths.join(", ") }, name),
    facts ? element("span", { className: "gallery-facts", title: facts }, facts) : null,
    element("span", { className: "gallery-score" }),
    findingOf(medium),
    failed,
  ];
  const card = element("li", { className: "gallery-card" }, frame, element("div", { className: "gallery-text" }, ...parts));
  card.dataset.i = `${index}`;
  return card;
}

/**
 * The card of a medium; it is made when it is first wanted.
 * @param {number} index
 */
export function cardOf(index) {
  cards[index] ??= makeCard(index);
  return cards[index];
}

/**
 * The score that the list is sorted by, with its ±, and whether it is in its target range.
 * @param {number} index
 */
function cardScore(index) {
  const [metric, score, range] = [metricOf.get(state.list.sort), scoreOf(index), scoreRange(report.media[index], state.list.sort)];
  if (score?.value == null) return [element("span", { className: "none", title: score?.reason ?? "not computed" }, `${metric.title}: none`)];
  return [element("span", { className: "gallery-value" }, `${metric.title} `, element("b", {}, formatValue(score.value, metric)), " ", scorePlusMinus(score.value, metric, report.media[index])), " ", targetMark(range)].filter(Boolean);
}

/** @param {number} index */
export function updateCard(index) {
  const card = cardOf(index);
  const frame = card.querySelector(".frame");
  const scored = report.media[index].done && sortsByScore();
  card.querySelector(".gallery-score").replaceChildren(...(scored ? cardScore(index) : []));
  frame.querySelector(".rank")?.remove();
  const standing = scored ? scoreOf(index)?.standing : null;
  if (standing) frame.append(element("span", { className: "rank", title: rankOf(standing, report.media[index]) ?? "" }, element("span", { className: "hidden" }, "rank "), `${standing.rank}`));
  if (hasDetail(index)) showPickBox(frame, index);
  if (state.cardHeat) nearby.observe(card);
  else card.classList.remove("heated");
  return card;
}

/**
 * Show attention over the small image; it is a large one, and loaded when it is asked for.
 * @param {any} card
 */
function showHeat(card) {
  const medium = report.media[card.dataset.i];
  if (!medium.maps.heat) return;
  if (!card.querySelector(".heat")) card.querySelector(".frame").children[0].after(element("img", { className: "heat", alt: "", decoding: "async", src: imageOf(medium, "heat"), style: `--ratio: ${medium.width / medium.height}` }));
  card.classList.add("heated");
}

/** Cards that come near the screen while all are to show attention. */
const nearby = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    nearby.unobserve(target);
    showHeat(target);
  }
}, { rootMargin: "300px" });

function toggleCardHeat() {
  state.cardHeat = !state.cardHeat;
  storeLocally("card-heat", state.cardHeat ? "on" : "off");
  byId("card-heat").setAttribute("aria-pressed", String(state.cardHeat));
  nearby.disconnect();
  for (const card of byId("gallery").children) {
    if (state.cardHeat) nearby.observe(card);
    else card.classList.remove("heated");
  }
}

/**
 * While it is pointed at or has the focus, a card shows attention.
 * @param {any} event
 */
function previewHeat(event) {
  const card = event.target.closest(".gallery-card");
  if (!card || state.cardHeat || card.contains(event.relatedTarget)) return;
  if (["pointerover", "focusin"].includes(event.type)) showHeat(card);
  else card.classList.remove("heated");
}

/** @param {any} event */
function openCard(event) {
  if (event.target.closest(".pick, a")) return;
  const link = event.target.closest(".gallery-card")?.querySelector("a");
  if (link && !getSelection().toString()) link.click();
}

export function wireCards() {
  const gallery = byId("gallery");
  gallery.addEventListener("click", openCard);
  for (const kind of ["pointerover", "pointerout", "focusin", "focusout"]) gallery.addEventListener(kind, previewHeat);
  byId("card-heat").addEventListener("click", toggleCardHeat);
  byId("card-heat").setAttribute("aria-pressed", String(state.cardHeat));
  byId("card-heat").hidden = !report.media.some((medium) => medium.maps.heat);
}
