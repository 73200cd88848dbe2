// On paper: all media one after another, when the address asks for it (?print=all).

/** A medium's detail as it is shown now, to stay when the next one is shown. */
function sheetOf(index) {
  showDetail(index);
  const sheet = byId("detail").cloneNode(true);
  sheet.hidden = false;
  sheet.classList.add("sheet");
  sheet.dataset.medium = report.media[index].id;
  return sheet;
}

/** Copies keep their ids, which styles know them by; nothing can be clicked on paper. */
function layOutAll() {
  showAllRows();
  for (const picture of document.querySelectorAll("img[loading]")) picture.loading = "eager";
  const sheets = shown.filter((index) => report.media[index].done && report.media[index].id).map(sheetOf);
  current = null;
  timeline = null;
  closePlayer();
  document.body.append(...sheets);
  for (const picture of document.querySelectorAll(".sheet img")) picture.decoding = "sync";
  document.documentElement.classList.add("all-on-paper");
}

if (new URLSearchParams(location.search).get("print") === "all") layOutAll();
