// Differences of scores, their intervals and their significance, by the formulas of `mediaan compare`.

export const Z90 = 1.6448536269514722; // 90 % of a normal distribution lie within so many standard deviations
export const ALPHA = 0.1; // most probability that among comparisons made together one is found significant by chance
export const LEAN = 0.7; // least probability with which a score leans to a side
export const WIDENED = { percentage_seen: 1.13 }; // factors of intervals of differences

/** The error function, to 1e-12: by its series near 0, by its continued fraction beyond. */
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

function tailFraction(x) {
  let below = x;
  for (let n = 80; n > 0; n -= 1) below = x + n / 2 / below;
  return 1 / below;
}

const normalBelow = (z) => (1 + erf(z / Math.SQRT2)) / 2;

/** A score with the middle of its interval as its value, where the truth is expected. */
const expected = ({ lo, hi }) => ({ value: (lo + hi) / 2, lo, hi });

/**
 * A less B of scores `{ value, lo, hi }`, with the 90 % interval recovered from theirs (MOVER), the probability that A
 * is truly higher, and the two-sided p; no difference is wider than `widest`. `fromMiddles`: truths are expected in the
 * middle of intervals, as of scores, and not at the values, as of shares.
 */
export function subtract(a, b, factor = 1, widest = Infinity, fromMiddles = false) {
  const value = a.value - b.value;
  if ([a.lo, a.hi, b.lo, b.hi].some((end) => end == null)) return { value, lo: null, hi: null, probability: null, p: null };
  const [one, other] = fromMiddles ? [expected(a), expected(b)] : [a, b];
  const centre = fromMiddles ? one.value - other.value : value;
  const [under, over] = [(side) => Math.max(0, side.value - side.lo), (side) => Math.max(0, side.hi - side.value)];
  const [below, above] = [factor * Math.hypot(under(one), over(other)), factor * Math.hypot(over(one), under(other))];
  const arm = centre > 0 ? below : above;
  const probability = centre * value <= 0 ? 0.5 : arm === 0 ? Number(centre > 0) : normalBelow((Z90 * centre) / arm);
  const [lo, hi] = [Math.max(-widest, Math.min(value, centre - below)), Math.min(widest, Math.max(value, centre + above))];
  return { value, lo, hi, probability, p: Math.min(1, 2 * Math.min(probability, 1 - probability)) };
}

/** A probability as people say it, rounded down. */
function oddsWords(probability) {
  if (probability >= 0.99) return "99 in 100";
  return probability >= 0.95 ? "19 in 20" : `${Math.floor(10 * probability + 1e-9)} in 10`;
}

/** To which side a difference leans that is not proven: the one that is probably better, if one end is good. */
export function leanWords({ probability }, direction) {
  const odds = Math.max(probability, 1 - probability);
  if (odds < LEAN) return "too close to call";
  const [higher, lower] = probability > 0.5 ? ["A", "B"] : ["B", "A"];
  if (direction === "middle") return `${higher} is probably higher, ${oddsWords(odds)}`;
  return `leans to ${direction === "lower" ? `${lower}, which is probably lower` : higher}, ${oddsWords(odds)}`;
}

/** Probabilities of chance corrected for being many (Holm), in the same order. */
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

/** Differences that answer one question: each gets `proven`, true where it stays significant among all of its family; the sizes of both families are returned. */
export function correctFamilies(differences) {
  return [true, false].map((headline) => {
    const known = differences.filter((difference) => difference.p !== null && difference.headline === headline);
    const corrected = holm(known.map(({ p }) => p));
    known.forEach((difference, i) => { difference.proven = corrected[i] < ALPHA; });
    return known.length;
  });
}
