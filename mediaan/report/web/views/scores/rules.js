// Results of rules, unpacked and as list items.

import { element } from "../core/dom.js";
import { report } from "../core/report.js";

const STATUSES = ["passed", "failed", "skipped"];
export const RULE_SIGNS = { passed: "✓", failed: "✕", warned: "!", skipped: "–" };

/** Of a packed result: its rule, status, sentence, and how it is shown. */
function ruleResult([place, status, message, sure]) {
  const rule = report.rules[place];
  const named = STATUSES[status];
  return { rule, place, status: named, message, sure, look: named === "failed" && rule.severity === "warning" ? "warned" : named };
}

export const ruleResults = (index) => report.media[index].rules.map(ruleResult);

export function ruleItem({ rule, look, message, sure }) {
  const badge = element("span", { className: `badge rule-${look}` }, `${RULE_SIGNS[look]} ${look === "warned" ? "warning" : look}`);
  const open = sure === false && look !== "skipped" ? element("span", { className: "badge" }, "not sure") : null;
  const why = rule.why && look !== "passed" ? element("span", { className: "sub" }, rule.why) : null;
  const name = rule.name === rule.rule ? element("code", {}, rule.rule) : element("strong", {}, rule.name);
  return element("li", { className: look }, element("div", {}, badge, " ", open), element("div", {}, name, element("p", {}, message), why));
}
