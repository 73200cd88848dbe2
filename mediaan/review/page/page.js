// The page of a review: one ad at a time, with its open questions, by keys, mouse or fingers.

import { element } from "../../report/web/views/core/dom.js";
import { buildPanel, counted, failureWords, layOut, listed, proposalItem, setWords, showEnd, showReached, typeButton, verdictTag } from "./panel.js";
import { reviewPicture } from "./picture.js";
import { answerQueue } from "./queue.js";
import { TYPE_NAMES, addUnseen, areaNumbers, goToFirstOpen, missingTypes, openQuestions, openReview, progressWith, questionsAbout, showAside, shownQuestion, step, takeAnswer, takeBack, takeQuestions, takeReply, turn, unseenMedia } from "./review.js";

const PREFETCHED = 4; // pictures of the ads that come next

/**
 * Show a review; its keys work until the element is taken from the page.
 * @param {HTMLElement} host
 * @param {ReviewBackend} backend
 * @param {() => (Node | null)} [last] What else is shown at the end.
 */
export async function showReview(host, backend, last = () => null) {
  host.replaceChildren(element("p", { role: "status" }, "Loading the questions …"));
  try {
    reviewPage(host, backend, openReview(await backend.load()), last);
  } catch (problem) {
    host.replaceChildren(element("p", { className: "alert", role: "alert" }, `The questions could not be loaded: ${problem.message}.`));
  }
}

/**
 * @param {HTMLElement} host
 * @param {ReviewBackend} backend
 * @param {ReviewState} review
 * @param {() => (Node | null)} last
 */
