// A page's data, made up, for modules that read it when they are loaded.

const METRIC = { unit: "score", low: 0, high: 100, basis: "learned", caption: "", decimals: 0, n: 3, level_with_best: 0 };
const aim = (direction) => ({ any: { direction, reason: "" } });

export const metric = (name, direction = "higher") => ({ ...METRIC, name, title: name, direction, aims: aim(direction), agreement: {} });

export function score(value, { half = 5, drivers = [] } = {}) {
  const ends = value === null ? [null, null] : [value - half, value + half];
  return { value, lo: ends[0], hi: ends[1], basis: "learned", time: "total", reason: value === null ? "too dark" : null, standing: null, drivers };
}

export function medium(name, facts = {}) {
  return {
    name, id: `id-${name}`, paths: [name], done: true, moves: false, kind: "image", objective: null, purpose: null, brand: null, platform: null, domain: null, domain_probability: null,
    error_code: null, width: 100, height: 50, duration_s: null, scores: {}, notes: [], unlike: null, areas: [], ranges: {}, rules: [], verdict: "unknown", urgency: null, reasons: [], ...facts,
  };
}

/** Media and what else is wanted, as the page's data hold them. */
export function pageData(media, facts = {}) {
  return {
    noun: ["ad", "ads"], media, metrics: [metric("focus"), metric("clarity"), metric("load", "lower")], rules: [], rule_statuses: ["passed", "failed", "skipped"], benchmarks: null, statistics: { z90: 1.5, alpha: 0.1, lean: 0.55, widened: {} }, repeatability: { focus: { value: [20, 60], sd: [2, 6] } },
    areas: { metrics: [], times: ["total", "start", "end"], types: [{ name: "face", title: "Face" }], columns: [], grid: 10, ticks: 100 }, ...facts,
  };
}

/** Stand in for the document, before a module is imported that reads the data of its page. */
export function openPage(data) {
  const elements = { data: { textContent: JSON.stringify(data) } };
  globalThis.document = {
    getElementById: (id) => elements[id] ?? null,
    querySelector: (selector) => (selector === "h1" ? { textContent: "A run" } : null),
  };
  globalThis.location = new URL("file:///run/report/index.html");
}
