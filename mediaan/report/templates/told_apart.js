// What can be told of the difference of two scores: as `mediaan compare` says it, by the same formulas.

const Z90 = 1.6448536269514722; // 90 % of a normal distribution lie within so many standard deviations
const ALPHA = 0.1; // most probability that among comparisons made together one is told apart by chance
const WIDENED = { percentage_seen: 1.13 }; // factors of intervals of differences

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

/** A less B of scores `{ value, lo, hi }`, with the 90 % interval recovered from theirs (MOVER) and the two-sided p; no difference is wider than `widest`. */
function subtract(a, b, factor = 1, widest = Infinity) {
  const value = a.value - b.value;
  if ([a.lo, a.hi, b.lo, b.hi].some((end) => end == null)) return { value, lo: null, hi: null, p: null };
  const [under, over] = [(one) => Math.max(0, one.value - one.lo), (one) => Math.max(0, one.hi - one.value)];
  const [below, above] = [factor * Math.hypot(under(a), over(b)), factor * Math.hypot(over(a), under(b))];
  const arm = value > 0 ? below : above;
  const higher = value === 0 ? 0.5 : arm === 0 ? Number(value > 0) : normalBelow((Z90 * value) / arm);
  return { value, lo: Math.max(-widest, value - below), hi: Math.min(widest, value + above), p: Math.min(1, 2 * Math.min(higher, 1 - higher)) };
}

/** Probabilities of chance corrected for being many (Holm), in the same order. */
function holm(p) {
  const corrected = p.map(() => 0);
  let most = 0;
  const order = p.map((_, i) => i).sort((i, j) => p[i] - p[j]);
  order.forEach((i, done) => {
    most = Math.max(most, Math.min(1, (p.length - done) * p[i]));
    corrected[i] = most;
  });
  return corrected;
}

/** Differences that answer one question: each gets `told`, whether it stays told apart among all of them. */
function settle(differences) {
  const known = differences.filter(({ p }) => p !== null);
  const corrected = holm(known.map(({ p }) => p));
  known.forEach((difference, i) => { difference.told = corrected[i] < ALPHA; });
  return known.length;
}
