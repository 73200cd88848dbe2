// Where a score stands in its population: a strip of five categories, and the words beside it.

const against = report.benchmarks; // null where nothing was compared
const CLOSE_LABELS = 9; // % of a strip: numbers nearer to each other than this would touch
const UNITS = { "%": " %", s: " s", "1/min": " a minute", ratio: " times" };
const LABEL_HALF = 14; // % of a strip that half the word above a bracket takes at most

/** A range as the page's data packs it; with `reason` alone where there is none, null where nothing is known. */
function rangeOf(packed) {
  if (packed == null) return null;
  if (!Array.isArray(packed)) return { reason: against.reasons[packed] };
  const [population, , sentence, number, percentile, lo = null, hi = null] = packed;
  const text = sentence < 0 ? null : against.sentences[sentence].split("\t").join(number);
  const [norm, why, fallback] = against.populations[population];
  const texts = { why: against.texts[why], fallback: against.texts[fallback] };
  return { ...against.norms[norm], ...texts, sentence: text, percentile, lo, hi, ...placesIn(packed) };
}

/** Places of category, of those of the interval's ends, and of the position: the digits of a code, 0 where unknown. */
function placesIn([, code]) {
  const [category, from, to, position] = [1000, 100, 10, 1].map((unit) => (Math.floor(code / unit) % 10) - 1).map((place) => (place < 0 ? null : place));
  return { category, from, to, position };
}

/** The packed range of a medium's score at the time that the page shows of it. */
function packedRange(medium, name) {
  return medium.ranges[name]?.[medium.scores[name]?.time];
}

const scoreRange = (medium, name) => rangeOf(packedRange(medium, name));

const categoryName = (i) => against.categories[i].toLowerCase();

/** `64 %`; rounded down, so that it agrees with the category. */
function percentWords(percentile) {
  return percentile < 1 ? "fewer than 1 %" : `${Math.floor(percentile)} %`;
}

/** A sentence with its full stop; nothing for none. */
const ended = (text) => (text ? text.replace(/[^.]$/, "$&.") : "");

/** Which part of which population, in words. */
function populationWords(range) {
  const title = against.titles[range.norm_set] ?? range.norm_set;
  if (range.segment === "all") return title;
  return `${title}, ${partWords(range.segment)}`;
}

/** `industry=beauty_personal_care`, also within a sentence, as people say it. */
function partWords(text) {
  return text.replace(/(\w+)=(\w+)/g, (_, key, value) => `${key}: ${value.replaceAll("_", " ")}`);
}

/** Why it is not another part of the population; empty where there is nothing to explain. */
function fallbackWords({ fallback }) {
  return fallback ? partWords(ended(fallback[0].toUpperCase() + fallback.slice(1))) : "";
}

function spansEdge(range) {
  return range.from !== null && range.from !== range.to;
}

/** Where the whole interval lies to what is recommended; null where it reaches over an end of that, or is not known. */
function surelyPlaced(range, lo, hi) {
  if (lo == null || range.lower === null) return null;
  const over = (value) => value > range.upper && !range.target.includes("extreme_high");
  const under = (value) => value < range.lower && !range.target.includes("extreme_low");
  if (over(lo)) return "above";
  if (under(hi)) return "below";
  return over(hi) || under(lo) ? null : "within";
}

/** How far the interval reaches, and what that says of the recommended range; null where it is not known. */
function intervalWords(range, lo, hi, show) {
  if (lo == null || range.from === null) return null;
  const [from, to] = [categoryName(range.from), categoryName(range.to)];
  const where = spansEdge(range) ? `reaches from ${from} to ${to}` : `stays in ${from}`;
  const surely = surelyPlaced(range, lo, hi);
  const part = surely === null ? `in part ${positionClass(range.position) === "within" ? "outside" : "within"}` : `all of it ${surely}`;
  return `Its 90 % interval, ${show(lo)} to ${show(hi)}, ${where}${range.position === null ? "" : `, ${part} the recommended range`}.`;
}

/** The same in a few words, for a tile. */
function reachWords(range, { lo, hi }) {
  const surely = surelyPlaced(range, lo, hi);
  if (surely !== null) return `surely ${positionClass(range.position) === "close_to" ? "outside" : surely}`;
  return spansEdge(range) ? `may be ${categoryName(range.from)} to ${categoryName(range.to)}` : null;
}

const positionClass = (position) => (position === null ? "" : against.positions[position].replace(" ", "_"));

/** Five cells of which one is lit, the category, and a sign of where it stands to what is recommended. */
function categoryChip(range, words = true) {
  const name = against.categories[range.category];
  const aim = range.position === null ? null : element("span", { className: "hidden" }, `, ${against.positions[range.position]} the recommended range`);
  const chip = element("span", { className: `stand c${range.category} ${positionClass(range.position)}` }, words ? name : element("span", { className: "hidden" }, name), aim);
  if (spansEdge(range)) chip.style.cssText = `--f:${range.from};--t:${range.to}`;
  return chip;
}

// ---- the strip

/** Ends of the axis: those of the metric; without an upper one, a little beyond what is shown. */
function stripEnds(metric, score, range) {
  const [low, edges] = [metric.low ?? 0, range.edges];
  if (metric.high !== null && Number.isFinite(metric.high)) return [low, metric.high];
  return [low, Math.max(edges[3] + (edges[3] - edges[0]) / 2, score.hi ?? score.value, range.upper ?? 0)];
}

