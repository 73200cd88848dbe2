// Cells of a table of comma-separated values.

/**
 * Whether a spreadsheet may take a cell for a formula; the same rule as of `escape_formula` in config/attributes.py.
 * @param {string} text
 */
function runsAsFormula(text) {
  const cell = text.replace(/^'+/, "");
  const [letter = ""] = cell.match(/[^\p{C}\p{Z}\u115f\u1160\u2800\u3164]/u) ?? [];
  return /^[\t\r\n]/.test(cell) || /^[=+\-@\u2212]/.test(letter.normalize("NFKC"));
}

/**
 * Quote for CSV; text that a spreadsheet would run as a formula gets a leading apostrophe.
 * @param {string | number | null | undefined} value
 */
export function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = runsAsFormula(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
