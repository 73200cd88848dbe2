// The summary: its counts show the files behind them, through the filters of the list.

import { byId } from "../core/dom.js";
import { listen, state } from "../core/state.js";
import { filterBy } from "../filters/controls.js";

/** Which counts the list is filtered by. */
function showChosen() {
  for (const button of byId("summary").querySelectorAll("button[aria-pressed]")) {
    const { verdict, reason } = button.dataset;
    button.setAttribute("aria-pressed", String(verdict ? state.list.verdict === verdict : state.list.reason === reason));
  }
}

export function wireSummary() {
  byId("summary").addEventListener("click", (event) => {
    const { verdict, reason } = event.target.closest("button")?.dataset ?? {};
    if (verdict) filterBy({ verdict: state.list.verdict === verdict ? "all" : verdict });
    if (reason) filterBy({ reason: state.list.reason === reason ? "all" : reason });
  });
  listen("list", showChosen);
}
