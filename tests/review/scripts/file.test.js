// A review without a server: what its answers make of the areas of a file.
import assert from "node:assert/strict";
import test from "node:test";
import { answeredRecords, fileBackend } from "../../../mediaan/review/page/file.js";

const LOGO = { aoi_id: "logo", type: "branding", label: "Acme", box: [0.1, 0.1, 0.2, 0.2] };
const OTHER_LOGO = { aoi_id: "other", type: "branding", label: "", box: [0.5, 0.5, 0.6, 0.6] };
const TEXT = { aoi_id: "text", type: "headline_text", label: "Sale", box: [0, 0.8, 1, 0.9], is_text: true };
const FACE = { aoi_id: "face", type: "face", label: "", box: [0, 0, 0.1, 0.1] };
const RECORDS = [LOGO, OTHER_LOGO, TEXT];

const asks = (type, ...proposals) => ({ id: `m.${type}`, medium_id: "m", type, verdict: { status: "open", text: "" }, areas: [], proposals: proposals.map((area_id, i) => ({ number: i + 1, area_id, label: "new", box: [0.3, 0.3, 0.1, 0.2] })) });
const says = (type, answer, facts = {}) => ({ question: `m.${type}`, answer, numbers: [], boxes: [], type, brand: "Acme", ...facts });
const short = (records) => records.map(({ aoi_id, type, source, none }) => [aoi_id ?? null, type, none ? "none" : source ?? "as found"]);

test("what is picked is confirmed, and others of its type are gone", () => {
  const records = answeredRecords(RECORDS, asks("branding", "logo", null), says("branding", "pick", { numbers: [1] }));
  assert.deepEqual(short(records), [["text", "headline_text", "as found"], ["logo", "branding", "confirmed"]]);
  const proposed = answeredRecords(RECORDS, asks("branding", "logo", null), says("branding", "pick", { numbers: [2] })).at(-1);
  assert.deepEqual(proposed, { type: "branding", label: "Acme", box: [0.3, 0.3, 0.4, 0.5], source: "confirmed" });
});

test("a text that is no headline stays a text, and one that is picked becomes what was asked", () => {
  assert.deepEqual(short(answeredRecords(RECORDS, asks("headline_text", "text"), says("headline_text", "none"))).slice(2), [["text", "body_text", "as found"], [null, "headline_text", "none"]]);
  const picked = answeredRecords(RECORDS, asks("call_to_action", "text"), says("call_to_action", "pick", { numbers: [1] }));
  assert.deepEqual(short(picked).at(-1), ["text", "call_to_action", "confirmed"]);
  assert.equal(picked.length, 3);
  const mark = answeredRecords(RECORDS, asks("branding", "text"), says("branding", "pick", { numbers: [1] })).at(-1);
  assert.deepEqual([mark.aoi_id, mark.label], ["text", "Acme"], "a mark has the name of its brand");
});

test("drawn boxes are confirmed areas within the picture", () => {
  const drawn = answeredRecords([], asks("branding"), says("branding", "draw", { boxes: [[0.9, 0.5, 0.1000001, 0.1]] }));
  assert.deepEqual(drawn, [{ type: "branding", label: "Acme", box: [0.9, 0.5, 1, 0.6], source: "confirmed" }]);
});

test("that all are right confirms every area that is asked about, and says of which types there is none", () => {
  const records = answeredRecords([...RECORDS, FACE], asks("branding", "logo"), says("branding", "confirm_all"));
  assert.deepEqual(short(records).map(([id, , how]) => [id, how]), [["logo", "confirmed"], ["other", "confirmed"], ["text", "confirmed"], ["face", "as found"], [null, "none"], [null, "none"]]);
  assert.deepEqual(records.slice(4).map(({ type }) => type), ["product", "call_to_action"]);
});

test("answers are undone, and those that all are right settle other questions", async () => {
  const backend = fileBackend("A file", [asks("branding", "logo"), asks("product")], () => RECORDS);
  assert.deepEqual((await backend.load()).progress, { answered: 0, left: 2, undecided: 1 });
  const reply = await backend.answer(says("branding", "confirm_all"));
  assert.deepEqual([reply.questions, reply.progress.left], [["m.branding", "m.product"], 0]);
  assert.equal(backend.records().get("m").length, 5);
  assert.deepEqual((await backend.undo()).questions, ["m.branding", "m.product"]);
  assert.equal(backend.records().size, 0);
  await backend.answer(says("product", "none"));
  assert.deepEqual((await backend.load()).questions.map(({ id }) => id), ["m.branding"]);
});
