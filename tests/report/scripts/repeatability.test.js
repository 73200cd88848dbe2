// The ± beside a number.
import assert from "node:assert/strict";
import test from "node:test";
import { medium, openPage, pageData } from "./page.js";

openPage(pageData([]));
const { plusMinus, repeatability } = await import("../../../mediaan/report/web/views/scores/repeatability.js");
const image = medium("ad.png");

test("what a score moves lies on lines between the values at which it was measured, and stays at the ends", () => {
  assert.deepEqual([10, 20, 50, 60, 90].map((value) => repeatability("focus", value, image)), [3, 3, 7.5, 9, 9]); // 1.5 sd
});

test("it is not known of videos, of other metrics and without a value", () => {
  assert.equal(repeatability("focus", 50, medium("clip.mp4", { moves: true })), null);
  assert.equal(repeatability("hotspot_count", 2, image), null);
  assert.equal(repeatability("focus", null, image), null);
});

test("what is too small to be written is left out", () => {
  const show = (value) => value.toFixed(1);
  assert.deepEqual([7.51, 0.04, null].map((moves) => plusMinus(moves, show)), ["± 7.5", "", ""]);
});
