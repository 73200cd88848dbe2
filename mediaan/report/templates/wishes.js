// What the reader wishes to see of all media: the filters, the controls that set them, and the address that keeps them.

const START = { look: "table", metric: report.metrics[0]?.name, order: "first", text: "", status: "all", kind: "all", purpose: "all", domain: "all", folder: "", area: "all", against: "all", rules: "all", why: "all", from: null, to: null };
Object.assign(state, START);
const IN_ADDRESS = { look: "look", sort: "metric", order: "order", search: "text", status: "status", kind: "kind", for: "purpose", domain: "domain", folder: "folder", area: "area", standing: "against", rules: "rules", why: "why", from: "from", to: "to" };
const CONTROLS = { text: "text", status: "status", kind: "kind", purpose: "purpose", domain: "domain", folder: "folder", area: "area", against: "against", rules: "rules-filter", why: "why", from: "from", to: "to" };
const LIST = "media?"; // an address that begins so says what the list shows
const PUSHES = 0.5; // points: less says nothing
const MOST_REASONS = 30;
const MOST_FOLDERS = 60;

const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Whether a push of a driver takes a score away from what is good for the medium. */
function holdsBack([points], metric, medium) {
  const sign = { higher: -1, lower: 1, middle: 0 }[aimFor(metric, medium).direction];
  return points * sign > PUSHES;
}

/** What holds a medium back, in words such as `much clutter`; in one score or in all. */
function reasonsOf(medium, only = null) {
  const metrics = report.metrics.filter((metric) => medium.scores[metric.name] && (only === null || metric.name === only));
  const found = metrics.flatMap((metric) => medium.scores[metric.name].drivers.filter((driver) => holdsBack(driver, metric, medium)));
  return new Set(found.map(([, text]) => text.split(":")[0]));
}

/** A reason is wished for in any score, as `much clutter`, or in one, as `clarity:much clutter`. */
function hasReason(medium, wished) {
  const [words, only = null] = wished.split(":").reverse();
  return reasonsOf(medium, only).has(words);
}

function fitsArea(medium) {
  const absent = state.area.startsWith("no-");
  const type = absent ? state.area.slice(3) : state.area;
  return medium.done && medium.areas.some((area) => area.type === type) !== absent;
}

const FITS = {
  text: (medium) => medium.paths.concat(medium.name).some((path) => path.toLowerCase().includes(state.text.toLowerCase())),
  status: (medium) => ({ done: medium.done, failed: !medium.done, noted: medium.notes.length > 0, unlike: medium.unlike !== null })[state.status] ?? true,
  kind: (medium) => medium.done && medium.moves === (state.kind === "videos"),
  purpose: (medium) => (state.purpose === "none" ? !medium.objective : [medium.purpose, medium.objective].includes(state.purpose)),
  domain: (medium) => medium.domain === state.domain,
  folder: (medium) => medium.paths.some((path) => `${folderOf(path)}/`.startsWith(`${state.folder}/`)),
  area: fitsArea,
  against: (_, index) => fitsStanding(index),
  rules: (_, index) => fitsRules(index),
  why: (medium) => hasReason(medium, state.why),
  from: (_, index) => valueOf(index) !== null && valueOf(index) >= state.from,
  to: (_, index) => valueOf(index) !== null && valueOf(index) <= state.to,
};

const active = () => Object.keys(FITS).filter((name) => state[name] !== START[name]);

const fits = (index) => active().every((name) => FITS[name](report.media[index], index));

// ---- controls

function number(input) {
  return input.value === "" || Number.isNaN(input.valueAsNumber) ? null : input.valueAsNumber;
}

function readFilters() {
  for (const [name, id] of Object.entries(CONTROLS)) {
    const control = byId(id);
    if (control) state[name] = control.type === "number" ? number(control) : control.value.trim();
  }
  showFiltered();
}

/** The controls say what is wished for; a wish that a link brought and that is on no list is put there. */
function writeFilters() {
  for (const [name, id] of Object.entries(CONTROLS)) {
    const control = byId(id);
    if (!control) continue;
    control.value = state[name] ?? "";
    if (control.value !== `${state[name] ?? ""}`) {
      control.append(element("option", { value: state[name] }, reasonWords(state[name])));
      control.value = state[name];
    }
  }
}

function reasonWords(wished) {
  const [words, only] = wished.split(":").reverse();
  return only === undefined ? words : `${words}, in ${metricOf.get(only)?.title ?? only}`;
}

function showFiltered() {
  showList();
  showWished();
  showTallies();
  showRuleCounts();
}

/** What a filter is set to, in the words of its control. */
function wishWords(name) {
  const control = byId(CONTROLS[name]);
  const title = control?.closest("label").querySelector("span").textContent ?? name;
  if (name === "text") return `“${state.text}”`;
  if (name === "from") return `${metricOf.get(state.metric).title} from ${state.from}`;
  if (name === "to") return `${metricOf.get(state.metric).title} to ${state.to}`;
  return `${title}: ${control?.selectedOptions?.[0]?.textContent ?? state[name]}`;
}

/** One button for each filter that is set: it takes that filter away. */
function showWished() {
  const names = active();
  byId("wished").hidden = names.length === 0;
  byId("filters").querySelector("summary").textContent = names.length ? `Filters (${names.length})` : "Filters";
  byId("wished").replaceChildren(...names.flatMap((name) => [wishButton(name), " "]), names.length > 1 ? clearButton() : "");
}

function wishButton(name) {
  const button = element("button", { type: "button", className: "wish", title: "Take this filter away" }, `${wishWords(name)} `, element("span", { "aria-hidden": "true" }, "×"));
  button.addEventListener("click", () => wish({ [name]: START[name] }));
  return button;
}

