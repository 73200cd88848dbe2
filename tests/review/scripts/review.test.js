// A review as its page keeps it: which question is shown, what was answered, what waits to be written.
import assert from "node:assert/strict";
import test from "node:test";
import { answerQueue } from "../../../mediaan/review/page/queue.js";
import { goToFirstOpen, openQuestions, openReview, progressWith, proposalAt, proposedAnswer, shownQuestion, step, takeAnswer, takeBack, takeQuestions, takeReply, verdictCounts } from "../../../mediaan/review/page/review.js";

const UNDECIDED = { status: "open", text: "" };
const WORKS = { status: "works", text: "" };
const question = (id, medium_id = id) => ({ id, medium_id, verdict: UNDECIDED, areas: [] });
const data = (...ids) => ({ title: "", progress: { answered: 0, left: ids.length, undecided: ids.length }, questions: ids.map((id) => question(id)) });
const body = (id) => ({ question: id, answer: "none", numbers: [], boxes: [], type: "branding", brand: null });
const reply = (medium_id, ...questions) => ({ medium: { medium_id, verdict: WORKS, areas: [] }, questions, progress: { answered: 1, left: 2, undecided: 2 } });
const shown = (review) => shownQuestion(review)?.id;

test("what is skipped is gone through again, and what is answered is not", () => {
  const review = openReview(data("a", "b", "c", "d"));
  step(review, 1);
  takeAnswer(review, body("b"));
  assert.equal(shown(review), "c");
  step(review, -1);
  assert.equal(shown(review), "a", "past the answered one");
  step(review, -1);
  assert.equal(shown(review), "a", "nothing is before the first");
  takeAnswer(review, body("a"));
  step(review, 1);
  step(review, 1);
  assert.equal(shown(review), undefined);
  step(review, -1);
  assert.equal(shown(review), "d");
  goToFirstOpen(review);
  assert.equal(shown(review), "c");
  assert.deepEqual(openQuestions(review).map(({ id }) => id), ["c", "d"]);
});

test("answers are taken back the last one first, and by name", () => {
  const review = openReview(data("a", "b", "c"));
  for (const id of ["a", "b", "c"]) takeAnswer(review, body(id));
  assert.equal(shown(review), undefined);
  assert.equal(takeBack(review).question, "c");
  assert.equal(shown(review), "c");
  assert.equal(takeBack(review, review.trail[0]).question, "a");
  assert.equal(shown(review), "a");
  assert.equal(takeBack(review).question, "b");
  assert.equal(takeBack(review), null);
});

test("that all areas of a medium are right settles all questions about it, until it is taken back", () => {
  const review = openReview({ ...data(), questions: [question("a", "m"), question("b", "m"), question("c")] });
  takeAnswer(review, { ...body("a"), answer: "confirm_all" });
  assert.equal(shown(review), "c");
  takeBack(review);
  assert.deepEqual(openQuestions(review).map(({ id }) => id), ["a", "b", "c"]);
});

test("the brand of a folder alone does not answer where it is", () => {
  const review = openReview(data("a", "b"));
  takeAnswer(review, { ...body("a"), answer: "brand_for_folder", brand: "Acme" });
  assert.equal(shown(review), "a");
  takeAnswer(review, { ...body("a"), answer: "brand_for_folder", brand: "Acme", numbers: [1] });
  assert.equal(shown(review), "b");
  assert.deepEqual([takeBack(review).numbers, takeBack(review).numbers], [[1], []]);
});

test("Enter confirms areas that there are, or the only proposal, and otherwise nothing", () => {
  const [area, text, proposal] = [{ area_id: "x", type: "product" }, { area_id: "y", type: "body_text" }, { area_id: null, type: "product" }];
  const asks = (...proposals) => proposedAnswer({ type: "product", proposals });
  assert.deepEqual([asks(area, proposal), asks(proposal), asks(text), asks(proposal, text), asks()], ["confirm_all", "pick", "pick", null, null]);
});