function stretch(className, from, to, properties = {}) {
  const made = element("i", { className, ...properties });
  made.style.left = `${from}%`;
  made.style.width = `${Math.max(0, to - from)}%`;
  return made;
}

function bandParts(range, at) {
  const bounds = [0, ...range.edges.map(at), 100];
  return against.categories.map((title, i) => {
    const aimed = range.target.includes(title.toLowerCase().replace(" ", "_"));
    return stretch(`band band-${i}${aimed ? " target" : ""}`, bounds[i], bounds[i + 1], { title });
  });
}

/** How unsure the edges themselves are, since a population is a sample. */
function edgeDoubts(range, at) {
  return range.edges_lo.map((lo, i) => stretch("edge-doubt", at(lo), at(range.edges_hi[i])));
}

/** Numbers below the edges, those left out that would touch another. */
function stripScale(range, at, show) {
  const scale = element("span", { className: "strip-scale" });
  let last = -Infinity;
  for (const edge of range.edges) {
    if (at(edge) - last < CLOSE_LABELS) continue;
    last = at(edge);
    const label = element("span", {}, show(edge));
    label.style.left = `${last}%`;
    scale.append(label);
  }
  return scale;
}

function recommendedBracket(range, at) {
  if (range.lower === null || range.upper === null) return null;
  const bracket = stretch("bracket", at(range.lower), at(range.upper));
  const middle = (at(range.lower) + at(range.upper)) / 2;
  bracket.append(element("span", { className: middle > 100 - LABEL_HALF ? "to-left" : middle < LABEL_HALF ? "to-right" : "" }, "recommended"));
  return bracket;
}

/** The figure; its words are those of the sentence beside it. */
function normStrip(metric, score, range, words, show) {
  const [low, high] = stripEnds(metric, score, range);
  const at = (value) => 100 * Math.min(Math.max((value - low) / (high - low), 0), 1);
  const bands = element("span", { className: "bands" }, ...bandParts(range, at));
  const needle = element("i", { className: "needle" });
  needle.style.left = `${at(score.value)}%`;
  const whisker = score.lo === null ? null : stretch("whisker", at(score.lo), at(score.hi));
  const body = element("span", { className: "strip-body" }, recommendedBracket(range, at) ?? "", bands, ...edgeDoubts(range, at), whisker ?? "", needle);
  return element("div", { className: "norm-strip", role: "img", "aria-label": words }, body, stripScale(range, at, show));
}

// ---- with its words

const rankWords = (range) => {
  const interval = range.lo === null || Math.floor(range.lo) === Math.floor(range.hi) ? "" : ` (${Math.floor(range.lo)}–${Math.floor(range.hi)})`;
  return `higher than ${percentWords(range.percentile)}${interval} of ${range.n}`;
};

/** Strip, category, rank and sentences of one score. */
function standingBlock(metric, score, range) {
  if (range.reason && range.category === undefined) return element("p", { className: "fine not-compared" }, `Not compared: ${ended(range.reason)}`);
  const show = (value) => formatted(value, metric);
  const reach = intervalWords(range, score.lo, score.hi, show);
  const sentence = range.sentence ?? `${metric.title} is ${show(score.value)}${UNITS[metric.unit] ?? ""}, ${rankWords(range)}. Nothing is recommended.`;
  const words = [sentence, reach].filter(Boolean).join(" ");
  const head = element("p", { className: "stand-line" }, categoryChip(range), element("span", { className: "percentile" }, rankWords(range)));
  const said = element("p", { className: "stand-words" }, sentence, reach ? element("span", { className: "reach" }, ` ${reach}`) : null);
  return element("div", { className: "standing-block" }, normStrip(metric, score, range, words, show), head, said, range.why ? element("p", { className: "fine" }, range.why) : null);
}

// ---- areas of interest

function areaRange(area, metric, time = areaOrder.time) {
  const times = area.ranges?.[metric];
  return times ? rangeOf(times[report.areas.times.indexOf(time)]) : null;
}

/** Under a number of an area: the category, its sentence at hand. */
function areaChip(area, i, time = areaOrder.time, words = false) {
  const range = areaRange(area, i, time);
  if (range === null || range.category === undefined) return null;
  const chip = categoryChip(range, words);
  chip.title = areaWords(range, areaScore(area, i, time), areaMetrics[i]);
  return chip;
}

function areaWords(range, score, metric) {
  const own = range.sentence ?? `${metric.title}: ${areaDigits(score[0], metric)}${UNITS[metric.unit] ?? ""}, ${rankWords(range)}.`;
  const reach = intervalWords(range, score[1], score[2], (value) => areaDigits(value, metric));
  return [own, reach].filter(Boolean).join(" ");
}

/** Sentences of an area that was chosen, and with what it was compared. */
function areaStanding(area) {
  const found = areaColumns().map((i) => ({ i, range: areaRange(area, i) })).filter(({ range }) => range?.category !== undefined);
  if (!found.length) return null;
  const items = found.map(({ i, range }) => element("li", {}, categoryChip(range), element("span", {}, areaWords(range, areaScore(area, i), areaMetrics[i]))));
  const [{ range }] = found;
  const population = `Compared with ${areaTitle.get(area.type).toLowerCase()} areas of ${populationWords(range)} (n\u00a0=\u00a0${range.n}). ${fallbackWords(range)} ${range.why ?? ""}`;
  return element("td", { role: "cell", className: "area-standing" }, element("ul", {}, ...items), element("p", { className: "fine" }, population.trim()));
}
