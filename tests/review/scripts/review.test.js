// A review as its page keeps it: which question is shown, what was answered, what waits to be written.
import assert from "node:assert/strict";
import test from "node:test";
import { answerQueue } from "../../../mediaan/review/page/queue.js";
import { addUnseen, goToFirstOpen, missingTypes, openQuestions, openReview, progressWith, proposalAt, questionsAbout, showAside, shownQuestion, standing, step, takeAnswer, takeBack, takeQuestions, takeReply, turn, unseenMedia, verdicts } from "../../../mediaan/review/page/review.js";

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

/** A medium whose product and headline are open, and another that is sure. */
const TWO = () => {
  const about = (id, open, facts = {}) => ({ ...question(`${id}`, id.split(".")[0]), type: id.split(".")[1], path: id.split(".")[0], open, answered: false, text: id, why: "", ...facts });
  return {
    about,
    review: openReview({
      ...data(),
      questions: [about("m.product", true), about("m.headline_text", true), about("n.product", true)],
      others: [about("m.branding", false), about("m.call_to_action", false), ...["branding", "product", "call_to_action", "headline_text"].map((type) => about(`sure.${type}`, false))],
    }),
  };
};

test("every type of areas of a medium can be corrected, and then its open questions go on", () => {
  const { review } = TWO();
  assert.deepEqual(questionsAbout(review, "m").map(({ type }) => type), ["branding", "product", "call_to_action", "headline_text"]);
  turn(review, -1);
  assert.equal(shown(review), "m.branding");
  takeAnswer(review, body("m.branding"));
  assert.deepEqual([shown(review), standing(review, review.others.get("m.branding"))], ["m.product", "answered"]);
  showAside(review, "m.headline_text");
  takeAnswer(review, body("m.headline_text"));
  assert.equal(shown(review), "m.product", "is still open");
  turn(review, 1);
  assert.equal(shown(review), "m.call_to_action");
  takeAnswer(review, { ...body("m.call_to_action"), answer: "confirm_all" });
  assert.equal(shown(review), "n.product");
  takeBack(review);
  assert.deepEqual([shown(review), openQuestions(review).length], ["m.call_to_action", 2]);
  takeBack(review);
  takeBack(review);
  assert.equal(shown(review), "m.branding");
});

test("an ad is skipped as a whole, and back at it its first open question is shown", () => {
  const { review } = TWO();
  step(review, 1);
  assert.equal(shown(review), "n.product");
  step(review, -1);
  assert.equal(shown(review), "m.product");
});

test("ads without a question can be gone through as well", () => {
  const { review, about } = TWO();
  assert.deepEqual(unseenMedia(review), ["sure"]);
  addUnseen(review);
  assert.deepEqual([shown(review), shownQuestion(review).text], ["sure.branding", "Are all areas right?"]);
  turn(review, 1);
  takeAnswer(review, body("sure.product"));
  assert.equal(shown(review), "sure.branding", "the others are not confirmed yet");
  takeReply(review, { ...reply("sure", "sure.product"), about: ["branding", "product"].map((type) => about(`sure.${type}`, false, { answered: type === "product", verdict: WORKS })) });
  assert.deepEqual([shownQuestion(review).text, shownQuestion(review).verdict], ["Are all areas right?", WORKS]);
  takeAnswer(review, { ...body("sure.branding"), answer: "confirm_all" });
  assert.deepEqual([shown(review), unseenMedia(review).length], [undefined, 0]);
});

test("a reply brings all questions about its medium, and only those about others are asked for", () => {
  const { review, about } = TWO();
  takeAnswer(review, body("m.product"));
  const now = [about("m.branding", false, { text: "new" }), about("m.product", false, { answered: true }), about("m.headline_text", false, { answered: true })];
  assert.equal(takeReply(review, { ...reply("m", "m.product", "m.headline_text"), about: now }), false);
  assert.equal(review.others.get("m.branding").text, "new");
  assert.equal(openQuestions(review).map(({ id }) => id).join(), "n.product", "the headline was answered as well");
  assert.equal(takeReply(review, { ...reply("m", "n.product"), about: now }), true);
  assert.equal(takeReply(review, { ...reply("m"), about: [about("m.branding", true)] }), true, "one is open that was not");
});

test("types without an area are none when all is right", () => {
  assert.deepEqual(missingTypes({ areas: [{ type: "product" }, { type: "face" }] }), ["branding", "call_to_action", "headline_text"]);
});

test("what changed since the review was opened is told", () => {
  const { review } = TWO();
  takeReply(review, reply("m"));
  assert.deepEqual(verdicts(review).counts, { works: 1, attention: 0, open: 2, unknown: 0 });
  assert.deepEqual(verdicts(review).changed, [{ path: "m", before: UNDECIDED, after: WORKS }]);
});

test("a reply changes the verdict of its medium, and tells of other questions that it changed", () => {
  const review = openReview({ ...data("a", "b"), questions: [question("a", "m"), question("b", "m"), question("c")] });
  takeAnswer(review, body("a"));
  assert.equal(takeReply(review, reply("m", "a")), false);
  assert.equal(takeReply(review, reply("m", "a", "b")), true);
  assert.equal(shownQuestion(review).verdict, WORKS);
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

const nextTurn = () => new Promise((resolve) => { setTimeout(resolve); });

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
    await nextTurn();
    assert.equal(calls.length, i + 1);
    replies[i].resolve({});
  }
  await nextTurn();
  assert.deepEqual(told, ["a", "b", "undo", "idle"]);
  assert.ok(queue.isEmpty());
});

test("what cannot be written holds up the rest until it is tried again or taken back", async () => {
  const { calls, replies, backend } = slowBackend();
  const { queue, told } = queueOf(backend);
  const [a, b, c] = ["a", "b", "c"].map(body);
  for (const request of [a, b, c]) queue.push(request);
  replies[0].reject(new Error("disk full"));
  await nextTurn();
  assert.deepEqual([calls, told], [[a], ["disk full"]]);
  queue.retry();
  replies[1].reject(new Error("still full"));
  await nextTurn();
  assert.ok(queue.remove(b), "was not sent yet");
  assert.equal(queue.drop(), a);
  await nextTurn();
  assert.deepEqual(calls, [a, a, c]);
  assert.equal(queue.remove(c), false, "is on its way");
  replies[2].resolve({});
  await nextTurn();
  assert.deepEqual(told, ["disk full", "still full", "c", "idle"]);
});
