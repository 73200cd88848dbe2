// Rules of a medium.

import { byId } from "../core/dom.js";
import { ruleItem, ruleResults } from "../scores/rules.js";

/** @param {number} index */
export function showRules(index) {
  const results = ruleResults(index);
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
