// What matters of one medium, in plain words: what holds it back, what works, what to try.

const FEW_REASONS = 3;

/** Where the verdict has no reasons, what stands out beside the other media of the run. */
function remarksOf(medium, kinds) {
  return medium.remarks.filter((found) => kinds.includes(found.kind)).map(({ sentence, advice }) => ({ text: sentence, todo: advice }));
}

function reasons(medium) {
  const { good = [], bad = [] } = medium.gist ?? {};
  if (good.length + bad.length) return { good, bad };
  return { good: remarksOf(medium, ["strength"]), bad: remarksOf(medium, ["weakness", "extreme"]) };
}

function reasonItem({ text, why, sure }) {
  const behind = why ? element("span", { className: "sub" }, `Mostly: ${why}`) : null;
  const doubt = sure === false ? element("span", { className: "sub" }, "Not sure: its interval reaches the other side.") : null;
  return element("li", {}, ended(text), behind, doubt);
}

/** Advice, with what it is about; the same advice twice says nothing new. */
function todoItems(found) {
  const about = new Map();
  for (const { text, todo } of found) if (todo && !about.has(todo)) about.set(todo, text.split(":")[0].replace(/\.$/, ""));
  return [...about].map(([todo, subject]) => element("li", {}, element("strong", {}, `${subject}: `), todo));
}

function showReasons(id, items, otherwise) {
  const [list, none] = [byId(`gist-${id}`).querySelector("ul"), byId(`gist-${id}`).querySelector("p")];
  list.replaceChildren(...items.slice(0, FEW_REASONS));
  none.textContent = items.length ? "" : otherwise;
}

function showSentence(medium) {
  const [lead, ...rest] = (medium.gist?.sentence ?? "").split(":");
  const place = byId("gist-sentence");
  place.hidden = !medium.gist;
  place.className = `gist-sentence ${medium.gist?.verdict ?? ""}`;
  place.replaceChildren(element("strong", {}, `${lead}:`), rest.join(":"));
}

function showGist(medium) {
  const { good, bad } = reasons(medium);
  showSentence(medium);
  showReasons("bad", bad.map(reasonItem), "Nothing stands out as a weakness.");
  showReasons("good", good.map(reasonItem), "Nothing stands out as a strength.");
  showReasons("try", todoItems(bad), bad.length ? "No general advice fits this." : "Nothing that these numbers speak for.");
}
