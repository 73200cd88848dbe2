// The page: views are wired, and the first one is shown.

import { wireAnswers } from "./answers/answers.js";
import { wireAreas } from "./areas/areas.js";
import { wirePicks } from "./compare/picks.js";
import { runFolder, shellQuoted } from "./core/command.js";
import { byId, query, queryAll } from "./core/dom.js";
import { served } from "./core/report.js";
import { notify, state } from "./core/state.js";
import { stepMedium, wireDetail } from "./detail/detail.js";
import { viewerKey, wireShortcuts } from "./detail/shortcuts.js";
import { recallDrafts } from "./editor/drafts.js";
import { editorKey } from "./editor/keys.js";
import { wirePanel } from "./editor/panel.js";
import { wireDrawing } from "./editor/pointer.js";
import { showDrafts } from "./editor/scores.js";
import { wireFilters } from "./filters/controls.js";
import { wireCards } from "./gallery/cards.js";
import { wireExport } from "./gallery/export.js";
import { wireList } from "./gallery/list.js";
import { wireLooks } from "./looks/looks.js";
import { wireAreaRanking } from "./overview/area_ranking.js";
import { wireCategories } from "./overview/category_counts.js";
import { wireRules } from "./overview/rule_counts.js";
import { wireSections } from "./overview/sections.js";
import { wireSummary } from "./overview/summary.js";
import { goBack, route, wireRouter } from "./page/router.js";
import { wireTheme } from "./page/theme.js";
import { playerKey, wirePlayer } from "./player/player.js";
import { wireFilmPrint } from "./print/film.js";
import { resume, wireServed } from "./served/areas.js";
import { leaveZoom, wireViewer } from "./viewer/viewer.js";

export * from "./inspect.js";

/** @param {any} event */
function onKey(event) {
  if (state.open === null && event.key === "Escape" && !byId("sides").hidden) return goBack(event);
  if (state.open === null || query("dialog[open]") || editorKey(event)) return;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (playerKey(event) || viewerKey(event)) return;
  const typing = event.target.matches("input:not([type=range]), select, textarea");
  if (event.key === "Escape" && !typing && !leaveZoom()) goBack(event);
  if (event.target.matches("input, select, textarea")) return;
  if (event.key === "ArrowLeft" || event.key === "k") stepMedium(-1);
  if (event.key === "ArrowRight" || event.key === "j") stepMedium(1);
}

document.documentElement.classList.add("scripted");
wireTheme();
for (const name of queryAll("[data-run]")) name.textContent = shellQuoted(runFolder());
wireList();
wireFilters();
wireCategories();
wireRules();
wireCards();
wirePicks();
wireExport();
wireSummary();
wireDetail();
wireViewer();
wireAnswers();
wireShortcuts();
wirePlayer();
wireFilmPrint();
wireAreas();
wireLooks();
wireDrawing();
wirePanel();
addEventListener("keydown", onKey);
wireRouter();
wireAreaRanking();
recallDrafts();
showDrafts();
if (served) wireServed();
notify("filters");
notify("list");
route();
wireSections();
if (served) resume();
