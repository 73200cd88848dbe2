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
    if (response === null) throw new Error("mediaan cannot be reached; is it still running?");
    const content = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(content.error?.message ?? content.detail ?? `mediaan answered ${response.status}`);
    return content;
  }
  /** @type {(string | undefined)[]} */
  const given = []; // ids of the answers that were given here, where others may answer at the same time
  return {
    load: () => ask("GET", "api/review"),
    async answer(body) {
      const reply = await ask("POST", "api/review/answers", body);
      given.push(reply.answer);
      return reply;
    },
    async undo() {
      const reply = await ask("POST", "api/review/undo", { answer: given.at(-1) });
      given.pop();
      return reply;
    },
  };
}
