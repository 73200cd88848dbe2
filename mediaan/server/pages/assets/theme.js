// Light or dark, before anything is drawn: what was chosen in a page or a report holds for all of them.

{
  const page = document.documentElement;
  const dark = () => (page.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

  const toggle = () => {
    page.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("mediaan-theme", page.dataset.theme);
    } catch { /* some browsers keep nothing: it then lasts as long as the page */ }
  };

  let theme = null;
  try {
    theme = localStorage.getItem("mediaan-theme");
  } catch { /* see above */ }
  if (theme === "light" || theme === "dark") page.dataset.theme = theme;
  page.classList.add("scripted");
  addEventListener("DOMContentLoaded", () => document.getElementById("theme")?.addEventListener("click", toggle));
}
