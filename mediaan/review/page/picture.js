// The picture of a question: its numbered proposals, and boxes that are drawn on it.

import { outline, tag } from "../../report/web/views/areas/outline.js";
import { element, svgElement } from "../../report/web/views/core/dom.js";
import { bounds, limited, shortNumber } from "../../report/web/views/editor/boxes.js";
import { isClick, wirePresses } from "../../report/web/views/editor/presses.js";
import { TYPE_NAMES, areaNumbers, proposalAt } from "./review.js";

const STEP = 0.01; // of a side, for a press of an arrow
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const SAME_CORNER = 0.04; // of a side: tags that would cover each other
const TAG_PX = 30;
const ZOOMS = [2, 8]; // least and most
const NAMED_PX = 200; // least width of a picture on which the other types have their names
const MOST_NAMED = 3; // of a type; of more, the name of the first says what the others are
const SHOWN = 0.8; // of the window, which what is zoomed to fills at most

/** @param {Place} place @returns {Box} */
const boxOf = ([x, y, width, height]) => [x, y, x + width, y + height];
/** @param {Box} box @returns {Place} */
export const placeOf = ([x0, y0, x1, y1]) => [x0, y0, x1 - x0, y1 - y0].map(shortNumber);

/** @param {string} className @param {Box} box */
function shape(className, box) {
  const group = svgElement("g", { class: className });
  group.append(...outline(box, null));
  return group;
}

/**
 * @param {{ onPick: (number: number, several: boolean) => void; onType: (type: string) => void; onDraw: () => void; say: (words: string) => void }} listener
 *   `onPick`: a proposal was clicked; `onType`: an area of another type; `onDraw`: what is drawn has changed.
 */
