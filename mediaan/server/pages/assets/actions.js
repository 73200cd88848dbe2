// What can be done to one medium.

import { call, say, showTrouble } from "./api.js";
import { editObjectives } from "./objectives.js";
import { refresh } from "./library.js";

const address = (row) => `/${row.dataset.collection}/${row.dataset.id}`;

/** Start it and look how it goes: what takes long is answered when it is done, and shown before. */
async function start(row, method, path, words) {
  say(words);
  const started = call(method, path);
  setTimeout(refresh, 150);
  await started;
}

const predict = (row) => start(row, "PUT", `${address(row)}/predict`, `Predicting ${row.dataset.name}`);
const detect = (row) => start(row, "POST", `${address(row)}/aois/detect`, `Finding areas in ${row.dataset.name}`);

/** Ask in a dialog; what its button says. */
function ask(dialog, about) {
  dialog.querySelector(".about").textContent = about;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

async function remove(row) {
  const { id, name } = row.dataset;
  if ((await ask(document.getElementById("delete-dialog"), name)) !== "yes") return;
  await call("DELETE", `/media/${id}`);
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  (next?.querySelector("summary") ?? document.getElementById("listing")).focus({ preventScroll: true });
  say(`${name} is deleted`);
}

const ACTIONS = { predict, detect, objectives: editObjectives, delete: remove };

async function act(button) {
  const row = button.closest("tr");
  const menu = button.closest("details");
  menu.open = false;
  menu.querySelector("summary").focus({ preventScroll: true });
  try {
    await ACTIONS[button.dataset.does](row);
  } catch (error) {
    showTrouble(`${row.dataset.name}: ${error.message}`);
  }
  await refresh();
}

function closeMenus(except = null) {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== except) menu.open = false;
}

function onKey(event) {
  const menu = event.target.closest("details.menu[open]");
  if (!menu) return;
  const items = [...menu.querySelectorAll("a, button:not(:disabled)")];
  const at = items.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? items.length - 1 : at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (to !== undefined) items[(to + items.length) % items.length].focus();
  if (event.key === "Escape") {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
  if (to !== undefined || event.key === "Escape") event.preventDefault();
}

export function wireActions() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-does]");
    closeMenus(event.target.closest("details.menu"));
    if (button) act(button);
  });
  document.addEventListener("focusin", (event) => closeMenus(event.target.closest("details.menu")));
  document.addEventListener("keydown", onKey);
}
