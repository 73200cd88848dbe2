// A review: its questions, the one that is shown, what was answered. Nothing here needs a browser.

/** Types of areas that are asked about, in the order in which they are shown. */
export const TYPE_NAMES = { branding: "brand", product: "product", call_to_action: "call to action", headline_text: "headline" };
const TYPES = Object.keys(TYPE_NAMES);

/**
 * Numbers of the proposals that are areas of the type already.
 * @param {Question} question
 */
export const areaNumbers = ({ type, proposals }) => proposals.filter((proposal) => proposal.area_id !== null && proposal.type === type).map(({ number }) => number);

/**
 * @param {ReviewData} data
 * @returns {ReviewState}
 */
export function openReview({ others, ...data }) {
  const review = { ...data, others: byId(others), at: 0, aside: null, answers: new Map(), trail: [], settled: new Set(), verdicts: new Map() };
  return withVerdicts(review);
}

/** @param {Question[]} [questions] */
const byId = (questions = []) => new Map(questions.map((question) => [question.id, question]));

/** @param {ReviewState} review */
const everyQuestion = (review) => [...review.questions, ...review.others.values()];

/**
 * Keep the verdicts that media had when they were first seen.
 * @param {ReviewState} review
 */
function withVerdicts(review) {
  for (const { medium_id, path, verdict } of everyQuestion(review)) if (!review.verdicts.has(medium_id)) review.verdicts.set(medium_id, { path, verdict });
  return review;
}

/**
 * The question that is shown; undefined at the end.
 * @param {ReviewState} review
 * @returns {Question | undefined}
 */
export const shownQuestion = (review) => (review.aside === null ? review.questions[review.at] : everyQuestion(review).find(({ id }) => id === review.aside));

/** @param {ReviewState} review @param {Question} question */
const isOpen = (review, { id }) => !review.answers.has(id) && !review.settled.has(id);

/** @param {ReviewState} review */
export const openQuestions = (review) => review.questions.filter((question) => isOpen(review, question));

/**
 * Questions about the types of areas of a medium, whether they are open or not.
 * @param {ReviewState} review
 * @param {string} mediumId
 */
export function questionsAbout(review, mediumId) {
  const about = everyQuestion(review).filter(({ medium_id }) => medium_id === mediumId);
  return TYPES.map((type) => about.find((question) => question.type === type)).filter((question) => question !== undefined);
}

/**
 * How a type of areas stands: answered, unclear, or found or not found for sure.
 * @param {ReviewState} review
 * @param {Question} question
 * @returns {"answered" | "unclear" | "sure"}
 */
export function standing(review, question) {
  if (question.answered || review.answers.has(question.id) || review.settled.has(question.id)) return "answered";
  return question.open === false ? "sure" : "unclear";
}

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
 * Index of the first open question about a medium, -1 for none.
 * @param {ReviewState} review
 * @param {string} mediumId
 */
const firstOpenAbout = (review, mediumId) => review.questions.findIndex((question) => question.medium_id === mediumId && isOpen(review, question));

/**
 * Go to the next or previous medium with an open question.
 * @param {ReviewState} review
 * @param {1 | -1} by
 */
export function step(review, by) {
  const medium = review.questions[review.at]?.medium_id;
  let from = review.at + by;
  while (medium !== undefined && review.questions[from]?.medium_id === medium) from += by;
  const at = nearestOpen(review, from, by);
  review.aside = null;
  if (at !== null) review.at = by > 0 ? at : firstOpenAbout(review, review.questions[at].medium_id);
}

/** @param {ReviewState} review */
export function goToFirstOpen(review) {
  [review.at, review.aside] = [nearestOpen(review, 0, 1), null];
}

/**
 * Show a question about the medium that is shown, open or not.
 * @param {ReviewState} review
 * @param {string} id
 */
export function showAside(review, id) {
  review.aside = id === review.questions[review.at]?.id ? null : id;
}

/**
 * Show the question about the next or previous type of areas of the same medium.
 * @param {ReviewState} review
 * @param {1 | -1} by
 */
export function turn(review, by) {
  const now = shownQuestion(review);
  const about = questionsAbout(review, now.medium_id);
  const at = about.findIndex(({ id }) => id === now.id);
  showAside(review, about[(at + by + about.length) % about.length].id);
}

/**
 * Media without an open question, and of which nothing was answered.
 * @param {ReviewState} review
 */
export function unseenMedia(review) {
  const seen = new Set(review.questions.map(({ medium_id }) => medium_id));
  for (const { id, medium_id, answered } of review.others.values()) if (answered || review.answers.has(id)) seen.add(medium_id);
  return [...new Set([...review.others.values()].map(({ medium_id }) => medium_id))].filter((mediumId) => !seen.has(mediumId));
}

/**
 * Go through the media without an open question as well: whether all their areas are right.
 * @param {ReviewState} review
 */
export function addUnseen(review) {
  review.aside = null;
  review.at = review.questions.length;
  const added = unseenMedia(review).map((mediumId) => questionsAbout(review, mediumId)[0]);
  review.questions = [...review.questions, ...added.map((question) => ({ ...question, text: "Are all areas right?", why: "", added: true }))];
}

/**
 * Whether an answer settles its question: the brand of a folder alone does not say where it is.
 * @param {AnswerBody} body
 */
const settles = ({ answer, numbers, boxes }) => answer !== "brand_for_folder" || numbers.length + boxes.length > 0;

/**
 * Ids of all questions in the list about the medium of a question.
 * @param {ReviewState} review
 * @param {string} id
 */
