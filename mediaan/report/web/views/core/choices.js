// What a reader chose, kept by the browser.

/**
 * Some browsers keep nothing for pages opened from disk: the choice then lasts as long as the page.
 * @param {string} key
 * @param {string} value
 */
export function storeLocally(key, value) {
  try {
    localStorage.setItem(`mediaan-${key}`, value);
  } catch { /* see above */ }
}

/** @param {string} key */
export function readLocally(key) {
  try {
    return localStorage.getItem(`mediaan-${key}`);
  } catch {
    return null;
  }
}
