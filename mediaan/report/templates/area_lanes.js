// When areas are visible: a lane each under the curves of a video.

const FEW_LANES = 8;
let allLanes = false;

function laneBlock([from, to], area) {
  const block = element("i", { className: `type-${area.type}` });
  Object.assign(block.style, { left: `${100 * share(from)}%`, width: `${100 * (share(to) - share(from))}%` });
  return block;
}

function lane(area, i) {
  const name = `${i + 1} ${areaTitle.get(area.type)}${area.label ? `: ${areaName(area)}` : ""}`;
  const made = element("div", { className: "lane", title: name }, element("span", {}, `${i + 1}`));
  made.dataset.area = i;
  made.append(...spansOf(area, timeline.end).map((span) => laneBlock(span, area)));
  made.addEventListener("click", (event) => {
    const box = made.getBoundingClientRect();
    picked = i;
    showMoment(timeline.t[pointAt(((event.clientX - box.left) / box.width) * timeline.end)]);
  });
  return made;
}

function showLanes(medium) {
  const shown = medium.areas.map((area, i) => [area, i]).filter(([area]) => !hiddenTypes.has(area.type));
  const many = timeline !== null && shown.length > FEW_LANES;
  byId("all-lanes").hidden = !many;
  byId("all-lanes").textContent = allLanes ? "Fewer lanes" : `All ${shown.length} areas`;
  const lanes = timeline === null ? [] : shown.slice(0, many && !allLanes ? FEW_LANES : shown.length).map((one) => lane(...one));
  byId("lanes").replaceChildren(...lanes, ...(lanes.length ? [element("i", { className: "cursor" })] : []));
}

function toggleLanes() {
  allLanes = !allLanes;
  showLanes(report.media[current]);
}
