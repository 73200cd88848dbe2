// What the console, browser tests and the bench can reach of the page's script, as `mediaan.NAME`.

export { mainArea } from "./areas/scores.js";
export { chooseShape } from "./areas/highlight.js";
export { applyCommand, runFolder } from "./core/command.js";
export { imageCache, imageOf, objectUrls } from "./core/images.js";
export { report } from "./core/report.js";
export { notify, openMedium, state } from "./core/state.js";
export { showDetail } from "./detail/detail.js";
export { showMediumSummary } from "./detail/medium_summary.js";
export { newItem } from "./editor/commands.js";
export { areasFile, discardDraft, drafts, recordList } from "./editor/drafts.js";
export { loadScorer } from "./editor/scores.js";
export { goToItem } from "./editor/panel.js";
export { chosenItem, focusItem, visibleItems } from "./editor/session.js";
export { sortBy, updateList } from "./filters/address.js";
export { filterBy } from "./filters/controls.js";
export { csvText, jsonText } from "./gallery/export.js";
export { layOutRest, showList, updateRow } from "./gallery/list.js";
export { failuresText } from "./overview/rule_counts.js";
export { toScene } from "./player/scenes.js";
export { pointAt, sceneAt } from "./player/timeline.js";
export { showMoment, video } from "./player/video.js";
export { toggleZoom } from "./viewer/viewer.js";
