// Each sheet on one page of paper: pictures get the room that text leaves, then less is listed, then text is smaller;
// where room is left, it is a little larger.

const LEAST_PICTURE = 46; // mm
const LEAST_FRAME = 26; // mm, of the key frames of a video
const LEAST_ROWS = 4; // of areas

const PROSE = ".sentence, .columns, .fine, .front";
const SMALLER = [0.94, 0.88, 0.82, 0.76, 0.7, 0.62, 0.54]; // the last for wide fonts, where a system has no other
const LARGER = [1.18, 1.12, 1.06];

/** @param {any} sheet */
const overflows = (sheet) => sheet.scrollHeight > sheet.clientHeight + 1;
/** @param {any} sheet @param {number} height */
const setHeight = (sheet, height) => sheet.style.setProperty("--h", `${height}mm`);

/** @param {any} sheet */
function dropAreas(sheet) {
  const rows = [...sheet.querySelectorAll(".areas-table tbody tr")];
  for (let left = rows.length; left > LEAST_ROWS && overflows(sheet); left -= 1) {
    rows[left - 1].remove();
    sheet.querySelector(".areas-more").hidden = false;
  }
}

/**
 * Of a video whose text is as small as it may be: texts, then scores that its purpose does not need.
 * @param {any} sheet
 */
function dropRows(sheet) {
  if (!sheet.querySelector(".timeline")) return;
  const texts = [...sheet.querySelectorAll(".texts-table tbody tr")].slice(LEAST_ROWS);
  const scores = [...sheet.querySelectorAll(".scores-table tbody tr:not(.kept)")];
  for (const row of [...texts.reverse(), ...scores.reverse()]) {
    if (!overflows(sheet)) return;
    row.remove();
  }
}

/** @param {any} sheet @param {string} parts @param {number | string} zoom */
function scale(sheet, parts, zoom) {
  for (const part of sheet.querySelectorAll(parts)) part.style.zoom = zoom;
}

/**
 * The largest height of pictures with which all is on the page; `low`, which fits, if there is none.
 * @param {any} sheet
 * @param {number} low
 * @param {number} high
 */
function fitPictures(sheet, low, high) {
  setHeight(sheet, high);
  if (!overflows(sheet)) return;
  let [fits, over] = [low, high];
  while (over - fits > 1) {
    setHeight(sheet, (fits + over) / 2);
    if (overflows(sheet)) over = (fits + over) / 2;
    else fits = (fits + over) / 2;
  }
  setHeight(sheet, fits);
}

/** @param {any} sheet */
function fit(sheet) {
  const largest = Number(sheet.dataset.largest);
  const least = Math.min(sheet.querySelector(".timeline") ? LEAST_FRAME : LEAST_PICTURE, largest);
  setHeight(sheet, least);
  dropAreas(sheet);
  for (const zoom of SMALLER) {
    if (!overflows(sheet)) break;
    scale(sheet, `${PROSE}, .tables`, zoom);
  }
  dropRows(sheet);
  fitPictures(sheet, least, largest);
  if (sheet.querySelector(PROSE).style.zoom) return;
  for (const zoom of [...LARGER, ""]) {
    scale(sheet, PROSE, zoom);
    if (!overflows(sheet)) return;
  }
}

for (const image of document.images) image.decoding = "sync";
// at once: a busy machine prints before a promise is kept; the fonts are those of the system, and need no loading
for (const sheet of document.querySelectorAll(".sheet[data-largest]")) fit(sheet);
