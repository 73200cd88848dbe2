// A review: its questions, the one that is shown, what was answered. Nothing here needs a browser.

/**
 * @param {ReviewData} data
 * @returns {ReviewState}
 */
export function openReview(data) {
  return { ...data, at: 0, answers: new Map(), trail: [], settled: new Set() };
}

/**
 * The question that is shown; undefined at the end.
 * @param {ReviewState} review
 * @returns {Question | undefined}
 */
export const shownQuestion = (review) => review.questions[review.at];

/** @param {ReviewState} review @param {Question} question */
const isOpen = (review, { id }) => !review.answers.has(id) && !review.settled.has(id);

/** @param {ReviewState} review */
export const openQuestions = (review) => review.questions.filter((question) => isOpen(review, question));

/**
 * Index of the nearest open question from a place on, in a direction; past the last one is the end.
 * @param {ReviewState} review
 * @param {number} from
 * @param {1 | -1} by
 */
function nearestOpen(review, from, by) {
  for (let i = from; i >= 0 && i < review.questions.length; i += by) if (isOpen(review, review.questions[i])) return i;
  return by > 0 ? review.questions.length : null;
}

/**
 * Go to the next or previous open question.
 * @param {ReviewState} review
 * @param {1 | -1} by
 */
export function step(review, by) {
  review.at = nearestOpen(review, review.at + by, by) ?? review.at;
}

/** @param {ReviewState} review */
export function goToFirstOpen(review) {
  review.at = nearestOpen(review, 0, 1);
}

/**
 * Whether an answer settles its question: the brand of a folder alone does not say where it is.
 * @param {AnswerBody} body
 */
const settles = ({ answer, numbers, boxes }) => answer !== "brand_for_folder" || numbers.length + boxes.length > 0;

/**
 * Ids of all questions about the medium of a question.
 * @param {ReviewState} review
 * @param {string} id
 */
function aboutSameMedium({ questions }, id) {
  const medium = questions.find((question) => question.id === id)?.medium_id;
  return questions.filter(({ medium_id }) => medium_id === medium).map((question) => question.id);
}

/**
 * Take an answer, and go on; that all areas of a medium are right settles all questions about it.
 * @param {ReviewState} review
 * @param {AnswerBody} body
 */
export function takeAnswer(review, body) {
  review.trail.push(body);
  if (!settles(body)) return;
  review.answers.set(body.question, body);
  if (body.answer === "confirm_all") for (const id of aboutSameMedium(review, body.question)) review.settled.add(id);
  step(review, 1);
}

/**
 * Take an answer back, the last one if none is given, and show its question again. Returns the answer.
 * @param {ReviewState} review
 * @param {AnswerBody} [body]
 */
export function takeBack(review, body = review.trail.at(-1)) {
  if (body === undefined) return null;
  review.trail = review.trail.filter((other) => other !== body);
  review.answers.delete(body.question);
  if (body.answer === "confirm_all") for (const id of aboutSameMedium(review, body.question)) review.settled.delete(id);
  const at = review.questions.findIndex((question) => question.id === body.question);
  if (at >= 0) review.at = at;
  return body;
}

/**
 * Take what an answer changed; says whether questions that are still open are among it.
 * @param {ReviewState} review
 * @param {AnswerReply} reply
 */
export function takeReply(review, { medium, questions, progress }) {
  review.progress = progress;
  review.questions = review.questions.map((question) => (question.medium_id === medium.medium_id ? { ...question, verdict: medium.verdict, areas: medium.areas } : question));
  const changed = new Set(questions);
  return openQuestions(review).some(({ id }) => changed.has(id));
}

/**
 * Take the questions as they are now. Those that were answered here stay, so that the order does.
 * @param {ReviewState} review
 * @param {ReviewData} data
 * @param {string[]} [returning] Ids of questions of which the first is shown, if it is open.
 */
export function takeQuestions(review, data, returning = []) {
  const shown = shownQuestion(review)?.id;
  const byId = new Map(data.questions.map((question) => [question.id, question]));
  review.progress = data.progress;
  review.settled = new Set(review.questions.map(({ id }) => id).filter((id) => !byId.has(id) && !review.answers.has(id)));
  const before = new Set(review.questions.map(({ id }) => id));
  review.questions = [...review.questions.map((question) => byId.get(question.id) ?? question), ...data.questions.filter(({ id }) => !before.has(id))];
  const wanted = returning.find((id) => byId.has(id) && !review.answers.has(id)) ?? shown;
  review.at = wanted === undefined ? review.questions.length : review.questions.findIndex(({ id }) => id === wanted);
  if (review.at < review.questions.length && !isOpen(review, review.questions[review.at])) step(review, 1);
}

/**
 * Progress as it will be once what waits is written.
 * @param {ReviewState} review
 * @param {number} waiting Answers less those that are taken back.
 */
export function progressWith({ progress }, waiting) {
  return { ...progress, answered: progress.answered + waiting, left: Math.max(0, progress.left - waiting) };
}

/**
 * Media by the verdict that they have now.
 * @param {ReviewState} review
 */
export function verdictCounts({ questions }) {
  const byMedium = new Map(questions.map(({ medium_id, verdict }) => [medium_id, verdict.status]));
  const counts = { works: 0, attention: 0, open: 0, unknown: 0 };
  for (const status of byMedium.values()) counts[status] += 1;
  return counts;
}

/**
 * What Enter answers where nothing is picked or drawn: that all areas are right where the question is about some that
 * there are, that it is the only proposal where there is one, nothing otherwise.
 * @param {Question} question
 */
export function proposedAnswer({ type, proposals }) {
  if (proposals.some((proposal) => proposal.area_id !== null && proposal.type === type)) return "confirm_all";
  return proposals.length === 1 ? "pick" : null;
}

/**
 * The proposal that a point means: the smallest that it lies in.
 * @param {Proposal[]} proposals
 * @param {Point} point
 */
export function proposalAt(proposals, [x, y]) {
  const there = proposals.filter(({ box: [left, top, width, height] }) => x >= left && x <= left + width && y >= top && y <= top + height);
  return there.sort((a, b) => a.box[2] * a.box[3] - b.box[2] * b.box[3])[0] ?? null;
}
