import assert from "node:assert/strict";
import test from "node:test";
import { clock, formatValue, percentWords, signed, unbroken, withFullStop } from "../../../mediaan/report/web/views/core/format.js";

test("times have hours only where there are some, and round up to the next minute", () => {
  assert.deepEqual([0, 9.96, 12.34, 59.96, 62.4, 3599.96, 3723.4].map((seconds) => clock(seconds)), ["0:00.0", "0:10.0", "0:12.3", "1:00.0", "1:02.4", "1:00:00.0", "1:02:03.4"]);
  assert.equal(clock(61.6, 0), "1:02");
});

test("points have a sign, and tenths below one", () => {
  assert.deepEqual([12.4, -3.6, 0.94, -0.31, 0.95, 0.04, -0.04, 0].map(signed), ["+12", "−4", "+0.9", "−0.3", "+1", "0", "0", "0"]);
});

test("a count of an image is whole, and that of a video an average", () => {
  const [count, score] = [{ unit: "count", decimals: 1 }, { unit: "score", decimals: 0 }];
  assert.deepEqual([formatValue(3, count), formatValue(2.5, count), formatValue(64.5, score)], ["3", "2.5", "65"]);
});

test("a percentile is rounded down, so that it never reaches the next category", () => {
  assert.deepEqual([0, 0.9, 1, 69.9, 100].map(percentWords), ["fewer than 1 %", "fewer than 1 %", "1 %", "69 %", "100 %"]);
});

test("sentences end once, and a number keeps its unit", () => {
  assert.deepEqual([withFullStop("No score"), withFullStop("No score."), withFullStop(null)], ["No score.", "No score.", ""]);
  assert.equal(unbroken("34 % of 5 s"), "34\u00a0% of 5\u00a0s");
});
