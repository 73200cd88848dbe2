// What the theme leaves to those who use keys or a screen reader: code and tables that scroll, a search without a name.
addEventListener("load", () => {
  document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
  for (const one of document.querySelectorAll(".md-typeset pre > code, .md-typeset__scrollwrap")) {
    if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
  }
});
