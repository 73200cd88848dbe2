// Calls of the API, as this browser's session; and where the page says what went wrong.

/** Address of the API: beside the assets, wherever a proxy has put the server. */
export const API = new URL("../../predict/v2", import.meta.url).pathname;

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

/** The session is over: the server asks for the key, then comes back here. */
export function signInAgain() {
  location.reload();
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
  if (response.status === 401) signInAgain();
  if (!response.ok) throw new ApiError(response.status, await detailOf(response));
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}

/** Tell those who listen to the page instead of looking at it. */
export function say(text) {
  document.getElementById("says").textContent = text;
}

/** Show a problem until it is dismissed. */
export function showTrouble(text) {
  const words = Object.assign(document.createElement("span"), { textContent: text });
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Dismiss" });
  const line = Object.assign(document.createElement("p"), { className: "alert" });
  button.addEventListener("click", () => line.remove());
  line.append(words, button);
  const host = document.getElementById("trouble");
  if ([...host.querySelectorAll("span")].some((other) => other.textContent === text)) return;
  host.append(line);
}
