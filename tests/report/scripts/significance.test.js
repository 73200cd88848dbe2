// The formulas are compared with Python's in tests/report/gallery/test_side_by_side_browser.py.
import assert from "node:assert/strict";
import test from "node:test";
import { correctFamilies, subtract } from "../../../mediaan/report/web/views/compare/significance.js";

test("headline scores and details are corrected each among themselves", () => {
  const made = [[0.04, true], [0.04, false], [0.04, false], [null, true], [0.06, true]].map(([p, headline]) => ({ p, headline }));
  const proven = () => made.map((difference) => difference.proven ?? null);
  assert.deepEqual(correctFamilies(made, 0.1), [2, 2]);
  assert.deepEqual(proven(), [true, true, true, null, true]);
  made[0].headline = false;
  assert.deepEqual(correctFamilies(made, 0.1), [1, 3]);
  assert.deepEqual(proven(), [false, false, false, null, true]);
});

test("without an interval nothing is said of chance, and no difference is wider than it can be", () => {
  const [a, b] = [{ value: 90, lo: 60, hi: 100 }, { value: 10, lo: 0, hi: 40 }];
  assert.deepEqual(subtract({ ...a, lo: null }, b, { z90: 1.645 }), { value: 80, lo: null, hi: null, probability: null, p: null });
  assert.ok(subtract(a, b, { z90: 1.645 }).lo < 50);
  assert.equal(subtract(b, { value: 100, lo: 100, hi: 100 }, { z90: 1.645, widest: 95 }).lo, -95);
});
