// Media by category of their population, and the list filtered by them.

import { byId, queryAll } from "../core/dom.js";
import { LIST_DEFAULTS, listen, state } from "../core/state.js";
import { updateList } from "../filters/address.js";
import { benchmarks } from "../scores/ranges.js";

/**
 * Show the media of one category or position; again: all of them.
 * @param {string} metric
 * @param {string} wanted
 */
function filterStanding(metric, wanted) {
  const again = state.list.metric === metric && state.list.against === wanted;
  updateList({ sort: metric, order: "first", against: again ? LIST_DEFAULTS.against : wanted });
  if (!again) byId("all-media").scrollIntoView();
}

/** Which bar or position the table is filtered by. */
function showCategoryCounts() {
  for (const button of queryAll("#category-counts button")) {
    const { category, position } = button.dataset;
    const wanted = category === undefined ? position : `c${category}`;
    const isCurrent = button.closest(".category-chart").dataset.metric === state.list.metric;
    button.setAttribute("aria-pressed", String(isCurrent && state.list.against === wanted));
  }
}

export function wireCategories() {
  if (benchmarks === null) return;
  listen("list", showCategoryCounts);
  byId("category-counts")?.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { category, position } = button.dataset;
    filterStanding(button.closest(".category-chart").dataset.metric, category === undefined ? position : `c${category}`);
  });
}
