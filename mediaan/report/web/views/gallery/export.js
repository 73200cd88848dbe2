// Export the media that are shown as CSV or JSON, to copy or to download.

import { areaMetric, areaValue } from "../areas/scores.js";
import { byId, copyText, downloadFile, query } from "../core/dom.js";
import { report, runAreas } from "../core/report.js";
import { LIST_DEFAULTS, state } from "../core/state.js";
import { IN_ADDRESS } from "../filters/address.js";
import { csvCell } from "./csv.js";
import { standingCells, standingHeads } from "../scores/ranges.js";
import { repeatability } from "../scores/repeatability.js";
import { ruleResults } from "../scores/rules.js";

const TOP_DRIVERS = 3;

const FACTS = ["name", "path", "medium_id", "status", "error_code", "kind", "width", "height", "duration_s", "verdict", "brand", "purpose", "platform", "objective", "domain", "domain_probability", "notes", "rules_failed"];

/** @param {Medium} medium @param {number} index */
function factsOf(medium, index) {
  const failed = ruleResults(index).filter(({ status }) => status === "failed").map(({ rule }) => rule.name);
  const notes = medium.notes.map(({ code }) => code);
  return { medium_id: medium.id, status: medium.done ? "done" : "failed", error_code: medium.error_code, kind: medium.kind, width: medium.width, height: medium.height, duration_s: medium.duration_s, verdict: medium.done ? medium.verdict : null, brand: medium.brand, purpose: medium.purpose, platform: medium.platform, objective: medium.objective, domain: medium.domain, domain_probability: medium.domain_probability, notes, rules_failed: failed };
}

export function csvText() {
  const names = report.metrics.map((metric) => metric.name);
  const lines = [[...FACTS, ...names.flatMap((name) => [name, `${name}_repeatability`, `${name}_lo`, `${name}_hi`, ...standingHeads(name)])]];
  for (const index of state.shown) {
    const medium = report.media[index];
    const facts = factsOf(medium, index);
    const scores = names.flatMap((name) => {
      const { value, lo, hi } = medium.scores[name] ?? {};
      return [value, repeatability(name, value, medium), lo, hi, ...standingCells(medium, name)];
    });
    const rest = FACTS.slice(2).map((name) => (Array.isArray(facts[name]) ? facts[name].join("; ") : facts[name]));
    for (const path of medium.paths) lines.push([medium.name, path, ...rest, ...scores]);
  }
  return lines.map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
}

/** @param {Medium} medium @param {string} name */
function scoreRecord(medium, name) {
  const { value, lo, hi, basis, time, reason, standing, drivers } = medium.scores[name];
  const [percentile = null, position = null, category = null] = standingCells(medium, name);
  const moved = drivers.slice(0, TOP_DRIVERS).map(([points, text]) => ({ points, text }));
  return { value, repeatability: repeatability(name, value, medium), lo, hi, basis, time, reason, rank: standing?.rank ?? null, of: standing?.of ?? null, percentile, position, category, drivers: moved };
}

/** @param {Medium} medium */
function areaRecords(medium) {
  const [seen, share] = ["percentage_seen", "attention"].map(areaMetric);
  const value = (area, metric) => (metric < 0 ? null : areaValue(area, metric, "total"));
  return runAreas(medium).map((area) => ({ aoi_id: area.id, type: area.type, label: area.label ?? null, box: area.box, percentage_seen: value(area, seen), attention: value(area, share) }));
}

/** @param {number} index */
function mediumRecord(index) {
  const medium = report.media[index];
  const scores = Object.fromEntries(report.metrics.filter(({ name }) => medium.scores[name]).map(({ name }) => [name, scoreRecord(medium, name)]));
  return { name: medium.name, paths: medium.paths, ...factsOf(medium, index), scores, areas: areaRecords(medium) };
}

/** With what the list was filtered and ordered by, so that the file explains itself. */
export function jsonText() {
  const filters = Object.fromEntries(Object.entries(IN_ADDRESS).filter(([key, name]) => key !== "look" && state.list[name] !== LIST_DEFAULTS[name]).map(([key, name]) => [key, state.list[name]]));
  const facts = { run: query("h1").textContent, shown: state.shown.length, of: report.part_of ?? report.media.length, filters };
  return `${JSON.stringify({ ...facts, media: state.shown.map(mediumRecord) }, null, 1)}\n`;
}

const FORMATS = {
  csv: { text: csvText, type: "text/csv;charset=utf-8", mark: "\ufeff" }, // the mark tells spreadsheets that the text is UTF-8
  json: { text: jsonText, type: "application/json", mark: "" },
};

function downloadExport() {
  const { text, type, mark } = FORMATS[byId("format").value];
  downloadFile(`media.${byId("format").value}`, [mark, text()], type);
}

export function wireExport() {
  byId("copy").addEventListener("click", () => copyText(byId("copy"), FORMATS[byId("format").value].text(), "Copying is blocked here: use Download"));
  byId("download").addEventListener("click", downloadExport);
}
