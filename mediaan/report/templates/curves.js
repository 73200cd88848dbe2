// Scores over time: curves, their chips, and the cursor. Moments are seconds from the first frame.

const CURVES = ["focus", "cognitive_demand", "clarity", "engagement", "design", "memory"];
const WINDOW_S = 2; // length of the first and of the last look
const TICKS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
const FULL_CURVE = 480; // points; more are drawn as means with the band that they cover
const LINE_POINTS = 240;
const drawn = new Set(["focus", "cognitive_demand"]);

let timeline = null; // of the open medium; null for a picture
let now = 0; // the moment that is shown

/** As `12.4 s`, `1:02.4` or `1:02:03.4`. */
function clock(seconds, decimals = 1) {
  const unit = 10 ** decimals;
  const whole = Math.round(seconds * unit);
  const [hours, minutes] = [Math.floor(whole / unit / 3600), Math.floor(whole / unit / 60) % 60];
  const rest = ((whole % (60 * unit)) / unit).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

function share(seconds) {
  return Math.min(Math.max(seconds / timeline.end, 0), 1);
}

/** Index of the last of rising `times` that is not after a moment; the first, where all are. */
function lastUntil(times, seconds) {
  let [low, high] = [0, times.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= seconds + 1e-4) low = middle;
    else high = middle;
  }
  return low;
}

const pointAt = (seconds) => lastUntil(timeline.t, seconds);

function across(seconds) {
  return (1000 * share(seconds)).toFixed(1);
}

function up(value) {
  return (100 - value).toFixed(1);
}

/** The line through values at rising times; it breaks where a value is undefined. */
function line(times, values) {
  let drawing = "";
  let open = false;
  values.forEach((value, i) => {
    if (value !== null) drawing += `${open ? "L" : "M"}${across(times[i])} ${up(value)}`;
    // a sample without neighbours, and the last one, are drawn for as long as they stand
    if (value !== null && (i + 1 === values.length || (!open && values[i + 1] === null))) drawing += `H${across(times[i + 1] ?? timeline.end)}`;
    open = value !== null;
  });
  return drawing;
}

/** How many points go into one of the line's, where there are many. */
function grouped() {
  return timeline.t.length > FULL_CURVE ? Math.ceil(timeline.t.length / LINE_POINTS) : 1;
}

function curve(name) {
  const style = `curve of-${name} ${metricOf.get(name).basis}`;
  const values = timeline.series[name];
  if (grouped() === 1) return [shape("path", { class: style, d: line(timeline.t, values) })];
  const starts = timeline.t.map((_, i) => i).filter((i) => i % grouped() === 0);
  const groups = starts.map((i) => values.slice(i, i + grouped()).filter((value) => value !== null));
  const means = groups.map((group) => (group.length ? group.reduce((sum, value) => sum + value, 0) / group.length : null));
  const times = starts.map((i) => timeline.t[i]);
  const until = (i) => across(times[i + 1] ?? timeline.end);
  const boxes = groups.map((group, i) => (group.length ? `M${across(times[i])} ${up(Math.max(...group))}H${until(i)}V${up(Math.min(...group))}H${across(times[i])}z` : ""));
  return [
    shape("path", { class: `band of-${name}`, d: boxes.join("") }),
    shape("path", { class: style, d: line(times, means) }),
  ];
}

