// Verdicts as the page shows them: a sign, words and a colour of their own.

import { element } from "./dom.js";

/** In the order of urgency. */
export const VERDICTS = {
  attention: { words: "Needs attention", sign: "✕" },
  open: { words: "Undecided", sign: "~" },
  works: { words: "Works", sign: "✓" },
  unknown: { words: "No verdict", sign: "–" },
};

export function verdictTag(verdict) {
  const { words, sign } = VERDICTS[verdict];
  return element("span", { className: `verdict-tag ${verdict}` }, element("span", { "aria-hidden": "true" }, `${sign} `), words);
}
