// Results of rules, unpacked and as list items.

import { element } from "../core/dom.js";
import { report } from "../core/report.js";

/**
 * Of a packed result: its rule, status, sentence, and how it is shown.
 * @param {Medium["rules"][number]} pair
 */
function ruleResult([place, status, message, sure]) {
  const rule = report.rules[place];
  const named = report.rule_statuses[status];
  return { rule, place, status: named, message, sure, look: named === "failed" && rule.severity === "warning" ? "warned" : named };
}

/** @param {number} index */
export const ruleResults = (index) => report.media[index].rules.map(ruleResult);

/** @param {RuleResult} result */
export function ruleItem({ rule, look, message, sure }) {
  const badge = element("span", { className: `badge rule-${look}` }, `${report.words.rule_signs[look]} ${look === "warned" ? "warning" : look}`);
  const open = sure === false && look !== "skipped" ? element("span", { className: "badge" }, "not sure") : null;
  const why = rule.why && look !== "passed" ? element("span", { className: "sub" }, rule.why) : null;
  const name = rule.name === rule.rule ? element("code", {}, rule.rule) : element("strong", {}, rule.name);
  return element("li", { className: look }, element("div", {}, badge, " ", open), element("div", {}, name, element("p", {}, message), why));
}