function shape(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function windowShade(from, to) {
  return shape("rect", { class: "window", x: 1000 * share(from), width: 1000 * (share(to) - share(from)), y: 0, height: 100 });
}

function curveNames() {
  return CURVES.filter((name) => metricOf.has(name) && timeline.series[name].some((value) => value !== null));
}

/** More scenes than there is room to tell apart. */
function isDense() {
  return timeline.scenes.start.length > 150;
}

function drawCurves() {
  const many = isDense() ? " many" : "";
  const cuts = timeline.scenes.start.slice(1).map((start) => `M${across(start)} 0V100`).join("");
  const lines = curveNames().filter((name) => drawn.has(name)).map(curve);
  // bands lie below all lines
  const [bands, curves] = ["band", "curve"].map((kind) => lines.flat().filter((part) => part.classList.contains(kind)));
  byId("curves").replaceChildren(
    windowShade(0, WINDOW_S),
    windowShade(Math.max(0, timeline.end - WINDOW_S), timeline.end),
    shape("path", { class: "grid", d: "M0 0H1000M0 50H1000M0 100H1000" }),
    shape("path", { class: `cuts${many}`, d: cuts }),
    ...bands,
    ...curves,
  );
}

function drawTimes() {
  const narrow = byId("chart").clientWidth < 520;
  const step = TICKS_S.find((tick) => timeline.end / tick <= (narrow ? 4 : 9)) ?? 3600 * Math.ceil(timeline.end / 3600 / 9);
  const ticks = [];
  for (let i = 0; i * step <= timeline.end * 0.97; i += 1) {
    ticks.push(element("span", { style: `left:${100 * share(i * step)}%` }, clock(i * step, step < 1 ? 1 : 0)));
  }
  byId("times").replaceChildren(...ticks);
}

function chip(name) {
  const metric = metricOf.get(name);
  const button = element("button", { type: "button", className: `chip of-${name}` });
  button.dataset.curve = name;
  const parts = [element("i", { className: metric.basis }), element("span", {}, metric.title), proxyBadge(name), element("b")];
  button.append(...parts.filter(Boolean));
  button.title = metric.caption;
  button.addEventListener("click", () => toggleCurve(name));
  return button;
}

function toggleCurve(name) {
  if (!drawn.delete(name)) drawn.add(name);
  showChosen();
}

/** Curves, and the columns of the list of scenes that a phone has room for. */
function showChosen() {
  drawCurves();
  for (const button of byId("chips").children) button.setAttribute("aria-pressed", String(drawn.has(button.dataset.curve)));
  for (const cell of document.querySelectorAll("#scene-list [data-curve]")) cell.classList.toggle("drawn", drawn.has(cell.dataset.curve));
  showValues();
}

/** Numbers and cursor of the moment `now`. */
function showValues() {
  const i = pointAt(now);
  const scene = sceneAt(now);
  const names = curveNames();
  const values = names.map((name) => [name, timeline.series[name][i]]);
  byId("moment-time").textContent = clock(now);
  byId("moment-scene").textContent = `of ${clock(timeline.end)} · scene ${scene + 1} of ${timeline.scenes.start.length}`;
  for (const [name, value] of values) document.querySelector(`#chips .of-${name} b`).textContent = value === null ? "–" : formatted(value, metricOf.get(name));
  const dots = values.filter(([name, value]) => value !== null && drawn.has(name));
  byId("dots").replaceChildren(...dots.map(([name, value]) => element("i", { className: `of-${name}`, style: `left:${100 * share(now)}%;top:${100 - value}%` })));
  byId("moments").style.setProperty("--now", `${100 * share(now)}%`);
  byId("moment").value = i;
  const words = dots.map(([name, value]) => `${metricOf.get(name).title} ${formatted(value, metricOf.get(name))}`);
  byId("moment").setAttribute("aria-valuetext", [clock(now), `scene ${scene + 1}`, ...words].join(", "));
  markScene(scene);
  showAreasNow();
}

function curvesNote() {
  const note = ["Shaded: the first and the last two seconds.", "Vertical lines: cuts. Dashed curves are proxies."];
  const point = timeline.pooled * timeline.interval;
  if (timeline.pooled > 1) {
    note.push(`Numbers at the cursor are means of ${timeline.pooled} samples (${point.toFixed(1)} s); the table frames holds every one.`);
  }
  if (grouped() > 1) note.push(`The line is the mean of ${Math.round(grouped() * point)} s at a time, the band around it the range of the numbers.`);
  return note.join(" ");
}

function showCurves() {
  byId("moment").max = timeline.t.length - 1;
  byId("chips").replaceChildren(...curveNames().map(chip));
  byId("curves-note").textContent = curvesNote();
  drawTimes();
  showChosen();
}
