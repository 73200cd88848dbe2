// The form of what a medium is for.

import { call, say } from "./api.js";

const dialog = () => document.getElementById("objectives-dialog");
const form = () => document.getElementById("objectives-form");
const DIVISIONS = ["industry", "usecase"];

/** Only the divisions of what is chosen. */
function showDivisions(name) {
  const [category, finer] = [form().elements[`${name}.category`].value, form().elements[`${name}.subcategory`]];
  let some = false;
  for (const group of finer.querySelectorAll("optgroup")) {
    group.hidden = group.disabled = group.dataset.of !== category;
    some ||= !group.hidden;
  }
  if (finer.selectedOptions[0]?.parentElement.hidden) finer.value = "";
  finer.disabled = !some;
}

/** An option for a value that was set elsewhere and is no word of the form's. */
function choose(field, value) {
  if (value && field.options && ![...field.options].some((option) => option.value === value)) field.append(new Option(value, value));
  field.value = value ?? "";
}

function fill(found) {
  form().reset();
  const { elements } = form();
  for (const name of ["purpose", "platform", "country", "exposure_s", "benchmark"]) choose(elements[name], found[name]);
  for (const name of DIVISIONS) {
    choose(elements[`${name}.category`], found[name]?.category);
    showDivisions(name);
    choose(elements[`${name}.subcategory`], found[name]?.subcategory);
  }
  if (elements.brand_kit) choose(elements.brand_kit, found.brand_kit);
  elements["brand.name"].value = found.brand?.name ?? "";
  elements["brand.aliases"].value = (found.brand?.aliases ?? []).join(", ");
}

/** What the API takes: only what was said. */
function read() {
  const { elements } = form();
  const said = {};
  for (const name of ["purpose", "platform", "benchmark", "brand_kit"]) if (elements[name]?.value) said[name] = elements[name].value;
  if (elements.country.value) said.country = elements.country.value.toUpperCase();
  if (elements.exposure_s.value) said.exposure_s = elements.exposure_s.valueAsNumber;
  for (const name of DIVISIONS) {
    const [category, subcategory] = [elements[`${name}.category`].value, elements[`${name}.subcategory`].value];
    if (category) said[name] = subcategory ? { category, subcategory } : { category };
  }
  const aliases = elements["brand.aliases"].value.split(",").map((text) => text.trim()).filter(Boolean);
  if (elements["brand.name"].value.trim()) said.brand = { name: elements["brand.name"].value.trim(), aliases };
  return said;
}

function complain(text) {
  const problem = form().querySelector(".problem");
  problem.textContent = text;
  problem.hidden = !text;
}

/** Open the form over what has been said of a medium; resolves when it is closed. */
export async function editObjectives(row) {
  const path = `/media/${row.dataset.id}/objectives`;
  fill((await call("GET", path)).body);
  complain("");
  form().querySelector(".exposure").hidden = row.dataset.collection !== "images"; // what moves lasts as long as it lasts
  dialog().querySelector(".about").textContent = row.dataset.name;
  dialog().showModal();
  return new Promise((resolve) => {
    form().onsubmit = (event) => {
      event.preventDefault();
      save(path, row.dataset.name);
    };
    dialog().onclose = resolve;
  });
}

async function save(path, name) {
  complain("");
  try {
    await call("PUT", path, read());
  } catch (error) {
    return complain(error.message);
  }
  dialog().close();
  return say(`The objective of ${name} is saved`);
}

export function wireObjectives() {
  for (const name of DIVISIONS) form().elements[`${name}.category`].addEventListener("change", () => showDivisions(name));
  form().querySelector(".cancel").addEventListener("click", () => dialog().close());
}
