// The sheet of the open video on one page of paper: frames of its preview, then what the page was written with.

import { byId, element, query } from "../core/dom.js";
import { imageOf, videoOf } from "../core/images.js";
import { report } from "../core/report.js";
import { state } from "../core/state.js";

const PREVIEW = "preview_heat";
const PATIENCE_MS = 8000;
const ZOOMS = ["", 0.94, 0.88, 0.82, 0.76, 0.7, 0.64, 0.58, 0.52];

/** @param {Medium} medium */
const template = (medium) => byId(`film-${medium.id}`);

/**
 * Wait for an event of a video; a video that fails or stands still says so.
 * @param {HTMLVideoElement} video
 * @param {string} name
 */
function happens(video, name) {
  return new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true });
    video.addEventListener("error", reject, { once: true });
    setTimeout(reject, PATIENCE_MS, new Error(`no ${name}`));
  });
}

/**
 * Draw the frame of each figure from the preview; the contact sheet takes their place where there is none.
 * @param {HTMLElement} paper
 * @param {Medium} medium
 */
async function drawFrames(paper, medium) {
  const address = medium.videos[PREVIEW] && videoOf(medium, PREVIEW);
  /** @type {any} */
  const frames = paper.querySelector(".frames");
  try {
    if (!address) throw new Error("no preview");
    const video = element("video", { muted: true, preload: "auto", src: address });
    await happens(video, "loadeddata");
    frames.classList.toggle("upright", video.videoHeight > video.videoWidth);
    for (const figure of frames.children) {
      const sought = happens(video, "seeked");
      video.currentTime = Number(figure.dataset.at);
      await sought;
      const canvas = figure.querySelector("canvas");
      canvas.width = video.videoWidth;
      canvas.height = video.videoHeight;
      canvas.getContext("2d").drawImage(video, 0, 0);
    }
  } catch {
    frames.remove();
    /** @type {any} */
    const instead = paper.querySelector(".instead");
    const sheet = imageOf(medium, "contact_sheet");
    if (!sheet) return;
    instead.src = sheet;
    instead.hidden = false;
    await instead.decode().catch(() => instead.remove());
  }
}

/**
 * Make everything smaller until it is on the page.
 * @param {HTMLElement} paper
 */
function fitOnPage(paper) {
  /** @type {Iterable<any>} */
  const parts = paper.querySelectorAll(".frames, .instead, .timeline, .tables");
  for (const zoom of ZOOMS) {
    for (const part of parts) part.style.zoom = zoom;
    if (paper.scrollHeight <= paper.clientHeight + 1) return;
  }
}

/**
 * Lay out the sheet of a video; it is shown on paper alone, until `putAway`.
 * @param {Medium} medium
 */
export async function layOut(medium) {
  putAway();
  const paper = element("article", { className: "film-paper film-sheet measured", lang: "en" });
  paper.append(template(medium).content.cloneNode(true));
  document.body.append(paper);
  await drawFrames(paper, medium);
  fitOnPage(paper);
  paper.classList.remove("measured");
  document.body.classList.add("prints-film");
  return paper;
}

export function putAway() {
  document.body.classList.remove("prints-film");
  query(".film-paper")?.remove();
}

/** @param {Medium} medium */
export function showFilmButton(medium) {
  byId("print-film").hidden = template(medium) === null;
}

export function wireFilmPrint() {
  byId("print-film").addEventListener("click", async () => {
    await layOut(report.media[state.open]);
    print();
  });
  addEventListener("afterprint", putAway);
}
