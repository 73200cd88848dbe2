// Elements of the page of a review: what is asked, the answers, what was reached at the end.

import { element } from "../../report/web/views/core/dom.js";
import { TYPE_NAMES, standing, verdicts as verdictsOf } from "./review.js";

const SIGNS = { works: "✓", attention: "✕", open: "~", unknown: "–" };
const STANDING = { answered: "✓", unclear: "?", sure: "" };
const WORDS = { works: ["works", "work"], attention: ["needs attention", "need attention"], open: ["is undecided", "are undecided"], unknown: ["has no verdict", "have no verdict"] };

/** @param {number} n @param {[string, string]} words */
export const counted = (n, words) => `${n} ${words[n === 1 ? 0 : 1]}`;

/**
 * Words of a list: "a, b or c".
 * @param {string[]} words
 */
export const listed = (words) => [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" or ");

/** @param {ReviewVerdict} verdict */
export const verdictTag = ({ status, text }) => element("span", { className: `verdict-tag ${status}` }, element("span", { "aria-hidden": "true" }, `${SIGNS[status]} `), `${text.charAt(0).toUpperCase()}${text.slice(1)}`);

/**
 * A button with its key, for those who have a keyboard.
 * @param {string} words
 * @param {string} key
 * @param {() => void} action
 * @param {{ [property: string]: unknown }} [properties]
 */
function keyButton(words, key, action, properties = {}) {
  const button = element("button", { type: "button", ...properties }, element("span", {}, words), element("kbd", { "aria-hidden": "true" }, key));
  button.addEventListener("click", action);
  return button;
}

/** @param {HTMLElement} button @param {string} words */
export function setWords(button, words) {
  /** @type {HTMLElement} */ (button.firstElementChild).textContent = words;
}

/**
 * The parts of the page that stay, from question to question.
 * @param {{ confirm: () => void; none: () => void; draw: () => void; brand: () => void; undo: () => void; back: () => void; skip: () => void; name: (brand: string) => void }} does
 */
export function buildPanel(does) {
  const panel = {
    bar: element("progress", { max: 1, value: 0, "aria-label": "Questions answered" }),
    counts: element("span", {}),
    changed: element("span", { role: "status" }),
    error: element("p", { className: "alert review-error", role: "alert", hidden: true }),
    place: element("span", { className: "review-path" }),
    types: element("div", { className: "review-types", role: "group", "aria-label": "Areas of this ad" }),
    tag: element("span", {}),
    heading: element("h2", { tabIndex: -1 }),
    why: element("p", { className: "review-why" }),
    list: element("ul", { className: "review-proposals", "aria-label": "Proposals" }),
    says: element("p", { className: "review-says", role: "status" }),
    brandLabel: element("span", {}),
    brandName: element("input", { type: "text", autocomplete: "off", required: true }),
    brandForm: element("form", { className: "review-brand", hidden: true }),
    confirm: keyButton("Confirm", "Enter", does.confirm, { className: "primary" }),
    none: keyButton("None", "N", does.none),
    draw: keyButton("Draw", "D", does.draw, { "aria-pressed": "false" }),
    brand: keyButton("Brand", "B", does.brand, { "aria-expanded": "false", title: "Name the brand of all files of this folder" }),
    undo: keyButton("Undo", "U", does.undo),
    back: keyButton("Back", "←", does.back),
    skip: keyButton("Skip", "→", does.skip),
    question: element("div", { className: "review-columns" }),
    end: element("div", { className: "review-end", hidden: true }),
    reached: element("p", { role: "status" }),
    verdicts: element("ul", {}),
    changes: element("details", {}),
  };
  panel.brandForm.append(element("label", {}, panel.brandLabel, panel.brandName), element("button", { type: "submit", className: "primary" }, "Use it"));
  panel.brandForm.addEventListener("submit", (event) => {
    event.preventDefault();
    does.name(panel.brandName.value.trim());
  });
  return panel;
}

/**
 * Put the parts on the page: the question first, the picture, then the answers.
 * @param {HTMLElement} host
 * @param {ReturnType<typeof buildPanel>} panel
 * @param {HTMLElement} picture
 */
export function layOut(host, panel, picture) {
  const { bar, counts, changed, error, place, tag, types, heading, why, list, brandForm, says, question, end } = panel;
  const actions = element("div", { className: "review-actions", role: "group", "aria-label": "Answer" }, panel.confirm, panel.none, panel.draw, panel.brand, panel.undo, panel.back, panel.skip);
  const head = element("div", { className: "review-head" }, element("p", { className: "sub" }, tag, place), types, heading, why);
  question.append(head, picture, element("div", { className: "review-answers" }, list, brandForm, says, actions));
  host.replaceChildren(element("div", { className: "review-progress" }, bar, counts, changed), error, question, end);
}

