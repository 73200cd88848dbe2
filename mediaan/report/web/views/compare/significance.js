// Differences of scores, their intervals and their significance, by the formulas of `mediaan compare`.

/**
 * A score with its 90 % interval, where that is known.
 * @typedef {{ value: number, lo: number | null, hi: number | null }} Estimate
 * @typedef {Estimate & { probability: number | null, p: number | null }} Difference
 */

/**
 * The error function, to 1e-12: by its series near 0, by its continued fraction beyond.
 * @param {number} x
 */
function erf(x) {
  const size = Math.abs(x);
  if (size > 6) return Math.sign(x);
  if (size > 2.5) return Math.sign(x) * (1 - (Math.exp(-size * size) / Math.sqrt(Math.PI)) * tailFraction(size));
  let [term, sum] = [size, size];
  for (let n = 1; Math.abs(term) > 1e-16; n += 1) {
    term *= (-size * size) / n;
    sum += term / (2 * n + 1);
  }
  return (Math.sign(x) * 2 * sum) / Math.sqrt(Math.PI);
}

/** @param {number} x */
function tailFraction(x) {
  let below = x;
  for (let n = 80; n > 0; n -= 1) below = x + n / 2 / below;
  return 1 / below;
}

/** @param {number} z */
const normalBelow = (z) => (1 + erf(z / Math.SQRT2)) / 2;

/**
 * A less B, with the 90 % interval recovered from theirs (MOVER), the probability that A is truly higher, and the
 * two-sided p.
 *
 * @param {Estimate} a
 * @param {Estimate} b
 * @param {object} options
 * @param {number} options.z90 Standard deviations on either side that make a 90 % interval.
 * @param {number} [options.factor] By which the half-widths of the interval are multiplied.
 * @param {number} [options.widest] No difference is wider.
 * @param {boolean} [options.fromMiddles] Truths are expected in the middle of intervals, as of scores, and not at the
 *   values, as of shares.
 * @returns {Difference}
 */
export function subtract(a, b, { z90, factor = 1, widest = Infinity, fromMiddles = false }) {
  const value = a.value - b.value;
  if (a.lo === null || a.hi === null || b.lo === null || b.hi === null) return { value, lo: null, hi: null, probability: null, p: null };
  const expectedA = fromMiddles ? (a.lo + a.hi) / 2 : a.value;
  const expectedB = fromMiddles ? (b.lo + b.hi) / 2 : b.value;
  const centre = expectedA - expectedB;
  const below = factor * Math.hypot(Math.max(0, expectedA - a.lo), Math.max(0, b.hi - expectedB));
  const above = factor * Math.hypot(Math.max(0, a.hi - expectedA), Math.max(0, expectedB - b.lo));
  const arm = centre > 0 ? below : above;
  const probability = centre * value <= 0 ? 0.5 : arm === 0 ? Number(centre > 0) : normalBelow((z90 * centre) / arm);
  const [lo, hi] = [Math.max(-widest, Math.min(value, centre - below)), Math.min(widest, Math.max(value, centre + above))];
  return { value, lo, hi, probability, p: Math.min(1, 2 * Math.min(probability, 1 - probability)) };
}

/**
 * A probability as people say it, rounded down.
 * @param {number} probability
 */
function oddsWords(probability) {
  return `${Math.min(99, Math.floor(100 * probability + 1e-9))} in 100`;
}

/**
 * To which side a difference leans that is not proven: the one that is probably better, if one end is good.
 * @param {number} probability That A is higher.
 * @param {Direction} direction
 * @param {number} lean Least probability with which a score leans to a side.
 */
export function leanWords(probability, direction, lean) {
  const odds = Math.max(probability, 1 - probability);
  if (odds < lean) return "a coin toss";
  const [higher, lower] = probability > 0.5 ? ["A", "B"] : ["B", "A"];
  if (direction === "middle") return `${higher} is probably higher, ${oddsWords(odds)}`;
  return `leans to ${direction === "lower" ? `${lower}, which is probably lower` : higher}, ${oddsWords(odds)}`;
}

/**
 * Probabilities of chance corrected for being many (Holm), in the same order.
 * @param {number[]} p
 */
export function holm(p) {
  const corrected = p.map(() => 0);
  let most = 0;
  const order = p.map((_, i) => i).sort((i, j) => p[i] - p[j]);
  order.forEach((i, done) => {
    most = Math.max(most, Math.min(1, (p.length - done) * p[i]));
    corrected[i] = most;
  });
  return corrected;
}

/**
 * Set `proven` of each difference that has a p: whether it stays significant among all of its family, headlines or
 * details. Returns the sizes of both families.
 * @param {{ p: number | null, headline: boolean, proven?: boolean }[]} differences
 * @param {number} alpha Most probability that one of a family is found significant by chance.
 */
export function correctFamilies(differences, alpha) {
  return [true, false].map((headline) => {
    const family = differences.filter((difference) => difference.p !== null && difference.headline === headline);
    const corrected = holm(family.map(({ p }) => /** @type {number} */ (p)));
    family.forEach((difference, i) => { difference.proven = corrected[i] < alpha; });
    return family.length;
  });
}