function aboutSameMedium(review, id) {
  const medium = everyQuestion(review).find((question) => question.id === id)?.medium_id;
  return everyQuestion(review).filter(({ medium_id }) => medium_id === medium).map((question) => question.id);
}

/**
 * Take an answer, and go on: to another open question about the same medium, then to the next medium. That all areas
 * of a medium are right settles all questions about it.
 * @param {ReviewState} review
 * @param {AnswerBody} body
 */
export function takeAnswer(review, body) {
  review.trail.push(body);
  if (!settles(body)) return;
  const { medium_id } = shownQuestion(review);
  review.answers.set(body.question, body);
  if (body.answer === "confirm_all") for (const id of aboutSameMedium(review, body.question)) review.settled.add(id);
  const there = firstOpenAbout(review, medium_id);
  [review.at, review.aside] = [there >= 0 ? there : nearestOpen(review, review.at, 1), null];
}

/**
 * Take an answer back, the last one if none is given, and show its question again. Returns the answer.
 * @param {ReviewState} review
 * @param {AnswerBody} [body]
 */
export function takeBack(review, body = review.trail.at(-1)) {
  if (body === undefined) return null;
  review.trail = review.trail.filter((other) => other !== body);
  const earlier = review.trail.findLast(({ question }) => question === body.question);
  if (earlier) review.answers.set(body.question, earlier);
  else review.answers.delete(body.question);
  if (body.answer === "confirm_all") for (const id of aboutSameMedium(review, body.question)) review.settled.delete(id);
  const at = review.questions.findIndex((question) => question.id === body.question);
  if (at >= 0) [review.at, review.aside] = [at, null];
  else if (review.others.has(body.question)) review.aside = body.question;
  return body;
}

/** @param {Question} question @param {Question} [now] */
const refreshed = ({ text, why, ...question }, now) => ({ ...question, text, why, ...now, ...(question.added ? { text, why, added: true } : {}) });

/**
 * Take what an answer changed; says whether the questions are to be asked for again.
 * @param {ReviewState} review
 * @param {AnswerReply} reply
 */
export function takeReply(review, { medium, questions, about = [], progress }) {
  const fresh = byId(about);
  review.progress = progress;
  /** @param {Question} question */
  const now = (question) => (question.medium_id === medium.medium_id ? refreshed(question, fresh.get(question.id) ?? { ...question, verdict: medium.verdict, areas: medium.areas }) : question);
  review.questions = review.questions.map(now);
  review.others = byId([...review.others.values()].map(now));
  for (const question of about) {
    if (!review.questions.some(({ id }) => id === question.id)) review.others.set(question.id, question);
    else if (question.answered && !review.answers.has(question.id)) review.settled.add(question.id);
  }
  const changed = new Set(questions.filter((id) => !fresh.has(id)));
  return openQuestions(review).some(({ id }) => changed.has(id)) || about.some(({ id, open }) => open && review.others.has(id));
}

/**
 * Take the questions as they are now. Those that were answered here stay, so that the order does.
 * @param {ReviewState} review
 * @param {ReviewData} data
 * @param {string[]} [returning] Ids of questions of which the first is shown, if it is open.
 */
export function takeQuestions(review, data, returning = []) {
  const shown = review.questions[review.at]?.id;
  const now = byId(data.questions);
  review.progress = data.progress;
  review.others = byId(data.others);
  review.settled = new Set(review.questions.filter(({ id, added }) => !now.has(id) && !review.answers.has(id) && (!added || review.others.get(id)?.answered)).map(({ id }) => id));
  const before = new Set(review.questions.map(({ id }) => id));
  review.questions = [...review.questions.map((question) => refreshed(question, now.get(question.id) ?? review.others.get(question.id))), ...data.questions.filter(({ id }) => !before.has(id))];
  withVerdicts(review);
  const wanted = returning.find((id) => now.has(id) && !review.answers.has(id));
  if (wanted !== undefined || shownQuestion(review) === undefined) review.aside = null;
  const id = wanted ?? shown;
  review.at = id === undefined ? review.questions.length : review.questions.findIndex((question) => question.id === id);
  if (review.aside === null && review.at < review.questions.length && !isOpen(review, review.questions[review.at])) review.at = nearestOpen(review, review.at, 1);
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
 * Media by the verdict that they have now, and those whose verdict has changed since they were first seen here.
 * @param {ReviewState} review
 */
export function verdicts(review) {
  const now = new Map(everyQuestion(review).map(({ medium_id, verdict }) => [medium_id, verdict]));
  const counts = { works: 0, attention: 0, open: 0, unknown: 0 };
  for (const { status } of now.values()) counts[status] += 1;
  const seen = [...review.verdicts].map(([medium_id, { path, verdict }]) => ({ path, before: verdict, after: now.get(medium_id) ?? verdict }));
  return { counts, changed: seen.filter(({ before, after }) => before.status !== after.status) };
}

/**
 * Types of areas of a medium of which there is none.
 * @param {Question} question
 */
export const missingTypes = ({ areas }) => TYPES.filter((type) => !areas.some((area) => area.type === type));

/**
 * The proposal or area that a point means: the smallest that it lies in.
 * @param {Proposal[]} proposals
 * @param {Point} point
 */
export function proposalAt(proposals, [x, y]) {
  const there = proposals.filter(({ box: [left, top, width, height] }) => x >= left && x <= left + width && y >= top && y <= top + height);
  return there.sort((a, b) => a.box[2] * a.box[3] - b.box[2] * b.box[3])[0] ?? null;
}
