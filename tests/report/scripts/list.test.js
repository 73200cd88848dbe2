// The list of media: what it is sorted and filtered by, and the address that keeps both.
import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import { medium, openPage, pageData, score } from "./page.js";

const CLUTTER = [-12, "much clutter: 40 edges"];
const WHITE = [9, "much white space: 60 %"];
const area = (type, facts = {}) => ({ id: type, type, label: "", box: [0, 0, 1, 1], scores: [], ...facts });
const media = [
  medium("ad 10.jpg", { brand: "zebrA", verdict: "attention", urgency: 2, scores: { focus: score(40, { drivers: [CLUTTER] }), load: score(10) }, areas: [area("face")], rules: [[0, 2, "no area", true], [1, 1, "heavy", true]] }),
  medium("ad 9.jpg", { paths: ["summer/ad 9.jpg", "copies/x.jpg"], brand: "Acme", verdict: "works", urgency: 9, objective: "brand_building", purpose: "brand_building", scores: { focus: score(80, { drivers: [WHITE] }), load: score(70) }, rules: [[0, 0, "fine", true], [1, 0, "fine", true]] }),
  medium("broken.jpg", { done: false, id: null, error_code: "damaged" }),
  medium("clip.mp4", { moves: true, kind: "video", verdict: "attention", urgency: 1, objective: "sell more", notes: [{ code: "short", message: "Short." }], unlike: 0.9, scores: { focus: score(null), load: score(30) }, rules: [[0, 1, "too long", true], [1, 0, "fine", true]] }),
];
const rules = [{ rule: "focus >= 30", name: "Branded", severity: "error", why: null }, { rule: "load <= 90", name: "Light", severity: "warning", why: null }];
openPage(pageData(media, { rules, purposes: { brand_building: "brand building" } }));

const views = "../../../mediaan/report/web/views";
const { report } = await import(`${views}/core/report.js`);
const { LIST_DEFAULTS, state } = await import(`${views}/core/state.js`);
const { currentAddress, restoreList } = await import(`${views}/filters/address.js`);
const { activeFilters, countFitting, fitsFilters, reasonsOf } = await import(`${views}/filters/filters.js`);
const { csvCell } = await import(`${views}/gallery/csv.js`);
const { csvText, jsonText } = await import(`${views}/gallery/export.js`);
const { compareMedia, isFalling, ordersOf, sortableFacts } = await import(`${views}/gallery/sorting.js`);

const [TEN, NINE, BROKEN, CLIP] = media.map(({ name }) => name);

function listed(changes) {
  Object.assign(state.list, LIST_DEFAULTS, changes);
  return report.media.map((_, i) => i).filter(fitsFilters).sort(compareMedia).map((i) => media[i].name);
}

beforeEach(() => { Object.assign(state.list, LIST_DEFAULTS); });

test("the list begins with what needs attention first", () => {
  assert.deepEqual(listed({}), [CLIP, TEN, NINE, BROKEN]);
  assert.deepEqual(listed({ order: "last" }), [NINE, TEN, CLIP, BROKEN]);
});

test("scores are sorted from the best, missing ones and failed files last in either order", () => {
  assert.deepEqual(listed({ sort: "focus", metric: "focus" }), [NINE, TEN, CLIP, BROKEN]);
  assert.deepEqual(listed({ sort: "focus", metric: "focus", order: "last" }), [TEN, NINE, CLIP, BROKEN]);
  assert.deepEqual(listed({ sort: "load", metric: "load" }), [TEN, CLIP, NINE, BROKEN], "lower is better");
  assert.equal(isFalling(), false);
});

test("names are sorted by their numbers, and those without a brand come last", () => {
  assert.deepEqual(listed({ sort: "name" }), [NINE, TEN, CLIP, BROKEN]);
  assert.deepEqual(listed({ sort: "brand" }), [NINE, TEN, CLIP, BROKEN]);
  assert.deepEqual(listed({ sort: "brand", order: "last" }), [TEN, NINE, CLIP, BROKEN]);
  assert.deepEqual(listed({ sort: "kind" }), [TEN, NINE, CLIP, BROKEN]);
});

test("only facts that differ between media can be sorted by", () => {
  assert.deepEqual(sortableFacts().map(([name]) => name), ["verdict", "brand", "purpose", "kind", "name"]);
  assert.deepEqual(Object.keys(ordersOf("focus")), ["first", "last"], "without a benchmark there is no percentile");
});

