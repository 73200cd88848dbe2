// What the rules of the run say of its media.

const STATUSES = ["passed", "failed", "skipped"];
const RULE_SIGNS = { passed: "✓", failed: "✕", warned: "!", skipped: "–" };
// `state.rules`: failed, warned, passed, skipped, or the place of a rule that is failed

/** Of a packed result: its rule, status, sentence, and how it is shown. */
function ruleResult([place, status, message, sure]) {
  const rule = report.rules[place];
  const named = STATUSES[status];
  return { rule, place, status: named, message, sure, look: named === "failed" && rule.severity === "warning" ? "warned" : named };
}

const ruleResults = (index) => report.media[index].rules.map(ruleResult);

function fitsRules(index) {
  const results = ruleResults(index);
  if (state.rules === "passed") return results.length > 0 && results.every(({ status }) => status === "passed");
  if (["failed", "warned", "skipped"].includes(state.rules)) return results.some(({ look }) => look === state.rules);
  return results.some(({ place, status }) => `${place}` === state.rules && status === "failed");
}

function ruleItem({ rule, look, message, sure }) {
  const badge = element("span", { className: `badge rule-${look}` }, `${RULE_SIGNS[look]} ${look === "warned" ? "warning" : look}`);
  const open = sure === false && look !== "skipped" ? element("span", { className: "badge" }, "not sure") : null;
  const why = rule.why && look !== "passed" ? element("span", { className: "sub" }, rule.why) : null;
  const name = rule.name === rule.rule ? element("code", {}, rule.rule) : element("strong", {}, rule.name);
  return element("li", { className: look }, element("div", {}, badge, " ", open), element("div", {}, name, element("p", {}, message), why));
}

/** At the top of a medium: its badges, which lead to the rules. */
function showVerdict(results) {
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

function showRules(medium, index) {
  const results = ruleResults(index);
  showVerdict(results);
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

function showRuleCounts() {
  for (const button of document.querySelectorAll("#rule-counts .rule-go")) {
    button.setAttribute("aria-pressed", String(button.closest("tr").dataset.rule === state.rules));
  }
}

/** The failures of the media that are shown, as text for a message. */
function failuresText() {
  const lines = [];
  for (const index of shown) {
    const failed = ruleResults(index).filter(({ status }) => status === "failed");
    if (!failed.length) continue;
    lines.push(report.media[index].paths[0], ...failed.map(({ rule, message, look }) => `  ${look === "warned" ? "warning: " : ""}${rule.name}: ${message}`), "");
  }
  return lines.length ? lines.join("\n") : "No rule is failed by the media that are shown.\n";
}

async function copyFailures() {
  const button = byId("copy-failures");
  try {
    await navigator.clipboard.writeText(failuresText());
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying is blocked here";
  }
  setTimeout(() => { button.textContent = "Copy failures"; }, 2500);
}

function filterRule(place) {
  wish({ rules: state.rules === place ? "all" : place });
  if (state.rules === place) byId("table-title").scrollIntoView();
}

function wireRules() {
  byId("copy-failures")?.addEventListener("click", copyFailures);
  byId("rule-counts")?.addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row && !getSelection().toString()) filterRule(row.dataset.rule);
  });
}
