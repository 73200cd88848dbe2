// The run beside its populations: counts by category, and the table filtered and ordered by them.

const UNSURE = "unsure";
const UNKNOWN = "unknown";
// `state.against`: a category `c0` to `c4`, a position such as `below`, or one of the above

function fitsStanding(index) {
  const packed = packedRange(report.media[index], state.metric);
  if (state.against === UNKNOWN) return !Array.isArray(packed) && report.media[index].done;
  if (!Array.isArray(packed)) return false;
  const places = placesIn(packed);
  if (state.against === UNSURE) return spansEdge(places);
  return state.against === `c${places.category}` || state.against === positionClass(places.position);
}

function percentileOf(index) {
  const packed = packedRange(report.media[index], state.metric);
  return Array.isArray(packed) ? packed[4] : null;
}

/** Compare two media by percentile, the largest first (sign 1) or the smallest (-1); those without one last. */
function byPercentile(a, b, sign) {
  const [pa, pb] = [percentileOf(a), percentileOf(b)];
  if (pa === null || pb === null) return (pa === null) - (pb === null);
  return (pb - pa) * sign;
}

/** Show the media of one category or position; again: all of them. */
function filterStanding(metric, wanted) {
  const again = state.metric === metric && state.against === wanted;
  wish({ metric, order: "first", against: again ? START.against : wanted });
  if (!again) byId("table-title").scrollIntoView();
}

/** Which bar or position the table is filtered by. */
function showTallies() {
  for (const button of document.querySelectorAll("#tallies button")) {
    const { category, position } = button.dataset;
    const wanted = category === undefined ? position : `c${category}`;
    const own = button.closest(".tally").dataset.metric === state.metric;
    button.setAttribute("aria-pressed", String(own && state.against === wanted));
  }
}

/** Sentences are put on the table's cells when they are pointed at: thousands of them would make the page slow. */
function sayStanding(event) {
  const cell = event.target.closest("td.score");
  if (!cell || cell.title) return;
  const range = scoreRange(report.media[cell.parentElement.dataset.i], cell.dataset.metric);
  if (range !== null) cell.title = range.sentence ?? range.reason ?? "";
}

/** Columns that the exported table has for each score, where the run was compared with a population. */
function standingCells(medium, name) {
  if (against === null) return [];
  const range = scoreRange(medium, name);
  if (range === null || range.category === undefined) return [null, null, null];
  return [range.percentile, positionClass(range.position) || null, against.categories[range.category].toLowerCase().replace(" ", "_")];
}

const standingHeads = (name) => (against === null ? [] : [`${name}_percentile`, `${name}_position`, `${name}_category`]);

function wireCategories() {
  if (against === null) return;
  byId("media").addEventListener("pointerover", sayStanding);
  byId("tallies")?.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { category, position } = button.dataset;
    filterStanding(button.closest(".tally").dataset.metric, category === undefined ? position : `c${category}`);
  });
}