const FILTERS = [
  [{ text: "COPIES/" }, [NINE]],
  [{ text: "zebra" }, [TEN]],
  [{ text: "sell" }, [CLIP]],
  [{ status: "failed" }, [BROKEN]],
  [{ status: "noted" }, [CLIP]],
  [{ status: "unlike" }, [CLIP]],
  [{ kind: "videos" }, [CLIP]],
  [{ kind: "images" }, [TEN, NINE]],
  [{ purpose: "brand_building" }, [NINE]],
  [{ purpose: "sell more" }, [CLIP]],
  [{ purpose: "none" }, [TEN, BROKEN]],
  [{ brand: "Acme" }, [NINE]],
  [{ folder: "copies" }, [NINE]],
  [{ folder: "cop" }, []],
  [{ area: "face" }, [TEN]],
  [{ area: "no-face" }, [CLIP, NINE]],
  [{ rules: "failed" }, [CLIP]],
  [{ rules: "0" }, [CLIP]],
  [{ rules: "1" }, [TEN]],
  [{ rules: "warned" }, [TEN]],
  [{ rules: "skipped" }, [TEN]],
  [{ rules: "passed" }, [NINE]],
  [{ verdict: "attention" }, [CLIP, TEN]],
  [{ from: 40 }, [TEN, NINE]],
  [{ from: 40, to: 79 }, [TEN]],
  [{ metric: "load", to: 30 }, [CLIP, TEN]],
  [{ why: "much clutter" }, [TEN]],
  [{ why: "focus:much clutter" }, [TEN]],
  [{ why: "load:much clutter" }, []],
  [{ why: "much white space" }, []],
  [{ brand: "Acme", status: "noted" }, []],
];
for (const [changes, expected] of FILTERS) {
  test(`filtered by ${JSON.stringify(changes)}`, () => {
    assert.deepEqual(listed(changes), expected);
    assert.deepEqual(activeFilters().sort(), Object.keys(changes).filter((name) => name !== "metric").sort());
  });
}

test("a filter's count does not change the filters", () => {
  listed({ brand: "Acme" });
  assert.equal(countFitting("kind", "videos"), 1);
  assert.equal(state.list.kind, LIST_DEFAULTS.kind);
});

test("what lifts a score is no weakness", () => {
  assert.deepEqual([...reasonsOf(report.media[0])], ["much clutter"]);
  assert.deepEqual([...reasonsOf(report.media[1])], []);
});

const ADDRESSES = [
  ["look=table&sort=clarity&status=noted", { look: "table", sort: "clarity", metric: "clarity", status: "noted" }],
  ["score=load&from=60", { metric: "load", from: 60 }],
  ["search=a+b%26c", { text: "a b&c" }],
  ["sort=brand&order=last", { sort: "brand", order: "last" }],
];
for (const [address, expected] of ADDRESSES) {
  test(`the address ${address} is read and written`, () => {
    restoreList(address);
    assert.deepEqual(state.list, { ...LIST_DEFAULTS, ...expected });
    assert.equal(currentAddress(), `#media?${address}`);
  });
}

test("addresses of earlier versions still sort", () => {
  restoreList("order=name");
  assert.deepEqual([state.list.sort, state.list.order], ["name", "first"]);
  restoreList("sort=focus&order=name-last");
  assert.deepEqual([state.list.sort, state.list.order], ["name", "last"]);
});

test("an address that says nonsense shows the list as it begins", () => {
  restoreList("look=pie&sort=constructor&order=up&from=x&%E0%A4%A&shape=round&score=none");
  assert.deepEqual(state.list, LIST_DEFAULTS);
  assert.equal(currentAddress(), "/run/report/index.html");
});

test("a cell is quoted where it must be", () => {
  assert.deepEqual([null, undefined, 1.5, "plain", 'say "a", b', "two\nlines"].map(csvCell), ["", "", "1.5", "plain", '"say ""a"", b"', '"two\nlines"']);
});

test("CSV has a line for each path, JSON a record for each medium and the filters", () => {
  listed({ from: 40 });
  state.shown = [0, 1];
  const lines = csvText().trim().split("\r\n").map((line) => line.split(","));
  assert.deepEqual(lines.map(([name, path]) => [name, path]), [["name", "path"], [TEN, TEN], [NINE, "summer/ad 9.jpg"], [NINE, "copies/x.jpg"]]);
  const column = (line, name) => line[lines[0].indexOf(name)];
  assert.deepEqual(["focus", "focus_repeatability", "focus_lo", "clarity", "load"].map((name) => column(lines[1], name)), ["40", "6", "35", "", "10"]);
  const record = JSON.parse(jsonText());
  assert.deepEqual([record.run, record.shown, record.of, record.filters], ["A run", 2, 4, { from: 40 }]);
  assert.deepEqual(record.media.map(({ name }) => name), [TEN, NINE]);
  assert.deepEqual(record.media[0].scores.focus.drivers, [{ points: -12, text: "much clutter: 40 edges" }]);
});