/**
 * A type of areas of the ad that is shown, with how many of it there are; pressed, it is asked about.
 * @param {ReviewState} review
 * @param {Question} question
 * @param {Question} shown
 * @param {(id: string) => void} ask
 */
export function typeButton(review, question, shown, ask) {
  const [n, how] = [shown.areas.filter(({ type }) => type === question.type).length, standing(review, question)];
  const button = element("button", { type: "button", className: how, "aria-pressed": `${question.id === shown.id}` }, element("span", {}, `${TYPE_NAMES[question.type]} `), element("small", {}, `${n || "none"} `, element("b", { title: how === "sure" ? "" : how }, STANDING[how])));
  button.addEventListener("click", () => ask(question.id));
  return button;
}

/**
 * A proposal: its button answers with it alone, its box adds it to the areas or takes it from them.
 * @param {string} asked Type that is asked about.
 * @param {Proposal} proposal
 * @param {(number: number) => void} pick
 * @param {(number: number) => void} toggle
 */
export function proposalItem(asked, { number, label, confidence, type, area_id }, pick, toggle) {
  const sure = confidence === null ? null : `${Math.round(100 * confidence)} % sure`;
  const facts = [area_id === null ? "a guess" : type === asked ? "found" : type === "other" ? null : `now ${TYPE_NAMES[type] ?? type.replaceAll("_", " ")}`, sure].filter(Boolean).join(", ");
  const button = element("button", { type: "button", title: `Only ${number}` }, element("b", {}, `${number}`), element("span", {}, label || "No text", " ", element("small", {}, facts)));
  button.addEventListener("click", () => pick(number));
  const several = element("input", { type: "checkbox", "aria-label": `${number} is one of the areas` });
  several.dataset.number = `${number}`;
  several.addEventListener("change", () => toggle(number));
  return element("li", {}, button, several);
}

/**
 * What could not be written, and what can be done.
 * @param {Error} problem
 * @param {() => void} retry
 * @param {() => void} drop
 */
export function failureWords(problem, retry, drop) {
  const [again, back] = ["Try again", "Take it back"].map((words) => element("button", { type: "button" }, words));
  again.addEventListener("click", retry);
  back.addEventListener("click", drop);
  return [element("strong", {}, "Not saved: "), `${problem.message}. `, again, back];
}

/**
 * What was reached: it changes while the last answers are written, and what can be pressed stays.
 * @param {ReturnType<typeof buildPanel>} panel
 * @param {ReviewState} review
 * @param {{ progress: ReviewProgress; written: boolean }} facts
 */
export function showReached({ reached, verdicts, changes }, review, { progress, written }) {
  const { counts, changed } = verdictsOf(review);
  const words = `${counted(progress.answered, ["question is answered", "questions are answered"])}; ${counted(progress.undecided, ["ad has", "ads have"])} no clear verdict.`;
  const media = Object.entries(counts).filter(([, n]) => n > 0);
  reached.textContent = `${words}${written ? "" : " The last answers are being written …"}`;
  verdicts.replaceChildren(...media.map(([status, n]) => element("li", {}, element("span", { "aria-hidden": "true" }, `${SIGNS[status]} `), counted(n, WORDS[status]))));
  const lines = changed.map(({ path, before, after }) => element("li", {}, `${path}: `, verdictTag(before), " → ", verdictTag(after)));
  changes.replaceChildren(element("summary", {}, `${counted(changed.length, ["verdict", "verdicts"])} changed`), element("ul", {}, ...lines));
  changes.hidden = changed.length === 0;
}

/**
 * Show the end of a review; returns its heading.
 * @param {ReturnType<typeof buildPanel>} panel
 * @param {ReviewState} review
 * @param {{ skipped: number; unseen: number; last: Node | null; undo: () => void; goOn: () => void; lookOn: () => void }} facts
 */
export function showEnd({ end, reached, verdicts, changes }, review, { skipped, unseen, last, undo, goOn, lookOn }) {
  const heading = element("h2", { tabIndex: -1 }, skipped ? "That was the last question" : "All questions are answered");
  const again = skipped ? keyButton(`Answer the ${counted(skipped, ["question", "questions"])} that you skipped`, "←", goOn, { className: "primary" }) : null;
  const more = unseen ? keyButton(`Look at the ${counted(unseen, ["ad", "ads"])} without a question`, "→", lookOn) : null;
  const report = review.report ? element("p", {}, element("a", { href: review.report }, "Open the report")) : null;
  end.replaceChildren(heading, reached, verdicts, changes, ...[again, more, last, report].filter(Boolean), keyButton("Undo the last answer", "U", undo));
  return heading;
}
