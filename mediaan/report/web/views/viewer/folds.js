// Folds of a tall page: lines over its picture, which scrolls in a window, and a table beside it.

import { byId, element } from "../core/dom.js";
import { report } from "../core/report.js";

const SHARES = [["viewers", "Viewers", "Estimated share of viewers who scroll to its middle, %"], ["attention", "Attention", "Share of the page's attention, %"]];

/** Name, title and caption of each column. */
const columns = () => [...SHARES, ...report.screens.map(({ name, title }) => [name, title, "Score of the fold alone, 0 to 100"])];

/** @param {number} value */
const percent = (value) => (value < 1 ? "< 1 %" : `${Math.round(value)} %`);

/** @param {Medium} medium */
export function showFolds(medium) {
  const folds = medium.folds;
  const isPage = folds.length > 0;
  const stage = byId("stage");
  stage.classList.toggle("page", isPage);
  for (const [name, value] of Object.entries({ tabindex: "0", role: "region", "aria-label": "The page: scroll to see lower folds" })) {
    if (isPage) stage.setAttribute(name, value);
    else stage.removeAttribute(name);
  }
  stage.scrollTop = 0;
  byId("page-folds").hidden = !isPage;
  byId("fold-lines").replaceChildren(...folds.map(foldLine));
  byId("fold-table").tHead.replaceChildren(element("tr", {}, element("th", { scope: "col" }, "Fold"), ...columns().map(([, title, caption]) => element("th", { scope: "col", title: caption }, title))));
  byId("fold-table").tBodies[0].replaceChildren(...folds.map((fold) => foldRow(fold)));
}

/**
 * The upper edge of a fold, with what is known of it.
 * @param {any} fold
 */
function foldLine(fold) {
  const words = element("span", {}, `Fold ${fold.fold}: ${percent(fold.viewers)} get here, ${percent(fold.attention)} of attention`);
  const line = element("i", {}, words);
  line.style.top = `${100 * fold.y0}%`;
  return line;
}

/** @param {any} fold */
function foldRow(fold) {
  const button = element("button", { type: "button", className: "quiet", title: "Scroll to this fold" }, `${fold.fold}`);
  button.addEventListener("click", () => byId("stage").scrollTo({ top: fold.y0 * byId("compare").clientHeight }));
  const cells = columns().map(([key]) => element("td", {}, fold[key] === null ? "–" : key === "viewers" || key === "attention" ? percent(fold[key]) : `${Math.round(fold[key])}`));
  return element("tr", {}, element("th", { scope: "row" }, button), ...cells);
}
