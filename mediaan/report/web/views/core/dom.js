// Elements of the page.

export const STILL_PX = 4; // a hand that moves less only clicks
const COPIED_MS = 2500;

/**
 * An element of the page; its type is for who asks to know.
 * @param {string} id
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * The first element that a selector matches.
 * @param {string} selector
 * @returns {any}
 */
export const query = (selector) => document.querySelector(selector);

/**
 * All elements that a selector matches.
 * @param {string} selector
 * @returns {any[]}
 */
export const queryAll = (selector) => [...document.querySelectorAll(selector)];

/**
 * Make an element; children that are strings become text, never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ [property: string]: unknown }} properties Properties, or else attributes.
 * @param {(Node | string | null | undefined)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in node) node[key] = value;
    else node.setAttribute(key, String(value));
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

/** @param {string} tag @param {{ [name: string]: string | number }} attributes */
export function svgElement(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}

/**
 * Tell those who do not see it what is shown.
 * @param {string} words
 */
export function announce(words) {
  byId("detail-says").textContent = words;
}

/**
 * Copy a text; the button says whether that was done, or what to do where it is blocked.
 * @param {HTMLElement} button
 * @param {string} text
 * @param {string} blocked
 */
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

/** @param {string} name @param {BlobPart[]} parts @param {string} type */
export function downloadFile(name, parts, type) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
