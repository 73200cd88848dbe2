// What is shown, as CSV or JSON, to copy or to download; what is filtered out is not in it.

const TOP_DRIVERS = 3;

/** Quote for CSV; text that a spreadsheet would run as a formula gets a leading apostrophe. */
function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = /^'*[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const FACTS = ["name", "path", "medium_id", "status", "error_code", "kind", "width", "height", "duration_s", "objective", "domain", "domain_probability", "notes", "rules_failed"];

function factsOf(medium, index) {
  const failed = ruleResults(index).filter(({ status }) => status === "failed").map(({ rule }) => rule.name);
  const notes = medium.notes.map(({ code }) => code);
  return { medium_id: medium.id, status: medium.done ? "done" : "failed", error_code: medium.error_code, kind: medium.kind, width: medium.width, height: medium.height, duration_s: medium.duration_s, objective: medium.objective, domain: medium.domain, domain_probability: medium.domain_probability, notes, rules_failed: failed };
}

function csv() {
  const names = report.metrics.map((metric) => metric.name);
  const lines = [[...FACTS, ...names.flatMap((name) => [name, `${name}_lo`, `${name}_hi`, ...standingHeads(name)])]];
  for (const index of shown) {
    const medium = report.media[index];
    const facts = factsOf(medium, index);
    const scores = names.flatMap((name) => [...["value", "lo", "hi"].map((key) => medium.scores[name]?.[key]), ...standingCells(medium, name)]);
    const rest = FACTS.slice(2).map((name) => (Array.isArray(facts[name]) ? facts[name].join("; ") : facts[name]));
    for (const path of medium.paths) lines.push([medium.name, path, ...rest, ...scores]);
  }
  return lines.map((line) => line.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function scoreRecord(medium, name) {
  const { value, lo, hi, basis, time, reason, standing, drivers } = medium.scores[name];
  const [percentile = null, position = null, category = null] = standingCells(medium, name);
  const moved = drivers.slice(0, TOP_DRIVERS).map(([points, text]) => ({ points, text }));
  return { value, lo, hi, basis, time, reason, rank: standing?.rank ?? null, of: standing?.of ?? null, percentile, position, category, drivers: moved };
}

function areaRecords(medium) {
  const [seen, share] = ["percentage_seen", "attention"].map(areaMetric);
  const value = (area, metric) => (metric < 0 ? null : areaValue(area, metric, "total"));
  return medium.areas.map((area) => ({ aoi_id: area.id, type: area.type, label: area.label ?? null, box: area.box, percentage_seen: value(area, seen), attention: value(area, share) }));
}

function mediumRecord(index) {
  const medium = report.media[index];
  const scores = Object.fromEntries(report.metrics.filter(({ name }) => medium.scores[name]).map(({ name }) => [name, scoreRecord(medium, name)]));
  return { name: medium.name, paths: medium.paths, ...factsOf(medium, index), scores, areas: areaRecords(medium) };
}

/** With what the list was filtered and ordered by, so that the file explains itself. */
function json() {
  const wished = Object.fromEntries(Object.entries(IN_ADDRESS).filter(([key, name]) => key !== "look" && state[name] !== START[name]).map(([key, name]) => [key, state[name]]));
  const said = { run: document.querySelector("h1").textContent, shown: shown.length, of: report.part_of ?? report.media.length, wished };
  return `${JSON.stringify({ ...said, media: shown.map(mediumRecord) }, null, 1)}\n`;
}

const FORMATS = {
  csv: { text: csv, type: "text/csv;charset=utf-8", mark: "\ufeff" }, // the mark tells spreadsheets that the text is UTF-8
  json: { text: json, type: "application/json", mark: "" },
};

function download() {
  const { text, type, mark } = FORMATS[byId("format").value];
  const address = URL.createObjectURL(new Blob([mark, text()], { type }));
  element("a", { href: address, download: `media.${byId("format").value}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

async function copy() {
  const button = byId("copy");
  try {
    await navigator.clipboard.writeText(FORMATS[byId("format").value].text());
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying is blocked here: use Download";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2500);
}

function wireExport() {
  byId("copy").addEventListener("click", copy);
  byId("download").addEventListener("click", download);
}
