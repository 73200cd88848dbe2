// Files that were dropped or chosen: two pictures and one video at a time, the others wait.

import { call, say, showTrouble } from "./api.js";
import { refresh } from "./library.js";
import { collectionOf, kindOf, sendPicture, sendVideo } from "./transfer.js";

const LINGERS_MS = 4000; // a finished upload, before its line goes: it is in the list
const AT_ONCE = { image: 2, video: 1 };
const REPAIRABLE = [401, 404, 408, 409, 410, 429]; // of what the API refuses, what may go well the next time
const WITH_SERVER = ["Predicting", "Finding areas"];
const ENDED = ["done", "failed", "cancelled"];
const running = { image: 0, video: 0 };
const waiting = [];
const transfers = new Set();

const fileSize = (bytes) => {
  if (bytes < 1e6) return `${Math.max(1, Math.round(bytes / 1e3))} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
};
const element = (name, values, ...children) => {
  const made = Object.assign(document.createElement(name), values);
  made.append(...children);
  return made;
};

class Transfer {
  constructor(file) {
    const areas = document.getElementById("with-areas").checked;
    const kit = document.getElementById("with-kit")?.value;
    Object.assign(this, { file, areas, kit, kind: kindOf(file), state: "waiting", share: 0 });
    this.stage = element("span", { className: "stage" }, "Waiting");
    this.bar = element("progress", { max: 1, value: 0, ariaLabel: `Upload of ${file.name}` });
    this.cancelButton = this.button("Cancel", () => this.cancel());
    this.againButton = this.button("Try again", () => enqueue(this));
    const name = element("span", { className: "file" }, file.name, " ", element("small", {}, fileSize(file.size)));
    this.line = element("li", {}, name, this.stage, element("span", { className: "buttons" }, this.againButton, this.cancelButton), this.bar);
    this.show();
  }

  button(text, action) {
    const made = element("button", { type: "button", ariaLabel: `${text}: ${this.file.name}` }, text);
    made.addEventListener("click", action);
    return made;
  }

  tell(words, share) {
    this.share = share;
    this.stage.textContent = words === "Sending" ? `Sending, ${Math.floor(100 * share)} %` : words;
    this.bar.value = share;
    this.cancelButton.hidden = WITH_SERVER.includes(words);
    this.line.classList.toggle("predicting", WITH_SERVER.includes(words));
  }

  become(state, words) {
    this.state = state;
    if (words) this.stage.textContent = words;
    this.show();
    sum();
  }

  show() {
    this.line.className = this.state;
    this.againButton.hidden = !["failed", "cancelled"].includes(this.state) || this.hopeless;
    this.cancelButton.hidden = ENDED.includes(this.state);
  }

  async run() {
    this.aborter = new AbortController();
    const { signal } = this.aborter;
    this.become("running", "Sending");
    const sending = (this.kind === "image" ? sendPicture : sendVideo)(this, this.file, signal);
    const problem = await sending.then((id) => this.nameKit(id, signal).then(() => this.findAreas(id, signal)), (error) => error);
    if (signal.aborted) await this.withdraw(); // it may have been created meanwhile
    else if (problem) this.fail(problem);
    else this.succeed();
  }

  async nameKit(id, signal) {
    if (!this.kit || signal.aborted) return;
    await call("PUT", `/media/${id}/objectives`, { brand_kit: this.kit }).catch(({ message }) => showTrouble(`${this.file.name}: the brand kit could not be set: ${message}`));
  }

  /** How the search ends shows in the list: of a video it comes after the prediction. */
  async findAreas(id, signal) {
    if (!this.areas || signal.aborted) return;
    this.tell("Finding areas", 1);
    const search = call("POST", `/${collectionOf(this.file)}/${id}/aois/detect`);
    setTimeout(refresh, 150);
    await search.catch(({ message }) => showTrouble(`${this.file.name}: areas could not be looked for: ${message}`));
  }

  succeed() {
    this.become("done", this.kind === "image" ? "Predicted" : "Uploaded");
    setTimeout(() => this.leave(), LINGERS_MS);
  }

  fail({ status, message }) {
    this.hopeless = status >= 400 && status < 500 && !REPAIRABLE.includes(status);
    if ([404, 410].includes(status)) this.forget(); // it was deleted meanwhile
    this.become("failed", this.inShort(message));
  }

  /** Without the name of the file, which stands above it, or of the form's field. */
  inShort(text) {
    const named = [`${this.file.name}: `, "file: "].find((prefix) => text.startsWith(prefix)) ?? "";
    const words = text.slice(named.length);
    return words.charAt(0).toUpperCase() + words.slice(1);
  }

  forget() {
    this.created = this.sent = this.resumed = undefined;
  }

  leave() {
    if (this.line.contains(document.activeElement)) document.getElementById("choose").focus({ preventScroll: true });
    this.line.remove();
    if (!document.querySelector("#queue li")) clearFinished();
  }

  async cancel() {
    this.aborter?.abort();
    this.become("cancelled", "Cancelled");
    await this.withdraw();
    refresh();
  }

  async withdraw() {
    const id = this.created?.media_id;
    this.forget();
    if (id) await call("DELETE", `/media/${id}`).catch(() => {});
  }
}

function refusal(file) {
  const limits = document.getElementById("files").dataset;
  const kind = kindOf(file);
  if (kind === null) return "Not an image or video that can be analyzed";
  if (file.size === 0) return "The file is empty";
  return file.size > Number(limits[`${kind}Bytes`]) ? `Larger than ${limits[`${kind}Most`]}` : null;
}

export function addFiles(files) {
  for (const file of files) {
    const transfer = new Transfer(file);
    transfers.add(transfer);
    document.getElementById("queue").append(transfer.line);
    const problem = refusal(file);
    transfer.hopeless = problem !== null;
    if (problem) transfer.become("failed", problem);
    else enqueue(transfer);
  }
  document.getElementById("queue-part").hidden = transfers.size === 0;
  sum();
}

function enqueue(transfer) {
  transfer.become("waiting", "Waiting");
  waiting.push(transfer);
  next();
}

function next() {
  for (const transfer of [...waiting]) {
    if (transfer.state !== "waiting") waiting.splice(waiting.indexOf(transfer), 1);
    else if (running[transfer.kind] < AT_ONCE[transfer.kind]) begin(transfer);
  }
}

async function begin(transfer) {
  waiting.splice(waiting.indexOf(transfer), 1);
  running[transfer.kind] += 1;
  const soon = setTimeout(refresh, 500);
  await transfer.run();
  clearTimeout(soon);
  running[transfer.kind] -= 1;
  refresh();
  next();
}

function sum() {
  const count = (...states) => [...transfers].filter(({ state }) => states.includes(state)).length;
  const [done, failed, open] = [count("done"), count("failed"), [...transfers].filter(isOpen).length];
  const parts = [open ? `${open} to go` : null, done ? `${done} done` : null, failed ? `${failed} failed` : null];
  document.getElementById("queue-sum").textContent = parts.filter(Boolean).join(", ");
  document.getElementById("clear-queue").hidden = count(...ENDED) === 0;
  document.getElementById("all-again").hidden = repairable().length < 2;
  if (!open && done + failed > 0) say(`Uploads are finished: ${parts.filter(Boolean).join(", ")}`);
}

function clearFinished() {
  for (const transfer of transfers) {
    if (!ENDED.includes(transfer.state)) continue;
    transfers.delete(transfer);
    transfer.line.remove();
  }
  document.getElementById("queue-part").hidden = transfers.size === 0;
  sum();
}

const isOpen = ({ state }) => !ENDED.includes(state);
const repairable = () => [...transfers].filter(({ state, hopeless }) => state === "failed" && !hopeless);

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");

function onDrag(event) {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  document.body.classList.toggle("dragging", event.type === "dragover");
}

export function wireQueue() {
  const input = document.getElementById("files");
  document.getElementById("choose").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    addFiles([...input.files]);
    input.value = "";
  });
  document.getElementById("clear-queue").addEventListener("click", clearFinished);
  document.getElementById("all-again").addEventListener("click", () => repairable().forEach(enqueue));
  for (const kind of ["dragover", "dragleave", "drop"]) addEventListener(kind, onDrag);
  addEventListener("drop", (event) => carriesFiles(event) && addFiles([...event.dataTransfer.files]));
  addEventListener("beforeunload", (event) => {
    if ([...transfers].some(isOpen)) event.preventDefault();
  });
  addEventListener("signed-out", (event) => {
    if ([...transfers].some(isOpen) || repairable().length > 0) event.preventDefault(); // they would be lost with the page
  });
}
