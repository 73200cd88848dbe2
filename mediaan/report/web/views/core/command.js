// Commands that a reader is told to run.

/** Where the run lies, as the page's own address tells; a page that was forwarded alone cannot. */
export function runFolder() {
  const folder = location.protocol === "file:" && decodeURIComponent(location.pathname).match(/^(.*)\/report\/[^/]*$/)?.[1];
  if (!folder) return "RUN";
  return /^\/[A-Za-z]:\//.test(folder) ? folder.slice(1) : folder;
}

/** @param {string} text */
export function shellQuoted(text) {
  if (/^[A-Za-z]:/.test(text)) return `"${text}"`;
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export const applyCommand = () => `mediaan aois apply ${shellQuoted(runFolder())} ~/Downloads/areas.json`;