export function reviewPicture({ onPick, onType, onDraw, say }) {
  const image = element("img", { alt: "", draggable: false, decoding: "async" });
  const drawing = svgElement("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  const tags = element("div", { "aria-hidden": "true" });
  const frame = element("div", { className: "review-picture", tabIndex: -1, role: "img" }, image, drawing, tags);
  const view = element("div", { className: "review-window" }, frame);
  const zoom = element("button", { type: "button", className: "review-zoom", "aria-pressed": "false", "aria-label": "Zoom" }, element("span", { "aria-hidden": "true" }, "⌕"), element("kbd", { "aria-hidden": "true" }, "Z"));
  const stage = element("div", { className: "review-stage" }, view, zoom);

  /** @type {Question} */
  let question;
  /** @type {Set<number> | null} */
  let picked = null; // null: as found
  /** @type {Box[]} */
  let drawn = [];
  let [draws, cross, corner] = [false, [0.5, 0.5], null]; // while a box is being drawn: by keys, from a first corner
  let press = null;
  /** @type {Proposal[]} */
  let others = []; // areas of the other types

  function render() {
    const under = press?.box ?? (corner ? bounds([corner, cross]) : null);
    const ids = new Set(question.proposals.map(({ area_id }) => area_id));
    others = question.areas.filter(({ area_id, type }) => TYPE_NAMES[type] && !ids.has(area_id)); // what else is confirmed with all
    const areas = areaNumbers(question);
    const proposed = question.proposals.map(({ number, box }) => shape(`proposal${areas.includes(number) ? "" : " unsure"}${picked?.has(number) ? " picked" : ""}`, boxOf(box)));
    drawing.replaceChildren(...others.map(({ box }) => shape("other", boxOf(box))), ...proposed, ...[...drawn, ...(under ? [under] : [])].map((box) => shape("drawn", box)));
    const marks = question.proposals.map(({ number, box }, i) => {
      const label = tag(`${number}`, "proposal", boxOf(box), null);
      const covered = question.proposals.slice(0, i).filter((other) => Math.abs(other.box[0] - box[0]) < SAME_CORNER && Math.abs(other.box[1] - box[1]) < SAME_CORNER).length;
      const above = box[1] * frame.clientHeight >= TAG_PX; // else it would cover the question
      const left = !above && !covered && frame.offsetLeft + box[0] * frame.clientWidth >= TAG_PX; // there it covers nothing
      label.style.marginLeft = `${left ? -TAG_PX : covered * TAG_PX}px`;
      label.dataset.number = `${number}`;
      label.classList.toggle("picked", picked?.has(number) === true);
      label.classList.toggle("inside", !above);
      return label;
    });
    const at = element("i", { className: "review-cross", hidden: !draws });
    Object.assign(at.style, { left: `${100 * cross[0]}%`, top: `${100 * cross[1]}%` });
    const named = others.filter(({ type }, i) => i === others.findIndex((other) => other.type === type) || others.filter((other) => other.type === type).length <= MOST_NAMED);
    const words = (frame.clientWidth < NAMED_PX ? [] : named).map(({ box, type }) => {
      const label = tag(TYPE_NAMES[type], "other", boxOf(box), null);
      label.classList.toggle("at-right", box[0] > 0.75);
      return label;
    });
    tags.replaceChildren(...words, ...marks, at);
    frame.classList.toggle("drawing", draws);
  }

  function change() {
    render();
    onDraw();
  }

  /** @param {Box} box */
  function addBox(box) {
    drawn.push(box);
    [draws, corner] = [false, null];
    say("Drawn. Confirm takes it, Undo drops it; another drag adds a box.");
    change();
  }

  function setCorner() {
    const box = corner && bounds([corner, cross]);
    if (box && box[2] > box[0] && box[3] > box[1]) return addBox(box);
    corner = cross;
    say("First corner. Space sets the opposite one.");
    return render();
  }

  image.addEventListener("error", () => say("The picture cannot be shown."));
  wirePresses(frame, {
    onPress(at, event) {
      const { number } = /** @type {HTMLElement} */ (event.target).dataset ?? {};
      press = { from: at, number: number ? Number(number) : null, draws: draws || event.pointerType !== "touch", box: null };
    },
    onDrag(at) {
      if (!press?.draws) return;
      press.box = bounds([press.from, at]);
      render();
    },
    onRelease(at, event) {
      const done = press;
      press = null;
      if (done === null) return undefined;
      if (done.box && !isClick(done.box, frame.getBoundingClientRect(), event.pointerType)) return addBox(done.box);
      render();
      if (draws) return undefined;
      const number = done.number ?? proposalAt(question.proposals, at)?.number;
      if (number !== undefined) return onPick(number, event.shiftKey);
      const other = proposalAt(others, at);
      return other && onType(other.type);
    },
    onCancel() {
      press = null;
      render();
    },
  });

  /** Show the picture as large as the proposals allow, or whole again. */
  function toggleZoom() {
    const on = zoom.getAttribute("aria-pressed") === "false";
    zoom.setAttribute("aria-pressed", `${on}`);
    view.classList.toggle("zoomed", on);
    frame.style.setProperty("--zoom", "1");
    if (on) {
      const boxes = (question.proposals.length ? question.proposals : others).map(({ box }) => boxOf(box));
      const [x0, y0, x1, y1] = boxes.length ? bounds(boxes.flatMap((box) => [[box[0], box[1]], [box[2], box[3]]])) : [0, 0, 1, 0];
      const [width, height] = [frame.clientWidth, frame.clientHeight];
      const fits = Math.min((SHOWN * view.clientWidth) / Math.max(1, (x1 - x0) * width), (SHOWN * view.clientHeight) / Math.max(1, (y1 - y0) * height));
      frame.style.setProperty("--zoom", `${limited(fits, ZOOMS[0], ZOOMS[1])}`);
      view.scrollTo({ left: ((x0 + x1) / 2) * frame.clientWidth - view.clientWidth / 2, top: ((y0 + y1) / 2) * frame.clientHeight - view.clientHeight / 2 });
    }
    render();
  }
  zoom.addEventListener("click", toggleZoom);

  return {
    stage,
    frame,
    toggleZoom,
    /** @param {Question} next */
    show(next) {
      question = next;
      [picked, drawn, draws, corner, press] = [null, [], false, null, null];
      if (view.classList.contains("zoomed") && image.getAttribute("src") !== next.picture) toggleZoom();
      if (image.getAttribute("src") !== next.picture) image.src = next.picture;
      frame.setAttribute("aria-label", `${next.path}: the picture, ${next.proposals.length === 1 ? "with one proposal" : `with ${next.proposals.length} proposals`}`);
      frame.style.setProperty("--ratio", `${next.width / next.height}`);
      render();
    },
    /**
     * Add a proposal to the areas, or take it from them.
     * @param {number} number
     */
    toggle(number) {
      picked ??= new Set(drawn.length ? [] : areaNumbers(question));
      if (!picked.delete(number)) picked.add(number);
      change();
    },
    picked: () => [...(picked ?? [])].sort((a, b) => a - b),
    /** Whether something was picked or drawn. */
    isChanged: () => picked !== null || drawn.length > 0,
    drawn: () => drawn.map(placeOf),
    isDrawing: () => draws,
    /** Draw from now on; asked for again, no more. */
    draw() {
      [draws, cross, corner] = [!draws, [0.5, 0.5], null];
      say(draws ? "Drag a box on the picture, or set two opposite corners with the arrows and Space." : "");
      change();
    },
    /** Drop what is being drawn, was drawn, or is picked; says whether there was any. */
    cancel() {
      if (!draws && press?.box == null && !drawn.length && picked === null) return false;
      if (press?.box) press = null;
      else if (draws) [draws, corner] = [false, null];
      else [drawn, picked] = [[], null];
      say("");
      change();
      return true;
    },
    /**
     * Keys that draw; says whether it took the key.
     * @param {KeyboardEvent} event
     */
    key(event) {
      if (!draws) return false;
      if (event.key === " " || (event.key === "Enter" && corner)) setCorner();
      else if (event.key === "Enter") say("Set the first corner with Space, or drag a box; Esc leaves drawing.");
      else if (event.key in ARROWS) {
        const by = event.repeat ? 2 * STEP : STEP;
        cross = cross.map((value, axis) => limited(value + by * ARROWS[event.key][axis], 0, 1));
        render();
      } else return false;
      return true;
    },
  };
}
