// Moments of a video, areas that move with it, and areas that are edited.
import assert from "node:assert/strict";
import test from "node:test";
import { curvePaths, linePath } from "../../../mediaan/report/web/views/player/paths.js";
import { medium, openPage, pageData } from "./page.js";

// seen at 0, 0.5, 1, 2, 2.5 and 3 s; as the page packs it, in hundredths of a second and tenths of a side
const track = { t: [0, 50, 2, 100, 1, 50, 2], spans: [[0, 1.5], [2, 3.5]], keys: [0, 0, 0, 2, 2, 2, 4, 4, 6, 6, 3, 4, 4, 6, 6, 5, 8, 8, 10, 10] };
const moving = { id: "a", type: "face", label: "", box: [0, 0, 0.2, 0.2], track, scores: [] };
const timed = { id: "b", type: "face", label: "", box: [0.1, 0.1, 0.3, 0.3], t0: 1, t1: 2, scores: [] };
openPage(pageData([medium("clip.mp4", { moves: true, kind: "video", areas: [moving, timed] })]));

const views = "../../../mediaan/report/web/views";
const { report } = await import(`${views}/core/report.js`);
const { state } = await import(`${views}/core/state.js`);
const { boxAt, sightings, spansOf } = await import(`${views}/areas/tracks.js`);
const { lastUntil, pointAt, sceneAt } = await import(`${views}/player/timeline.js`);
const { areaRecord, areasFile, draftOf, moveThrough, recordList, shortLabel } = await import(`${views}/editor/drafts.js`);
const { bounds } = await import(`${views}/editor/boxes.js`);
const { bySize, isInside, movedBy, outlineDistance, resizedBy, withCorner } = await import(`${views}/editor/geometry.js`);

const [area, drawn] = report.media[0].areas;
report.areas.longest_label = 5;
const near = (box) => box?.map((side) => Math.round(1e6 * side) / 1e6) ?? null;

test("a moment belongs to the last sample and scene that are not after it", () => {
  state.timeline = { t: [0, 0.5, 1], end: 1.5, scenes: { start: [0, 0.6], end: [0.6, 1.5], at: [0, 1] } };
  assert.deepEqual([-1, 0, 0.49, 0.5, 9].map(pointAt), [0, 0, 0, 1, 2]);
  assert.deepEqual([0.9, 1].map(sceneAt), [0, 1], "a scene is entered at its first sample");
  assert.equal(lastUntil([0, 0.5], 0.49995), 1, "times are rounded");
});

test("an area lies between the boxes that are kept, and nowhere while it is not seen", () => {
  const boxes = [0, 0.5, 1, 1.2, 1.5, 1.99, 2, 2.5, 3.5].map((seconds) => near(boxAt(area, seconds)));
  assert.deepEqual(boxes, [[0, 0, 0.2, 0.2], [0.2, 0.2, 0.4, 0.4], [0.4, 0.4, 0.6, 0.6], [0.4, 0.4, 0.6, 0.6], null, null, [0.4, 0.4, 0.6, 0.6], [0.6, 0.6, 0.8, 0.8], null]);
  assert.deepEqual(sightings(area).map(({ t }) => t), [0, 0.5, 1, 2, 2.5, 3]);
});

test("an area without a track is there for its time, or always", () => {
  assert.deepEqual([0.9, 1, 1.99, 2].map((seconds) => boxAt(drawn, seconds) !== null), [false, true, true, false]);
  assert.deepEqual(spansOf({ ...drawn, t0: undefined, t1: undefined }, 7), [[0, 7]]);
});

const item = (facts) => ({ key: 1, type: "face", label: "", box: [0.2, 0.2, 0.4, 0.6], polygon: null, t0: null, t1: null, found: null, ...facts });
const still = { medium: medium("ad.jpg"), list: [], start: [], saved: [], past: [], future: [] };

