// The page of a review that a server keeps.

import { byId } from "../../report/web/views/core/dom.js";
import { showReview } from "./page.js";
import { serverBackend } from "./server.js";

const backend = serverBackend(new URLSearchParams(location.search).get("token") ?? "");

showReview(byId("review"), {
  ...backend,
  async load() {
    const data = await backend.load();
    document.title = byId("title").textContent = data.title;
    return data;
  },
});
