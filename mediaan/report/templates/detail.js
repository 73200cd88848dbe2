// The detail of one medium: its name and facts, scores, notes.

let current = null; // index of the open medium

function facts(medium) {
  const size = medium.size_bytes === null ? null : `${Math.max(1, Math.round(medium.size_bytes / 1000)).toLocaleString("en")} kB`;
  const pixels = medium.width === null ? null : `${medium.width} × ${medium.height} px`;
  const copies = medium.paths.length > 1 ? `the same ${medium.kind} in ${medium.paths.length} files` : null;
  const rate = medium.frame_rate === null ? null : `${Number(medium.frame_rate.toFixed(2))} frames a second`;
  const length = medium.moves ? clock(medium.duration_s) : null;
  const read = medium.share_read !== null && medium.share_read < 1 ? `${Math.floor(100 * medium.share_read)} % of the file could be read` : null;
  const objective = medium.objective ? `for ${medium.objective}` : null;
  const domain = domainWords(medium);
  const paths = medium.paths.length === 1 && medium.paths[0] === medium.name ? null : medium.paths.join(", ");
  return [paths, objective, domain, length, pixels, rate, medium.codec?.toUpperCase(), size, copies, read].filter(Boolean).join(" · ");
}

/** What attention was predicted for, and who says so. */
function domainWords(medium) {
  if (medium.domain === null) return null;
  if (medium.domain_probability === null) return `stated: ${medium.domain}`;
  return `taken for: ${/^[aeiou]/.test(medium.domain) ? "an" : "a"} ${medium.domain} (${Math.round(100 * medium.domain_probability)} %)`;
}

function standingWords(standing, metric, medium) {
  const aim = aimWords(metric, medium);
  if (standing.of === 1) return `${aim.charAt(0).toUpperCase()}${aim.slice(1)}.`;
  const range = standing.first < standing.last ? ` (${standing.first}–${standing.last})` : "";
  const best = metric.direction !== "middle" && metric.direction === aimFor(metric, medium).direction;
  const from = best ? "" : ` from the ${metric.direction === "lower" ? "lowest" : "highest"}`;
  return `Rank ${standing.rank}${range} of ${standing.of}${from}; ${aim}.`;
}

function scorePanel(metric, score, medium) {
  const head = element("h4", {}, aboutLink(metric), " ", element("span", { className: `badge ${score.basis}` }, score.basis));
  const panel = element("section", { className: "score-panel" });
  panel.dataset.metric = metric.name;
  if (score.value === null) {
    panel.append(head, element("p", { className: "no-value" }, `No value: ${score.reason ?? "not computed"}.`), element("p", { className: "fine" }, metric.caption));
  } else {
    const range = scoreRange(medium, metric.name);
    panel.append(element("header", {}, head, scoreValue(metric, score)), element("p", { className: "fine" }, metric.caption));
    if (range && !saidOnce(medium)) panel.append(standingBlock(metric, score, range));
    panel.append(...[driverList(metric, score, driverScale(medium)), besideRun(metric, score, medium, range)].filter(Boolean));
  }
  return panel;
}

/** Why nothing was compared, where it is the same for all scores, stands above them. */
function saidOnce(medium) {
  const groups = comparedGroups(medium);
  return groups.length === 1 && groups[0].range.category === undefined;
}

function scoreValue(metric, score) {
  const interval = score.lo === null ? "" : `${formatted(score.lo, metric)}–${formatted(score.hi, metric)}`;
  const words = ["score", "count"].includes(metric.unit) ? interval : `${interval} ${metric.unit}`;
  return element("p", { className: "value" }, element("b", {}, formatted(score.value, metric)), " ", element("span", { className: "interval" }, words));
}

/** Histogram and rank; folded where a population already says where the score stands. */
function besideRun(metric, score, medium, range) {
  const rank = score.standing ? element("p", { className: "standing" }, standingWords(score.standing, metric, medium)) : null;
  const folded = range !== null && range.category !== undefined;
  if (!folded) return element("div", { className: "beside-run" }, distribution(metric, score), rank);
  return element("details", { className: "beside-run" }, element("summary", {}, "Beside the other media of this run"), distribution(metric, score), rank);
}

/** The run's histogram with this medium's value and interval marked. */
function distribution(metric, score) {
  const figure = document.querySelector(`#cards [data-metric="${CSS.escape(metric.name)}"] .histogram`).cloneNode(true);
  const marker = bar(score, metric);
  marker.classList.replace("bar", "marker");
  const label = `${metric.title} among ${metric.n} media; this medium is marked`;
  const ends = element("span", { className: "ends" }, element("span", {}, `${metric.low}`), element("span", {}, `${metric.high}`));
  return element("div", { className: "distribution", role: "img", "aria-label": label }, element("div", { className: "plot" }, figure, marker), ends);
}

function showScores(medium) {
  const panels = report.metrics.filter((metric) => medium.scores[metric.name]).map((metric) => scorePanel(metric, medium.scores[metric.name], medium));
  byId("why-note").hidden = !Object.values(medium.scores).some((score) => score.drivers.length);
  byId("detail-scores").replaceChildren(...panels);
  showCompared(medium);
}

function showRemarks(medium) {
  byId("remarks").hidden = medium.remarks.length === 0;
  const items = medium.remarks.map((found) => element("li", { className: found.kind }, element("strong", {}, found.sentence)));
  byId("remarks").querySelector("ul").replaceChildren(...items);
}

function showNotes(medium) {
  byId("notes").hidden = medium.notes.length === 0;
  const items = medium.notes.map((note) => element("li", {}, element("code", {}, note.code), ` ${note.message}`));
  byId("notes").querySelector("ul").replaceChildren(...items);
}

function showDetail(index) {
  current = index;
  closeEditor();
  const medium = report.media[index];
  byId("detail-name").textContent = medium.name;
  byId("detail-facts").textContent = facts(medium);
  byId("unlike").hidden = medium.unlike === null;
  byId("unlike-share").textContent = medium.unlike === null ? "" : `${Math.min(100, 100 * medium.unlike).toFixed(1)} %`;
  showPictures(medium);
  showPlayer(medium);
  byId("maps-of").textContent = medium.kind;
  byId("player-keys").hidden = medium.timeline === null;
  showGist(medium);
  showScores(medium);
  showRules(medium, index);
  showRemarks(medium);
  showNotes(medium);
  showWindows(medium);
  showAreas(medium);
  showParts();
  showSteps();
}

/** The media that previous and next walk through: those in the table that have a detail, and the open one. */
function walk() {
  const open = shown.filter((index) => report.media[index].done && report.media[index].id);
  return open.includes(current) ? open : [current, ...open];
}

function showSteps() {
  const path = walk();
  const at = path.indexOf(current);
  byId("detail-place").textContent = `${at + 1} of ${path.length}`;
  byId("previous").disabled = at === 0;
  byId("next").disabled = at === path.length - 1;
}

function step(by) {
  const path = walk();
  const target = path[path.indexOf(current) + by];
  if (target !== undefined) location.replace(`#${report.media[target].id}`);
}