test("a reply changes the verdict of its medium, and tells of other questions that it changed", () => {
  const review = openReview({ ...data("a", "b"), questions: [question("a", "m"), question("b", "m"), question("c")] });
  takeAnswer(review, body("a"));
  assert.equal(takeReply(review, reply("m", "a")), false);
  assert.equal(takeReply(review, reply("m", "a", "b")), true);
  assert.equal(shownQuestion(review).verdict, WORKS);
  assert.deepEqual(verdictCounts(review), { works: 1, attention: 0, open: 1, unknown: 0 });
  assert.deepEqual(progressWith(review, 3), { answered: 4, left: 0, undecided: 2 });
});

test("questions that another answer settled are left out until they come back", () => {
  const review = openReview(data("a", "b", "c", "d"));
  takeAnswer(review, body("a"));
  takeQuestions(review, data("c", "d", "e"));
  assert.equal(shown(review), "c");
  assert.deepEqual(openQuestions(review).map(({ id }) => id), ["c", "d", "e"]);
  takeBack(review);
  takeQuestions(review, data("a", "b", "c", "d", "e"));
  assert.equal(shown(review), "a");
  takeQuestions(review, data("z", "a"), ["x", "z"]);
  assert.equal(shown(review), "z", "one that an undo brought back");
});

test("a point means the smallest proposal that it lies in", () => {
  const proposals = [[0, 0, 1, 1], [0.4, 0.4, 0.2, 0.2]].map((box, i) => ({ number: i + 1, box }));
  assert.equal(proposalAt(proposals, [0.5, 0.5]).number, 2);
  assert.equal(proposalAt(proposals, [0.3, 0.5]).number, 1);
  assert.equal(proposalAt(proposals.slice(1), [0.3, 0.5]), null);
});

/** A backend whose replies come when they are let go. */
function slowBackend() {
  const [calls, replies] = [[], []];
  const call = (request) => new Promise((resolve, reject) => {
    calls.push(request);
    replies.push({ resolve, reject });
  });
  return { calls, replies, backend: { answer: call, undo: () => call(null) } };
}

const turn = () => new Promise((resolve) => { setTimeout(resolve); });

function queueOf(backend) {
  const told = [];
  const queue = answerQueue(backend, { onReply: (request) => told.push(request?.question ?? "undo"), onFailure: (error) => told.push(error.message), onIdle: () => told.push("idle") });
  return { queue, told };
}

test("answers are written one after the other, in order", async () => {
  const { calls, replies, backend } = slowBackend();
  const { queue, told } = queueOf(backend);
  for (const request of [body("a"), body("b"), null]) queue.push(request);
  assert.equal(queue.balance(), 1);
  for (let i = 0; i < 3; i += 1) {
    await turn();
    assert.equal(calls.length, i + 1);
    replies[i].resolve({});
  }
  await turn();
  assert.deepEqual(told, ["a", "b", "undo", "idle"]);
  assert.ok(queue.isEmpty());
});

test("what cannot be written holds up the rest until it is tried again or taken back", async () => {
  const { calls, replies, backend } = slowBackend();
  const { queue, told } = queueOf(backend);
  const [a, b, c] = ["a", "b", "c"].map(body);
  for (const request of [a, b, c]) queue.push(request);
  replies[0].reject(new Error("disk full"));
  await turn();
  assert.deepEqual([calls, told], [[a], ["disk full"]]);
  queue.retry();
  replies[1].reject(new Error("still full"));
  await turn();
  assert.ok(queue.remove(b), "was not sent yet");
  assert.equal(queue.drop(), a);
  await turn();
  assert.deepEqual(calls, [a, a, c]);
  assert.equal(queue.remove(c), false, "is on its way");
  replies[2].resolve({});
  await turn();
  assert.deepEqual(told, ["disk full", "still full", "c", "idle"]);
});
