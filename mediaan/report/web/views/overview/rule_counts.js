// Rules of the run, how many media fail each, and the list filtered by them.

import { byId, copyText, queryAll } from "../core/dom.js";
import { report } from "../core/report.js";
import { listen, state } from "../core/state.js";
import { updateList } from "../filters/address.js";
import { ruleResults } from "../scores/rules.js";

function showRuleCounts() {
  for (const button of queryAll("#rule-counts .rule-go")) {
    button.setAttribute("aria-pressed", String(button.closest("tr").dataset.rule === state.list.rules));
  }
}

/** The failures of the media that are shown, as text for a message. */
export function failuresText() {
  const lines = [];
  for (const index of state.shown) {
    const failed = ruleResults(index).filter(({ status }) => status === "failed");
    if (!failed.length) continue;
    lines.push(report.media[index].paths[0], ...failed.map(({ rule, message, look }) => `  ${look === "warned" ? "warning: " : ""}${rule.name}: ${message}`), "");
  }
  return lines.length ? lines.join("\n") : "The files shown fail no rule.\n";
}

/** @param {string} place */
function filterRule(place) {
  updateList({ rules: state.list.rules === place ? "all" : place });
  if (state.list.rules === place) byId("all-media").scrollIntoView();
}

export function wireRules() {
  byId("copy-failures")?.addEventListener("click", () => copyText(byId("copy-failures"), failuresText(), "Copying is blocked here"));
  listen("list", showRuleCounts);
  byId("rule-counts")?.addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row && !getSelection().toString()) filterRule(row.dataset.rule);
  });
}
