// The page of a review that a server keeps.

import { byId, element } from "../../report/web/views/core/dom.js";
import { showReview } from "./page.js";
import { serverBackend } from "./server.js";

const server = serverBackend(new URLSearchParams(location.search).get("token") ?? "");

/** @type {ReviewBackend} */
const backend = {
  ...server,
  async load() {
    const data = await server.load();
    document.title = byId("title").textContent = data.title;
    backend.namesBrands = data.namesBrands;
    if (data.home) byId("kicker").replaceChildren(element("a", { href: data.home }, "All files"));
    return data;
  },
};

showReview(byId("review"), backend);