function reviewPage(host, backend, review, last) {
  let stale = false; // whether questions have changed that are still to be asked for
  /** @type {string[]} */
  let returning = []; // questions that come back when an answer of an earlier visit is undone
  const pictures = new Map(); // that come next, by address

  const queue = answerQueue(backend, { onReply, onFailure, onIdle });
  const panel = buildPanel({ confirm, none: () => answer("none"), draw, brand: askBrand, undo, back: () => go(-1), skip: () => go(1), name: nameBrand });
  const picture = reviewPicture({ say, onDraw: showChoice, onType, onPick: (number, several) => (several ? picture.toggle(number) : pick(number)) });

  // ---- what is shown

  /** @param {string} words */
  function say(words) {
    panel.says.textContent = words;
  }

  function show() {
    const question = shownQuestion(review);
    panel.question.hidden = question === undefined;
    panel.end.hidden = question !== undefined;
    showProgress();
    say("");
    showBrandForm(false);
    if (question === undefined) return showLast().focus({ preventScroll: true });
    picture.show(question);
    panel.list.replaceChildren(...question.proposals.map((proposal) => proposalItem(question.type, proposal, pick, picture.toggle)));
    panel.list.hidden = question.proposals.length === 0;
    panel.back.disabled = openQuestions(review)[0]?.medium_id === question.medium_id;
    showWords();
    showChoice();
    prefetch();
    return panel.heading.focus({ preventScroll: true });
  }

  function showProgress() {
    const { answered, left, undecided } = progressWith(review, queue.balance());
    const ads = new Set(openQuestions(review).map(({ medium_id }) => medium_id)).size;
    Object.assign(panel.bar, { max: Math.max(1, answered + left), value: answered });
    panel.counts.textContent = `${answered} answered · ${left} left${left && ads ? ` in ${counted(ads, ["ad", "ads"])}` : ""} · ${undecided} without a clear verdict${queue.size() > 1 ? ` · saving ${queue.size()} …` : ""}`;
  }

  function showWords() {
    const question = shownQuestion(review);
    const { medium_id, path, text, why, verdict } = question;
    const about = questionsAbout(review, medium_id);
    panel.types.replaceChildren(...about.map((other) => typeButton(review, other, question, showQuestion)));
    panel.types.hidden = about.length < 2;
    panel.place.textContent = path;
    panel.heading.textContent = text;
    panel.why.textContent = why;
    panel.tag.replaceChildren(verdictTag(verdict), " ");
  }

  /** What is picked and drawn, and what Enter would answer. */
  function showChoice() {
    const [picked, drawn, question] = [picture.picked(), picture.drawn(), shownQuestion(review)];
    const changed = picture.isChanged();
    const words = [...picked, drawn.length ? counted(drawn.length, ["drawn box", "drawn boxes"]) : null].filter(Boolean).join(" + ");
    const missing = listed(missingTypes(question).map((type) => TYPE_NAMES[type]));
    setWords(panel.confirm, changed ? `Confirm ${words || "that there is none"}` : picture.isDrawing() ? "Confirm" : missing ? `All right, no ${missing}` : "All areas are right");
    panel.confirm.title = changed ? "" : "The areas with a solid outline are right, and none is missing";
    panel.confirm.setAttribute("aria-disabled", `${!changed && picture.isDrawing()}`);
    panel.draw.setAttribute("aria-pressed", `${picture.isDrawing()}`);
    const areas = changed ? picked : areaNumbers(question);
    for (const box of panel.list.querySelectorAll("input")) box.checked = areas.includes(Number(box.dataset.number));
  }

  function showProgressAtEnd() {
    showReached(panel, review, { progress: progressWith(review, queue.balance()), written: queue.isEmpty() });
  }

  function showLast() {
    const goOn = () => {
      goToFirstOpen(review);
      show();
    };
    showProgressAtEnd();
    return showEnd(panel, review, { skipped: openQuestions(review).length, unseen: unseenMedia(review).length, last: last(), undo, goOn, lookOn });
  }

  function lookOn() {
    if (unseenMedia(review).length === 0) return;
    addUnseen(review);
    show();
  }

  function prefetch() {
    const next = openQuestions(review).filter((question) => review.questions.indexOf(question) > review.at).map((question) => question.picture);
    const wanted = [...new Set(next)].slice(0, PREFETCHED);
    for (const address of wanted) if (!pictures.has(address)) pictures.set(address, Object.assign(new Image(), { src: address }));
    for (const address of pictures.keys()) if (!wanted.includes(address)) pictures.delete(address);
  }

  // ---- answers

  /** @param {AnswerKind} kind @param {{ numbers?: number[]; boxes?: Place[]; brand?: string }} [facts] */
  function answer(kind, { numbers = [], boxes = [], brand } = {}) {
    const { id, type, brand: proposed, proposals } = shownQuestion(review);
    const body = { question: id, answer: kind, numbers, boxes, shown: proposals.map(({ box }) => box), type, brand: brand ?? proposed };
    takeAnswer(review, body);
    queue.push(body);
    show();
  }

  /**
   * Answer with one proposal, or add it to what is chosen already.
   * @param {number} number
   */
  function pick(number) {
    if (picture.isChanged()) picture.toggle(number);
    else answer("pick", { numbers: [number] });
  }

  /** Answer with what is drawn or picked; otherwise that all areas are right, and none is missing. */
  function confirm() {
    const [numbers, boxes] = [picture.picked(), picture.drawn()];
    if (boxes.length) return answer("draw", { numbers, boxes });
    if (picture.isChanged()) return numbers.length ? answer("pick", { numbers }) : answer("none");
    if (picture.isDrawing()) return say("Draw a box first, or leave drawing.");
    return answer("confirm_all");
  }

  function draw() {
    picture.draw();
    (picture.isDrawing() ? picture.frame : panel.heading).focus({ preventScroll: true });
  }

  /** @param {boolean} on */
  function showBrandForm(on) {
    panel.brandForm.hidden = !on;
    panel.brand.setAttribute("aria-expanded", `${on}`);
  }

  function askBrand() {
    if (panel.brand.hidden) return undefined;
    showBrandForm(panel.brandForm.hidden === true);
    if (panel.brandForm.hidden) return panel.heading.focus({ preventScroll: true });
    const { brand, folder } = shownQuestion(review);
    panel.brandName.value = brand ?? "";
    panel.brandLabel.textContent = `Brand of all files in ${folder === "./" ? "this folder" : folder}`;
    panel.brandName.focus();
    return panel.brandName.select();
  }

  /** @param {string} brand */
  function nameBrand(brand) {
    if (brand) answer("brand_for_folder", { numbers: picture.picked(), boxes: picture.drawn(), brand });
  }

  /** @param {() => void} move */
  function leave(move) {
    if (!panel.question.hidden && picture.drawn().length) return say("Confirm or undo what is drawn first.");
    move();
    return show();
  }

  /** @param {1 | -1} by */
  const go = (by) => leave(() => step(review, by));

  /** @param {string} id */
  const showQuestion = (id) => leave(() => showAside(review, id));

  /** @param {string} type */
  function onType(type) {
    const other = questionsAbout(review, shownQuestion(review).medium_id).find((question) => question.type === type);
    if (other) showQuestion(other.id);
  }

  // ---- what the backend replies

  /** Take back what is drawn or chosen, otherwise the last answer. */
  function undo() {
    if (!panel.question.hidden && picture.cancel()) return undefined;
    const here = review.trail.length > 0;
    if (!here && progressWith(review, queue.balance()).answered === 0) return say("Nothing to undo.");
    const body = takeBack(review);
    if (!queue.remove(body)) queue.push(null);
    if (!queue.hasFailed()) panel.error.hidden = true;
    show();
    return say(here ? "Taken back." : "Undoing the last answer …");
  }

  /** @param {ReviewRequest} request @param {AnswerReply} reply */
  function onReply(request, reply) {
    panel.error.hidden = true;
    const shown = shownQuestion(review);
    const [before] = questionsAbout(review, reply.medium.medium_id);
    stale = takeReply(review, reply) || request === null || stale;
    if (request === null) returning = reply.questions;
    if (before) showChange(before, reply.medium.verdict);
    showAgain(shown);
  }

  /**
   * Show what has changed of the question that is shown.
   * @param {Question} [before]
   */
  function showAgain(before) {
    const now = shownQuestion(review);
    const same = now?.id === before?.id && JSON.stringify([now?.proposals, now?.areas]) === JSON.stringify([before?.proposals, before?.areas]);
    if (!same && !(now && now.id === before?.id && picture.isChanged())) return show();
    if (now) showWords();
    return showProgress();
  }

  /** @param {Question} question As it was. @param {ReviewVerdict} verdict */
  function showChange({ path, verdict: before }, verdict) {
    const changes = before.status !== verdict.status;
    panel.changed.replaceChildren(`${path.split("/").at(-1)}: `, ...(changes ? [verdictTag(before), " → "] : []), verdictTag(verdict));
  }

  /** @param {Error} problem */
  function onFailure(problem) {
    const retry = () => {
      panel.error.hidden = true;
      queue.retry();
    };
    const drop = () => {
      panel.error.hidden = true;
      stale = true;
      const body = queue.drop();
      if (body) takeBack(review, body);
      show();
    };
    panel.error.replaceChildren(...failureWords(problem, retry, drop));
    panel.error.hidden = false;
  }

  async function onIdle() {
    if (stale) {
      stale = false;
      const data = await backend.load().catch(() => null); // the next answer asks again
      if (data && queue.isEmpty()) refresh(data);
      else stale = true;
    }
    if (shownQuestion(review) === undefined) showProgressAtEnd();
  }

  /** @param {ReviewData} data */
  function refresh(data) {
    const before = shownQuestion(review);
    takeQuestions(review, data, returning);
    returning = [];
    showAgain(before);
  }

  // ---- keys

  const KEYS = { n: () => answer("none"), d: draw, b: askBrand, u: undo, z: picture.toggleZoom, Enter: confirm, ArrowLeft: () => go(-1), ArrowRight: () => go(1), ArrowUp: () => leave(() => turn(review, -1)), ArrowDown: () => leave(() => turn(review, 1)) };
  const END_KEYS = { u: undo, ArrowLeft: () => go(-1), ArrowRight: lookOn };

  /**
   * Says whether it took the key.
   * @param {any} event
   */
  function takeKey(event) {
    const asks = shownQuestion(review) !== undefined;
    if (event.key === "Escape") return asks && escape();
    if (event.target.matches("input[type=text]")) return false;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey) return key === "z" && !event.shiftKey && run(undo);
    if (asks && picture.key(event)) return true;
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
    if (digit !== undefined && asks) return event.repeat || run(() => onDigit(Number(digit), event.shiftKey)); // a key that is held answers once
    if ((key === "Enter" && event.target.closest("button, a")) || event.repeat) return false;
    const act = (asks ? KEYS : END_KEYS)[key];
    return act !== undefined && run(act);
  }

  /** @param {() => void} act */
  function run(act) {
    act();
    return true;
  }

  function escape() {
    if (!panel.brandForm.hidden) return run(askBrand);
    return picture.cancel() && run(() => panel.heading.focus({ preventScroll: true }));
  }

  /** @param {number} number @param {boolean} several */
  function onDigit(number, several) {
    if (!shownQuestion(review).proposals.some((proposal) => proposal.number === number)) return say(`There is no proposal ${number}.`);
    return several ? picture.toggle(number) : pick(number);
  }

  /** @param {any} event */
  function onKey(event) {
    if (!host.isConnected || panel.end.parentNode !== host) return removeEventListener("keydown", onKey);
    if (!event.defaultPrevented && !event.isComposing && !event.altKey && takeKey(event)) event.preventDefault();
    return undefined;
  }

  panel.brand.hidden = backend.namesBrands === false;
  layOut(host, panel, picture.stage);
  addEventListener("keydown", onKey);
  addEventListener("beforeunload", (event) => { if (!queue.isEmpty()) event.preventDefault(); });
  show();
}
