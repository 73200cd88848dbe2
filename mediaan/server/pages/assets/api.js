// Calls of the API, as this browser's session; and where the page says what went wrong.

/** Path of the API, as the server gives it. */
export const API = document.documentElement.dataset.api;

/** What the API answers to a request that it does not fulfil; the message is its own sentence. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function detailOf(response) {
  const body = await response.json().catch(() => null);
  return body?.detail ?? `The server answered ${response.status}`;
}

/** What the page says where it cannot simply ask for the key. */
export const SIGNED_OUT = "You are no longer signed in; sign in on another tab, then try again";

/** The session is over: the server asks for the key, then comes back here; unless files that were chosen would be lost. */
export function signInAgain() {
  if (dispatchEvent(new Event("signed-out", { cancelable: true }))) location.reload();
  else showTrouble(SIGNED_OUT);
}

/** Status and body of an answer; throws what the API refuses, and what never reached it. */
export async function call(method, path, body) {
  const options = { method };
  if (body !== undefined) Object.assign(options, { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  let response;
  try {
    response = await fetch(API + path, options);
  } catch {
    throw new ApiError(0, "The server cannot be reached");
  }
  if (response.status === 401) {
    signInAgain();
    throw new ApiError(401, SIGNED_OUT);
  }
  if (!response.ok) throw new ApiError(response.status, await detailOf(response));
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}

/** Tell those who listen to the page instead of looking at it. */
export function say(text) {
  document.getElementById("says").textContent = text;
}

const troubles = () => [...document.querySelectorAll("#trouble span")];

/** Show a problem until it is dismissed, or over. */
export function showTrouble(text) {
  const words = Object.assign(document.createElement("span"), { textContent: text });
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Dismiss" });
  const line = Object.assign(document.createElement("p"), { className: "alert" });
  button.addEventListener("click", () => line.remove());
  line.append(words, button);
  if (!troubles().some((other) => other.textContent === text)) document.getElementById("trouble").append(line);
}

/** A problem that is over is shown no more. */
export function endTrouble(text) {
  troubles().find((other) => other.textContent === text)?.parentElement.remove();
}
