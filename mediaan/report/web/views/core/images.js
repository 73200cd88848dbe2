// Images and previews of a medium: files of the run's folder, or inside this page.

const MEDIA_CACHED = 8; // media whose images are not decoded again
export const imageCache = new Map(); // by medium id: map name to data address
export const objectUrls = []; // blob addresses of previews, until they are given back

/**
 * What travels in the page of a medium and kind, as text; null where nothing does.
 * @param {string} kind
 * @param {Medium} medium
 */
export function embeddedText(kind, medium) {
  return document.getElementById(`${kind}-${medium.id}`)?.textContent ?? null;
}

/** @param {Medium} medium */
function embeddedImages(medium) {
  const images = imageCache.get(medium.id) ?? JSON.parse(embeddedText("pictures", medium) ?? "{}");
  imageCache.delete(medium.id); // the one used last comes last
  imageCache.set(medium.id, images);
  if (imageCache.size > MEDIA_CACHED) imageCache.delete(imageCache.keys().next().value);
  return images;
}

/**
 * Address of a map of a medium; undefined where it has none here.
 * @param {Medium} medium
 * @param {string} map
 */
export function imageOf(medium, map) {
  const address = medium.maps[map];
  return address === true ? embeddedImages(medium)[map] : address;
}

/**
 * Address of a preview or a film of a medium; what is inside the page is unpacked, until `releaseVideos`.
 * @param {Medium} medium
 * @param {string} name
 */
export function videoOf(medium, name) {
  const address = medium.videos[name];
  if (address !== true) return address;
  const bytes = Uint8Array.from(atob(embeddedText(name, medium)), (letter) => letter.charCodeAt(0));
  objectUrls.push(URL.createObjectURL(new Blob([bytes], { type: "video/mp4" })));
  return objectUrls.at(-1);
}

export function releaseVideos() {
  for (const address of objectUrls.splice(0)) URL.revokeObjectURL(address);
}
