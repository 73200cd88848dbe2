// What matters of one medium, in plain words: its verdict, its checks, what to try.

/** Checks by side; a run of an older version has none. */
function reasons(medium) {
  const { good = [], bad = [], open = [] } = medium.gist ?? {};
  return { good, bad, open };
}

function reasonItem({ text, sure }) {
  return element("li", {}, ended(text), sure === false ? element("span", { className: "sub" }, "Likely, not sure.") : null);
}

function openItem({ text, todo }) {
  return element("li", {}, ended(text), todo ? element("span", { className: "sub" }, ended(todo)) : null);
}

/** Edits that were tried and help, then what else would mend what fails. */
function todoItems(medium) {
  return (medium.gist?.to_try ?? []).map((todo) => element("li", {}, ended(todo)));
}

function showReasons(id, items, otherwise) {
  const [list, none] = [byId(`gist-${id}`).querySelector("ul"), byId(`gist-${id}`).querySelector("p")];
  list.replaceChildren(...items);
  none.textContent = items.length ? "" : otherwise;
  byId(`gist-${id}`).hidden = !items.length && !otherwise;
}

function showSentence(medium) {
  const [lead, ...rest] = (medium.gist?.sentence ?? "").split(":");
  const place = byId("gist-sentence");
  place.hidden = !medium.gist;
  place.className = `gist-sentence ${medium.gist?.verdict ?? ""}`;
  place.replaceChildren(element("strong", {}, `${lead}:`), rest.join(":"));
}

function showGist(medium) {
  const { good, bad, open } = reasons(medium);
  showSentence(medium);
  showReasons("bad", bad.map(reasonItem), "No check fails.");
  showReasons("try", todoItems(medium), "");
  showReasons("good", good.map(reasonItem), "No check passes.");
  showReasons("open", open.map(openItem), "");
}
