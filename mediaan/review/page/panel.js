// Elements of the page of a review: what is asked, the answers, what was reached at the end.

import { element } from "../../report/web/views/core/dom.js";
import { verdictCounts } from "./review.js";

const SIGNS = { works: "✓", attention: "✕", open: "~", unknown: "–" };
const WORDS = { works: ["works", "work"], attention: ["needs attention", "need attention"], open: ["is undecided", "are undecided"], unknown: ["has no verdict", "have no verdict"] };

/** @param {number} n @param {[string, string]} words */
export const counted = (n, words) => `${n} ${words[n === 1 ? 0 : 1]}`;

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
    place: element("span", {}),
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
  const { bar, counts, changed, error, place, tag, heading, why, list, brandForm, says, question, end } = panel;
  const actions = element("div", { className: "review-actions", role: "group", "aria-label": "Answer" }, panel.confirm, panel.none, panel.draw, panel.brand, panel.undo, panel.back, panel.skip);
  const head = element("div", { className: "review-head" }, element("p", { className: "sub" }, tag, place), heading, why);
  question.append(head, picture, element("div", { className: "review-answers" }, list, brandForm, says, actions));
  host.replaceChildren(element("div", { className: "review-progress" }, bar, counts, changed), error, question, end);
}

/**
 * A proposal: its button answers with it alone, its box with several.
 * @param {Proposal} proposal
 * @param {(number: number) => void} pick
 * @param {(number: number) => void} toggle
 */
export function proposalItem({ number, label, confidence, area_id }, pick, toggle) {
  const facts = [area_id === null ? "not an area yet" : null, confidence === null ? null : `${Math.round(100 * confidence)} % sure`].filter(Boolean).join(", ");
  const button = element("button", { type: "button" }, element("b", {}, `${number}`), element("span", {}, label || "No text", " ", element("small", {}, facts)));
  button.addEventListener("click", () => pick(number));
  const several = element("input", { type: "checkbox", "aria-label": `Choose ${number} as one of several` });
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
 * What was reached: `reached` and `verdicts` change while the last answers are written, and what can be pressed stays.
 * @param {ReturnType<typeof buildPanel>} panel
 * @param {ReviewState} review
 * @param {{ progress: ReviewProgress; written: boolean }} facts
 */
export function showReached({ reached, verdicts }, review, { progress, written }) {
  const words = `${counted(progress.answered, ["question is answered", "questions are answered"])}; ${counted(progress.undecided, ["verdict is", "verdicts are"])} still undecided.`;
  const media = Object.entries(verdictCounts(review)).filter(([, n]) => n > 0);
  reached.textContent = `${words}${written ? "" : " The last answers are being written …"}`;
  verdicts.replaceChildren(...media.map(([status, n]) => element("li", {}, element("span", { "aria-hidden": "true" }, `${SIGNS[status]} `), counted(n, WORDS[status]))));
}

/**
 * Show the end of a review; returns its heading.
 * @param {ReturnType<typeof buildPanel>} panel
 * @param {ReviewState} review
 * @param {{ skipped: number; last: Node | null; undo: () => void; goOn: () => void }} facts
 */
export function showEnd({ end, reached, verdicts }, review, { skipped, last, undo, goOn }) {
  const heading = element("h2", { tabIndex: -1 }, skipped ? "That was the last question" : "All questions are answered");
  const again = skipped ? keyButton(`Answer the ${counted(skipped, ["question", "questions"])} that you skipped`, "←", goOn, { className: "primary" }) : null;
  const report = review.report ? element("p", {}, element("a", { href: review.report }, "Open the report")) : null;
  end.replaceChildren(heading, reached, verdicts, ...[again, last, report].filter(Boolean), keyButton("Undo the last answer", "U", undo));
  return heading;
}
