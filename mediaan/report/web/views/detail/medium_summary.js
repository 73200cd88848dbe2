// The summary of a medium: its verdict, its checks, what to try.

import { showQuestionsButton } from "../answers/answers.js";
import { byId, element } from "../core/dom.js";
import { unbroken, withFullStop } from "../core/format.js";

/**
 * Checks by side; a run of an older version has none.
 * @param {Medium} medium
 */
function checksBySide(medium) {
  const { good = [], bad = [], open = [] } = medium.summary ?? {};
  return { good, bad, open };
}

/** @param {Reason} reason */
const reasonItem = ({ text }) => element("li", {}, unbroken(withFullStop(text)));

/** @param {Reason} reason */
function failedItem({ text, required }) {
  return element("li", {}, unbroken(withFullStop(text)), required ? null : element("span", { className: "sub" }, "Not required."));
}

/** @param {Reason} reason */
function openItem({ text, todo }) {
  return element("li", {}, unbroken(withFullStop(text)), todo ? element("span", { className: "sub" }, withFullStop(todo)) : null);
}

/**
 * Edits that were tried and help, then what else would mend what fails.
 * @param {Medium} medium
 */
function todoItems(medium) {
  return (medium.summary?.to_try ?? []).map((todo) => element("li", {}, unbroken(withFullStop(todo))));
}

/** @param {Reason[]} reasons */
function openTitle(reasons) {
  const unknown = reasons.filter((reason) => reason.unknown).length;
  if (unknown === reasons.length) return "Unknown";
  return unknown ? "Too close to call, or unknown" : "Too close to call";
}

/** @param {string} id @param {HTMLElement[]} items */
function showGroup(id, items) {
  byId(`medium-summary-${id}`).querySelector("ul").replaceChildren(...items);
  byId(`medium-summary-${id}`).hidden = !items.length;
}

/** @param {Medium} medium */
function showVerdictSentence(medium) {
  const place = byId("verdict-sentence");
  const [lead, ...rest] = (medium.summary?.sentence ?? "").split(":");
  place.hidden = !medium.summary;
  place.className = `verdict-sentence ${medium.summary?.verdict ?? ""}`;
  place.replaceChildren(element("strong", {}, `${lead}:`), rest.join(":"));
}

/** @param {Medium} medium */
export function showMediumSummary(medium) {
  const { good, bad, open } = checksBySide(medium);
  byId("medium-summary").hidden = !medium.summary;
  showVerdictSentence(medium);
  showGroup("try", todoItems(medium));
  showGroup("bad", bad.map(bad.some((reason) => reason.required) ? failedItem : reasonItem));
  byId("medium-summary-bad").querySelector("h4").textContent = medium.summary?.verdict === "works" ? "Failed, but not required" : "Failed";
  showGroup("open", open.map(openItem));
  byId("medium-summary-open").querySelector("h4").textContent = openTitle(open);
  showQuestionsButton(medium);
  showGroup("good", good.map(reasonItem));
  byId("medium-summary-good").querySelector("summary").textContent = `${good.length} passed`;
  const isWide = matchMedia("(min-width: 981px)").matches; // beside the picture, not above it
  byId("medium-summary-good").open = isWide && bad.length + open.length <= 6; // else what fails comes first, alone
}
