// Verdicts as the page shows them: a sign, words and a colour of their own.

import { element } from "./dom.js";
import { report } from "./report.js";

/** @param {Verdict} verdict */
export function verdictTag(verdict) {
  const sign = element("span", { "aria-hidden": "true" }, `${report.words.verdict_signs[verdict]} `);
  return element("span", { className: `verdict-tag ${verdict}` }, sign, report.words.verdicts[verdict]);
}
