// Elements of the page.

export const STILL_PX = 4; // a hand that moves less only clicks
const COPIED_MS = 2500;

export const byId = (id) => document.getElementById(id);

/** Make an element; children that are strings become text, never markup. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

export function svgElement(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Tell those who do not see it what is shown. */
export function announce(words) {
  byId("detail-says").textContent = words;
}

/** Copy a text; the button says whether that was done, or what to do where it is blocked. */
export async function copyText(button, text, blocked) {
  button.dataset.words ??= button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = blocked;
  }
  setTimeout(() => { button.textContent = button.dataset.words; }, COPIED_MS);
}

export function downloadFile(name, parts, type) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
