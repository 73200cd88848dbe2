// Scenes: the strip under the curves, and the list.

const LONG_LIST = 12; // scenes; a longer list is folded
const BEGINS = { start: "start", cut: "cut", fade: "fade" };

/** Scene of a moment: a sample belongs to the last scene whose first sample is not after it. */
function sceneAt(seconds) {
  return lastUntil(timeline.scenes.at, seconds);
}

function showStrip() {
  const { start, end } = timeline.scenes;
  const blocks = start.map((from, i) => {
    const block = element("i", { style: `left:${100 * share(from)}%;width:${100 * (share(end[i]) - share(from))}%` });
    if (end[i] - from > timeline.end / 28) block.textContent = `${i + 1}`;
    return block;
  });
  byId("scene-strip").classList.toggle("many", isDense());
  byId("scene-strip").replaceChildren(...blocks, element("i", { className: "cursor" }));
}

let marked = -1;

function markScene(scene) {
  if (scene === marked) return;
  marked = scene;
  document.querySelectorAll("#scene-strip .open").forEach((block) => block.classList.remove("open"));
  document.querySelectorAll("#scene-list [aria-current]").forEach((row) => row.removeAttribute("aria-current"));
  byId("scene-strip").children[scene]?.classList.add("open");
  byId("scene-list").querySelectorAll("tbody tr")[scene]?.setAttribute("aria-current", "true");
}

function sceneHead(names) {
  const cells = names.map((name) => {
    const cell = element("th", { scope: "col" }, metricOf.get(name).title, " ", proxyBadge(name));
    cell.dataset.curve = name;
    return cell;
  });
  return element("tr", {}, ...["Scene", "Start", "End", "Begins with"].map((text) => element("th", { scope: "col" }, text)), ...cells);
}

function sceneRow(i, names) {
  const { start, end, begins, scores } = timeline.scenes;
  const jump = element("button", { type: "button", "aria-label": `Go to scene ${i + 1}` }, `${i + 1}`);
  const cells = names.map((name) => {
    const value = scores[name][i];
    const cell = element("td", {}, value === null ? "–" : formatted(value, metricOf.get(name)));
    cell.dataset.curve = name;
    return cell;
  });
  const row = element("tr", {}, element("th", { scope: "row" }, jump), element("td", {}, clock(start[i])), element("td", {}, clock(end[i])), element("td", {}, BEGINS[begins[i]] ?? begins[i]), ...cells);
  row.addEventListener("click", () => toScene(i));
  return row;
}

function showSceneList() {
  const n = timeline.scenes.start.length;
  const names = CURVES.filter((name) => metricOf.has(name));
  const list = byId("scene-list");
  list.open = n <= LONG_LIST;
  list.querySelector("summary").textContent = n === 1 ? "One scene" : `${n} scenes`;
  list.querySelector("thead").replaceChildren(sceneHead(names));
  list.querySelector("tbody").replaceChildren(...timeline.scenes.start.map((_, i) => sceneRow(i, names)));
}

function toScene(i) {
  if (i >= 0 && i < timeline.scenes.at.length) showMoment(timeline.scenes.at[i]);
}

function showScenes() {
  marked = -1;
  showStrip();
  showSceneList();
}