test("an area is moved and made larger within the image, and its polygon with it", () => {
  state.editor.draft = still;
  assert.deepEqual(near(movedBy(item(), 0.1, -0.1).box), [0.3, 0.1, 0.5, 0.5]);
  assert.deepEqual(near(movedBy(item(), 5, -5).box), [0.8, 0, 1, 0.4]);
  assert.deepEqual(near(resizedBy(item(), "se", 0.2, 5).box), [0.2, 0.2, 0.6, 1]);
  assert.deepEqual(near(resizedBy(item(), "nw", 5, 0).box), [0.395, 0.2, 0.4, 0.6], "no smaller than half a percent");
  const triangle = item({ polygon: [[0.2, 0.2], [0.4, 0.2], [0.4, 0.6]] });
  assert.deepEqual(resizedBy(triangle, "e", 0.2, 0).polygon, [[0.2, 0.2], [0.6, 0.2], [0.6, 0.6]]);
  assert.deepEqual(withCorner(triangle, 2, [2, 0.9]).box, [0.2, 0.2, 1, 0.9]);
  assert.equal(withCorner(triangle, 2, [0.3, 0.2]), triangle, "corners on one line are no polygon");
});

test("a point means the smallest area that it lies in, and a polygon is not its box", () => {
  state.editor.draft = still;
  const [large, small] = [item({ box: [0, 0, 1, 1] }), item()];
  assert.equal(bySize([large, small], (one) => isInside(one, [0.3, 0.3]))[0], small);
  assert.equal(bySize([large, small], (one) => isInside(one, [0.9, 0.3]))[0], large);
  const triangle = item({ polygon: [[0, 0], [1, 0], [1, 1]] });
  assert.deepEqual([[0.9, 0.5], [0.1, 0.5]].map((point) => isInside(triangle, point)), [true, false]);
  assert.equal(outlineDistance(large, [0.5, 0.1], { width: 100, height: 200 }), 20);
  assert.deepEqual(bounds([[0.3, 0.1], [0.2, 0.9]]), [0.2, 0.1, 0.3, 0.9]);
});

test("what was not moved keeps its identity and its track, what was moved its times alone", () => {
  const draft = draftOf(report.media[0]);
  const [kept, other] = draft.list;
  const record = areaRecord({ ...kept, label: "A long label" }, draft.medium);
  assert.deepEqual([record.aoi_id, record.label, record.track.length, record.track[2]], ["a", "A lon", 6, [1, 0.4, 0.4, 0.6, 0.6, 1]]);
  state.editor.draft = draft;
  const moved = areaRecord(movedBy(other, 0.1, 0), draft.medium);
  assert.deepEqual([moved.aoi_id, moved.track, moved.t0_s, moved.t1_s, moved.box], ["b", undefined, 1, 2, [0.2, 0.1, 0.4, 0.3]]);
  assert.equal(shortLabel("👍👍👍👍👍👍"), "👍👍👍👍👍");
});

test("changes are undone and done again, and a new one ends what was undone", () => {
  globalThis.sessionStorage = { setItem() {} };
  const draft = draftOf(report.media[0]);
  const lists = [draft.list, draft.list.slice(1), []];
  recordList(draft, lists[1]);
  recordList(draft, lists[1]);
  recordList(draft, lists[2]);
  assert.equal(areasFile([draft]), '{\n"clip.mp4": []\n}\n');
  assert.ok(moveThrough(draft, draft.past, draft.future) && moveThrough(draft, draft.past, draft.future));
  assert.equal(draft.list, lists[0]);
  assert.equal(moveThrough(draft, draft.past, draft.future), false);
  assert.ok(moveThrough(draft, draft.future, draft.past));
  assert.equal(draft.list, lists[1]);
  recordList(draft, lists[0]);
  assert.equal(draft.future.length, 0);
});

test("a curve breaks where a value is undefined, and what stands alone is drawn for its time", () => {
  assert.equal(linePath([0, 1, 2, 3], [10, 60, null, 40], 4), "M0.0 90.0L250.0 40.0M750.0 60.0H1000.0");
  assert.equal(linePath([0, 1, 2], [null, 50, null], 4), "M250.0 50.0H500.0");
  assert.equal(linePath([0, 1], [null, null], 2), "");
});

test("many points are drawn as means with the band that they cover", () => {
  const times = Array.from({ length: 1000 }, (_, i) => i);
  const values = times.map((i) => (i < 5 ? null : i % 2 ? 40 : 60));
  const { line, band } = curvePaths(times, values, 1000);
  assert.ok(line.startsWith("M5.0 52.0L10.0 48.0"), "five points each, the first five undefined");
  assert.ok(band.startsWith("M5.0 40.0H10.0V60.0H5.0zM10.0 40.0H15.0V60.0H10.0z"));
  assert.equal(curvePaths([0, 1], [50, 50], 2).band, null);
});
