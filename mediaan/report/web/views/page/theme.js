// Light and dark.

import { byId } from "../core/dom.js";

function isDark() {
  return (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

function toggleTheme() {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  storeLocally("theme", theme);
}

/**
 * Some browsers keep nothing for pages opened from disk: the choice then lasts as long as the page.
 * @param {string} key
 * @param {string} value
 */
function storeLocally(key, value) {
  try {
    localStorage.setItem(`mediaan-${key}`, value);
  } catch { /* see above */ }
}

/** @param {string} key */
function readLocally(key) {
  try {
    return localStorage.getItem(`mediaan-${key}`);
  } catch {
    return null;
  }
}

export function wireTheme() {
  const theme = readLocally("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  byId("theme").addEventListener("click", toggleTheme);
}
