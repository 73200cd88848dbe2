// The summary of a medium: its verdict, its checks, what to try.

import { byId, element } from "../core/dom.js";
import { withFullStop } from "../core/format.js";

/** Checks by side; a run of an older version has none. */
export function checksBySide(medium) {
  const { good = [], bad = [], open = [] } = medium.summary ?? {};
  return { good, bad, open };
}

export function reasonItem({ text, sure }) {
  return element("li", {}, withFullStop(text), sure === false ? element("span", { className: "sub" }, "Likely, not sure.") : null);
}

export function openItem({ text, todo }) {
  return element("li", {}, withFullStop(text), todo ? element("span", { className: "sub" }, withFullStop(todo)) : null);
}

/** Edits that were tried and help, then what else would mend what fails. */
export function todoItems(medium) {
  return (medium.summary?.to_try ?? []).map((todo) => element("li", {}, withFullStop(todo)));
}

function showReasons(id, items, otherwise) {
  const [list, none] = [byId(`medium-summary-${id}`).querySelector("ul"), byId(`medium-summary-${id}`).querySelector("p")];
  list.replaceChildren(...items);
  none.textContent = items.length ? "" : otherwise;
  byId(`medium-summary-${id}`).hidden = !items.length && !otherwise;
}

function showVerdictSentence(medium) {
  const [lead, ...rest] = (medium.summary?.sentence ?? "").split(":");
  const place = byId("verdict-sentence");
  place.hidden = !medium.summary;
  place.className = `verdict-sentence ${medium.summary?.verdict ?? ""}`;
  place.replaceChildren(element("strong", {}, `${lead}:`), rest.join(":"));
}

export function showMediumSummary(medium) {
  const { good, bad, open } = checksBySide(medium);
  showVerdictSentence(medium);
  showReasons("bad", bad.map(reasonItem), "No check fails.");
  showReasons("try", todoItems(medium), "");
  showReasons("good", good.map(reasonItem), "No check passes.");
  showReasons("open", open.map(openItem), "");
}
