// Rules of a medium.

import { byId, element } from "../core/dom.js";
import { RULE_SIGNS, ruleItem, ruleResults } from "../scores/rules.js";

/** At the top of a medium: its badges, which lead to the rules. */
function showRuleBadges(results) {
  const counts = Object.entries({ failed: "failed", warned: "with a warning", skipped: "skipped", passed: "passed" })
    .map(([look, words]) => [look, words, results.filter((result) => result.look === look).length])
    .filter(([, , n]) => n > 0);
  byId("verdict").hidden = results.length === 0;
  const badges = counts.map(([look, words, n]) => element("span", { className: `badge rule-${look}` }, `${RULE_SIGNS[look]} ${n} ${words}`));
  const go = element("button", { type: "button", className: "verdict-go" }, `${results.length === 1 ? "1 rule" : `${results.length} rules`}: `, ...badges.flatMap((badge) => [badge, " "]));
  go.addEventListener("click", () => {
    byId("medium-rules").scrollIntoView({ block: "center" });
    byId("medium-rules-title").focus({ preventScroll: true });
  });
  byId("verdict").replaceChildren(go);
}

export function showRules(medium, index) {
  const results = ruleResults(index);
  showRuleBadges(results);
  byId("medium-rules").hidden = results.length === 0;
  const failed = results.filter(({ look }) => look === "failed").length;
  const open = results.filter(({ look }) => look !== "passed");
  const passed = results.filter(({ look }) => look === "passed");
  byId("medium-rules-title").textContent = failed ? `${failed} of ${results.length} rules failed` : open.length ? `Rules: none failed of ${results.length}` : `All ${results.length} rules passed`;
  byId("medium-rules-list").replaceChildren(...open.map(ruleItem));
  byId("medium-rules-passed").hidden = passed.length === 0;
  byId("medium-rules-passed").open = open.length === 0;
  byId("medium-rules-passed").querySelector("summary").textContent = `${passed.length} passed`;
  byId("medium-rules-passed").querySelector("ul").replaceChildren(...passed.map(ruleItem));
}
