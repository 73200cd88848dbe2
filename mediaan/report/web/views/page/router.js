// Which view is shown, by the address.

import { SIDES, markPicks, showPicks } from "../compare/picks.js";
import { showSides, sidesOf } from "../compare/side_by_side.js";
import { byId } from "../core/dom.js";
import { report, served } from "../core/report.js";
import { state } from "../core/state.js";
import { showDetail } from "../detail/detail.js";
import { closeEditor } from "../editor/editor.js";
import { LIST, currentAddress, restoreList } from "../filters/address.js";
import { inGallery, linkOf } from "../gallery/list.js";
import { closePlayer } from "../player/player.js";

let scrollBefore = 0;

/** `#medium_id` opens a detail, `#compare=` media side by side, `#media?` a list; any other address is a place in the overview. */
export function route() {
  const address = location.hash.slice(1);
  const index = address ? report.media.findIndex((medium) => medium.done && medium.id === address) : -1;
  const indices = address.startsWith(SIDES) ? sidesOf(address) : [];
  if (indices.length < 2) closeSides(address);
  if (index >= 0) return openDetail(index);
  if (indices.length >= 2) return openSides(indices);
  return openOverview(address);
}

/**
 * The list as the address says it; with no address as the page opens.
 * @param {string} address
 */
function openOverview(address) {
  const before = state.open;
  const list = address.startsWith(LIST);
  if (list || (address === "" && currentAddress().startsWith("#"))) restoreList(list ? location.hash.slice(1 + LIST.length) : "");
  if (before !== null) return closeDetail(address);
  if (address === "media" && inGallery()) byId("all-media").scrollIntoView();
}

/** @param {number[]} indices */
function openSides(indices) {
  if (state.open === null && byId("sides").hidden) scrollBefore = scrollY;
  if (state.open !== null) leaveDetail();
  showSides(indices);
  state.picks.splice(0, state.picks.length, ...indices);
  markPicks();
  byId("chosen").hidden = true;
  byId("overview").hidden = true;
  byId("sides").hidden = false;
  byId("sides").focus({ preventScroll: true });
  scrollTo({ top: 0, behavior: "instant" });
}

function closeSides(anchor = "") {
  if (byId("sides").hidden) return;
  byId("sides").hidden = true;
  byId("overview").hidden = false;
  showPicks();
  if (anchor && byId(anchor)) return byId(anchor).scrollIntoView();
  scrollTo({ top: scrollBefore, behavior: "instant" });
}

/** @param {number} index */
function openDetail(index) {
  if (state.open === null) scrollBefore = scrollY;
  const stepping = state.open !== null;
  showDetail(index);
  byId("overview").hidden = true;
  byId("detail").hidden = false;
  document.body.classList.add("detail-open");
  if (!stepping) byId("detail").focus({ preventScroll: true });
  scrollTo({ top: 0, behavior: "instant" });
}

function leaveDetail() {
  state.open = null;
  closeEditor();
  state.timeline = null;
  closePlayer();
  byId("detail").hidden = true;
  document.body.classList.remove("detail-open");
}

/** @param {string} anchor */
function closeDetail(anchor) {
  const link = linkOf(state.open);
  leaveDetail();
  byId("overview").hidden = false;
  if (anchor && byId(anchor)) return byId(anchor).scrollIntoView();
  scrollTo({ top: scrollBefore, behavior: "instant" });
  return link.focus({ preventScroll: true });
}

/** @param {any} event */
export function goBack(event) {
  event?.preventDefault();
  if (served) return location.assign(served.home);
  history.pushState(null, "", currentAddress());
  return state.open === null ? closeSides() : closeDetail("");
}

export function wireRouter() {
  byId("back").addEventListener("click", goBack);
  byId("sides-back").addEventListener("click", goBack);
  addEventListener("hashchange", route);
}
