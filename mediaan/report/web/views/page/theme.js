// Light and dark.

import { byId } from "../core/dom.js";
import { readLocally, storeLocally } from "../core/choices.js";

function isDark() {
  return (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

function toggleTheme() {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  storeLocally("theme", theme);
}

export function wireTheme() {
  const theme = readLocally("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  byId("theme").addEventListener("click", toggleTheme);
}