function clearButton() {
  const button = element("button", { type: "button", className: "quiet" }, "Clear all");
  button.addEventListener("click", clearFilters);
  return button;
}

function wish(wishes) {
  Object.assign(state, wishes);
  writeFilters();
  show();
  showRuleCounts();
  keepAddress();
}

const noFilters = () => Object.fromEntries(Object.keys(FITS).map((name) => [name, START[name]]));

const clearFilters = () => wish(noFilters());

// ---- address

/** The address of a list: `#media?look=gallery&sort=clarity&status=noted`; the keys are those of IN_ADDRESS. */
function listAddress(wishes) {
  const words = new URLSearchParams(Object.entries(wishes).filter(([, value]) => value !== null && value !== undefined));
  return `#${LIST}${words}`;
}

/** The address of what is shown; none where it is what the page opens with. */
function currentAddress() {
  const wishes = Object.entries(IN_ADDRESS).filter(([, name]) => state[name] !== START[name]).map(([key, name]) => [key, state[name]]);
  return wishes.length ? listAddress(Object.fromEntries(wishes)) : location.pathname + location.search;
}

/** Put what is shown into the address: a step of its own to go back to, but for each letter that is typed. */
function keepAddress(typed = false) {
  const address = currentAddress();
  const own = location.hash === "" || location.hash.startsWith(`#${LIST}`);
  if (address === (own && location.hash ? location.hash : location.pathname + location.search)) return;
  history[typed && own && location.hash ? "replaceState" : "pushState"](null, "", address);
}

let typing = null;

/** Browsers count the changes of an address: those of a word that is typed are one. */
function keepTyped() {
  clearTimeout(typing);
  typing = setTimeout(keepAddress, 400, true);
}

/** Values of controls that the address of a list may hold; anything else in it is left out. */
function stateOf(address) {
  const found = { ...START };
  for (const [key, value] of new URLSearchParams(address)) {
    const name = IN_ADDRESS[key];
    if (name === undefined || (name === "metric" && !metricOf.has(value))) continue;
    if (name !== "from" && name !== "to") found[name] = value;
    else if (value !== "" && Number.isFinite(Number(value))) found[name] = Number(value);
  }
  if (!["table", "gallery"].includes(found.look)) found.look = START.look;
  if (![...byId("order").options].some((option) => option.value === found.order)) found.order = START.order;
  return found;
}

function restoreList(address) {
  Object.assign(state, stateOf(address));
  writeFilters();
  show();
  showRuleCounts();
}

/** Show the media that fit some wishes, and no other filter: `filterBy({ why: "much clutter", look: "gallery" })`. */
function filterBy(wishes) {
  wish({ ...noFilters(), ...wishes });
  byId("all-media").scrollIntoView();
}

// ---- what there is to filter by

/** A filter is offered where it tells media apart. */
function fillOptions(id, options, fewest = 2) {
  const control = byId(id);
  control.append(...options.map(([value, words]) => element("option", { value }, words)));
  control.closest("label").hidden = options.length < fewest;
}

/** What media are meant for: in all its words, and where these differ, by purpose alone. */
function purposeOptions() {
  const done = report.media.filter((medium) => medium.done);
  const said = [...new Set(done.map((medium) => medium.objective).filter(Boolean))].sort(collator.compare);
  const purposes = Object.keys(report.purposes).filter((name) => said.length > 1 && done.some((medium) => medium.purpose === name && medium.objective !== report.purposes[name]));
  const none = said.length && done.some((medium) => !medium.objective) ? [["none", "Not stated"]] : [];
  return [...purposes.map((name) => [name, `Any ${report.purposes[name]}`]), ...said.map((words) => [words, words]), ...none];
}

function domainOptions() {
  const domains = [...new Set(report.media.map((medium) => medium.domain).filter(Boolean))].sort(collator.compare);
  return domains.map((domain) => [domain, domain]);
}

function folderOptions() {
  const folders = [...new Set(report.media.flatMap((medium) => medium.paths.map(folderOf)))].filter(Boolean);
  const named = folders.length <= MOST_FOLDERS ? folders : [...new Set(folders.map((folder) => folder.split("/")[0]))];
  return named.length > MOST_FOLDERS ? [] : named.sort(collator.compare).map((folder) => [folder, folder]);
}

/** What holds most media back first. */
function reasonOptions() {
  const counts = new Map();
  for (const medium of report.media) for (const words of reasonsOf(medium)) counts.set(words, (counts.get(words) ?? 0) + 1);
  const most = [...counts].sort(([a, n], [b, m]) => m - n || collator.compare(a, b)).slice(0, MOST_REASONS);
  return most.map(([words, n]) => [words, `${words} (${n})`]);
}

function wireWishes() {
  fillOptions("purpose", purposeOptions());
  fillOptions("domain", domainOptions());
  fillOptions("folder", folderOptions());
  fillOptions("why", reasonOptions(), 1);
  byId("toolbar").addEventListener("submit", (event) => event.preventDefault());
  for (const id of Object.values(CONTROLS)) {
    const control = byId(id);
    if (control === null) continue;
    const typed = control.tagName === "INPUT";
    control.addEventListener(typed ? "input" : "change", () => { readFilters(); (typed ? keepTyped : keepAddress)(); });
  }
  byId("metric").addEventListener("change", () => choose(byId("metric").value));
  byId("order").addEventListener("change", () => choose(state.metric, byId("order").value));
  byId("reset").addEventListener("click", clearFilters);
  byId("filters").open = matchMedia("(min-width: 761px)").matches;
}
