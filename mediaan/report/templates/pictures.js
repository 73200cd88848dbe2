// Where the pictures and previews of a medium come from: files of the run's folder, or inside this page.

const KEPT_OPEN = 8; // media whose pictures are not looked up again
const opened = new Map(); // by medium id: map name to data address
const lent = []; // blob addresses of previews, until they are given back

/** What travels in the page of a medium and kind, as text; null where nothing does. */
function inside(kind, medium) {
  return document.getElementById(`${kind}-${medium.id}`)?.textContent ?? null;
}

function picturesInside(medium) {
  const found = opened.get(medium.id) ?? JSON.parse(inside("pictures", medium) ?? "{}");
  opened.delete(medium.id); // the one used last comes last
  opened.set(medium.id, found);
  if (opened.size > KEPT_OPEN) opened.delete(opened.keys().next().value);
  return found;
}

/** Address of a map of a medium; undefined where it has none here. */
function pictureOf(medium, map) {
  const address = medium.maps[map];
  return address === true ? picturesInside(medium)[map] : address;
}

/** Address of a preview or a film of a medium; what is inside the page is unpacked, until `giveBackVideos`. */
function videoOf(medium, name) {
  const address = medium.videos[name];
  if (address !== true) return address;
  const bytes = Uint8Array.from(atob(inside(name, medium)), (letter) => letter.charCodeAt(0));
  lent.push(URL.createObjectURL(new Blob([bytes], { type: "video/mp4" })));
  return lent.at(-1);
}

function giveBackVideos() {
  for (const address of lent.splice(0)) URL.revokeObjectURL(address);
}
