// The summary: its counts show the media behind them, through the filters of the list.

import { byId } from "../core/dom.js";
import { filterBy } from "../filters/controls.js";

export function wireSummary() {
  byId("summary").addEventListener("click", (event) => {
    const { verdict, reason } = event.target.closest("button")?.dataset ?? {};
    if (verdict) filterBy({ verdict });
    if (reason) filterBy({ reason });
  });
}
