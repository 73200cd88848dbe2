// Media that are chosen to be laid beside each other: two to four.

const MOST_CHOSEN = 4; // more columns than a screen can hold side by side
const picks = []; // indices, in the order in which they were chosen

/** The box by which a medium is chosen, on its picture. */
function dressPick(picture, index) {
  let box = picture.querySelector(".pick input");
  if (!box) {
    box = element("input", { type: "checkbox", "aria-label": `Compare ${report.media[index].name}` });
    box.addEventListener("change", () => togglePick(index, box));
    picture.append(element("label", { className: "pick", title: "Compare" }, box));
  }
  box.checked = picks.includes(index);
}

function togglePick(index, box) {
  const full = box.checked && picks.length === MOST_CHOSEN;
  if (full) box.checked = false;
  else if (box.checked) picks.push(index);
  else picks.splice(picks.indexOf(index), 1);
  showPicks(full ? ` Four at most: take one out first.` : "");
}

function showPicks(remark = "") {
  byId("chosen").hidden = picks.length === 0;
  byId("chosen-count").textContent = `${picks.length} chosen.${remark || (picks.length === 1 ? " Choose another to compare." : "")}`;
  byId("chosen-go").hidden = picks.length < 2;
  if (picks.length >= 2) byId("chosen-go").href = sidesAddress(picks);
}

/** Boxes of rows and cards say what is chosen. */
function markPicks() {
  for (const [index, host] of [...rows.entries(), ...cards.entries()]) {
    const box = host?.querySelector(".pick input");
    if (box) box.checked = picks.includes(index);
  }
  showPicks();
}

function clearPicks() {
  picks.length = 0;
  markPicks();
  byId("table-title").focus({ preventScroll: true });
}

function wirePicks() {
  byId("chosen-clear").addEventListener("click", clearPicks);
}
