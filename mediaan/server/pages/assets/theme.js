// Light or dark: what was chosen in a page or a report holds for all of them.

function recall() {
  try {
    return localStorage.getItem("mediaan-theme");
  } catch {
    return null; // some browsers keep nothing
  }
}

export function isDark() {
  return (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

export function toggleTheme() {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("mediaan-theme", theme);
  } catch { /* see above */ }
}

const theme = recall();
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
document.documentElement.classList.add("scripted");
