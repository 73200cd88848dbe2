// A review that a server keeps: each answer is on its disk before it replies.

/**
 * @param {string} token
 * @returns {ReviewBackend}
 */
export function serverBackend(token) {
  /** @param {string} method @param {string} address @param {unknown} [body] */
  async function ask(method, address, body) {
    const headers = { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "Content-Type": "application/json" }) };
    const response = await fetch(address, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }).catch(() => null);
    if (response === null) throw new Error("mediaan cannot be reached; is the command still running?");
    const content = await response.json().catch(() => ({}));
    if (response.status === 401 || response.status === 403) throw new Error("this page may no longer answer; open the address that mediaan printed last");
    if (!response.ok) throw new Error(content.error?.message ?? content.detail ?? `mediaan answered ${response.status}`);
    return content;
  }
  return {
    load: () => ask("GET", "api/review"),
    answer: (body) => ask("POST", "api/review/answers", body),
    undo: () => ask("POST", "api/review/undo", {}),
  };
}
