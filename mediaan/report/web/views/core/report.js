// The data of the page. Media are addressed by their index in `report.media`.

/** @type {PageData} */
export const report = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("data")).textContent ?? "");
export const metricOf = new Map(report.metrics.map((metric) => [metric.name, metric]));
/** @param {number} index */
export const hasDetail = (index) => report.media[index].done && report.media[index].id !== null;
export const judged = report.media.some((medium) => medium.done && medium.verdict !== "unknown");

/**
 * `1 ad`, `25 files`: what was analyzed, counted.
 * @param {number} n
 */
export const countWords = (n) => `${n.toLocaleString("en")} ${report.noun[n === 1 ? 0 : 1]}`;
export const collator = new Intl.Collator(undefined, { numeric: true });

/**
 * The areas of the run, where the views show edited ones that are not saved.
 * @param {Medium} medium
 */
export const runAreas = (medium) => medium.run_areas ?? medium.areas;

/** @type {ServedPage | null} Addresses of the server that shows this page; null on disk. */
export const served = JSON.parse(document.querySelector('meta[name="mediaan-served"]')?.getAttribute("content") ?? "null");
