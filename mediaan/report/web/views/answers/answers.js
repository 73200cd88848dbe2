// Questions about the areas of a medium, answered in the page; the answers are saved as a file for the run.

import { fileBackend } from "../../../../review/page/file.js";
import { showReview } from "../../../../review/page/page.js";
import { placeOf } from "../../../../review/page/picture.js";
import { applyCommand } from "../core/command.js";
import { byId, copyText, downloadFile, element } from "../core/dom.js";
import { imageOf } from "../core/images.js";
import { report, runAreas, served } from "../core/report.js";
import { openMedium } from "../core/state.js";
import { areaRecords, draftOf, recordsFile, shortLabel } from "../editor/drafts.js";

/** @type {Map<string, ReturnType<typeof fileBackend>>} */
const backends = new Map(); // by medium id: what was answered
let unsaved = false;

/**
 * Questions that can be answered here: with a picture to show, and for a run that can be scored again.
 * @param {Medium} medium
 */
const questionsAbout = (medium) => ((served && !medium.areas.length) || !medium.maps.original || medium.scoring === "no_densities" ? [] : medium.questions ?? []);

/**
 * Questions with what is known of their medium.
 * @param {Medium} medium
 * @returns {Question[]}
 */
function wholeQuestions(medium) {
  const { id, width, height, brand, verdict, paths } = medium;
  const areas = runAreas(medium).map((area, i) => ({ number: i + 1, box: placeOf(area.box), type: area.type, label: area.label, confidence: area.confidence ?? null, area_id: area.id }));
  const facts = { medium_id: id, path: paths[0], folder: "", picture: imageOf(medium, "original"), width, height, brand, verdict: { status: verdict, text: report.words.verdicts[verdict] }, areas };
  return questionsAbout(medium).map((question) => ({ ...question, ...facts }));
}

/** @param {Medium} medium */
export function showQuestionsButton(medium) {
  const n = questionsAbout(medium).length;
  byId("answer-questions").hidden = n === 0;
  byId("answer-questions").textContent = `Answer ${n === 1 ? "a question" : `${n} questions`} about its areas`;
}

/** @param {Medium} medium */
function backendOf(medium) {
  if (!backends.has(medium.id)) {
    const records = () => areaRecords(draftOf(medium)).map((record) => ({ ...record, is_text: runAreas(medium).some(({ id, text }) => id === record.aoi_id && text) }));
    backends.set(medium.id, fileBackend(medium.name, wholeQuestions(medium), records));
  }
  return backends.get(medium.id);
}

function saveAnswers() {
  const answered = report.media.filter(({ id }) => backends.get(id)?.records().size);
  const entries = answered.map((medium) => [medium, backends.get(medium.id).records().get(medium.id).map(({ is_text: _, ...record }) => (record.label ? { ...record, label: shortLabel(record.label) } : record))]);
  downloadFile("areas.json", [recordsFile(/** @type {any} */ (entries))], "application/json");
  unsaved = false;
}

/** What is to be done with the answers. */
function savingWords() {
  const save = element("button", { type: "button", className: "primary" }, "Save the answers");
  const copy = element("button", { type: "button" }, "Copy");
  const how = element("p", { hidden: true }, "Saved as ", element("strong", {}, "areas.json"), ". To put the answers into the run, and to update verdicts, use: ", element("code", {}, applyCommand()), " ", copy);
  save.addEventListener("click", () => {
    saveAnswers();
    how.hidden = false;
  });
  copy.addEventListener("click", () => copyText(copy, applyCommand(), "Copying is blocked here: select the text"));
  return element("div", { className: "review-saving" }, element("p", {}, "Verdicts change once the answers are in the run. You can answer about other files first: one file takes all."), save, how);
}

function openQuestions() {
  if (served) return location.assign(served.review);
  const backend = backendOf(openMedium());
  byId("review").replaceChildren();
  byId("questions").showModal();
  showReview(byId("review"), {
    ...backend,
    answer(body) {
      unsaved = true;
      return backend.answer(body);
    },
  }, savingWords);
  return undefined;
}

export function wireAnswers() {
  byId("answer-questions").addEventListener("click", openQuestions);
  byId("close-questions").addEventListener("click", () => byId("questions").close());
  byId("questions").addEventListener("close", () => byId("review").replaceChildren()); // its keys end with it
  addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
}
