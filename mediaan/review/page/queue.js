// Answers on their way: written one after the other, in order; where one cannot be written, all wait.

/**
 * @param {ReviewBackend} backend
 * @param {{ onReply: (request: ReviewRequest, reply: AnswerReply) => void; onFailure: (error: Error) => void; onIdle: () => void }} listener
 */
export function answerQueue(backend, { onReply, onFailure, onIdle }) {
  /** @type {ReviewRequest[]} */
  let waiting = [];
  let sending = false;
  let failed = false;

  async function send() {
    if (sending || failed) return;
    sending = true;
    while (waiting.length && !failed) {
      const [request] = waiting;
      try {
        const reply = await (request === null ? backend.undo() : backend.answer(request));
        waiting = waiting.slice(1);
        onReply(request, reply);
      } catch (error) {
        failed = true;
        onFailure(error);
      }
    }
    sending = false;
    if (!waiting.length) onIdle();
  }

  return {
    /** @param {ReviewRequest} request */
    push(request) {
      waiting.push(request);
      send();
    },
    retry() {
      failed = false;
      send();
    },
    /** Give up what could not be written; returns it. */
    drop() {
      const request = waiting.shift() ?? null;
      failed = false;
      send();
      return request;
    },
    /**
     * Leave out an answer that was not sent yet; says whether it was left out.
     * @param {ReviewRequest} request
     */
    remove(request) {
      const i = waiting.indexOf(request);
      if (request === null || i < 0 || (i === 0 && !failed)) return false;
      waiting.splice(i, 1);
      if (i === 0) failed = false;
      send();
      return true;
    },
    /** Answers that wait, less those that are taken back. */
    balance: () => waiting.reduce((sum, request) => sum + (request === null ? -1 : 1), 0),
    isEmpty: () => waiting.length === 0,
    size: () => waiting.length,
    hasFailed: () => failed,
  };
}
