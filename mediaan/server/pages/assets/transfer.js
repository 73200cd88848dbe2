// One file on its way to the server: a picture in one request, a video in chunks that can be resumed.

import { API, ApiError, SIGNED_OUT, call, signInAgain } from "./api.js";

const CHUNK_BYTES = 8 * 2 ** 20; // a multiple of 256 KiB, as resumable uploads want
const TRIES = 6; // without a byte getting through; 1 + 2 + 4 + 8 + 16 s in all
const VIDEO_TYPES = { mp4: "video/mp4", m4v: "video/mp4", webm: "video/webm", mov: "video/quicktime", mkv: "video/x-matroskaa", avi: "video/avi", gif: "image/gif" };

const suffix = (file) => file.name.split(".").at(-1).toLowerCase();
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** What a file is taken for, by its name as browsers do; the server looks inside. */
export function kindOf(file) {
  if (VIDEO_TYPES[suffix(file)]) return "video";
  return file.type.startsWith("image/") || /^(jpe?g|png|webp|bmp|tiff?|heic|heif|avif|jp2|j2k|jpf|jpx|psd|psb|p[bgpn]m|qoi)$/.test(suffix(file)) ? "image" : null;
}

/** Which part of the API a file's medium belongs to. */
export function collectionOf(file) {
  if (kindOf(file) === "image") return "images";
  return suffix(file) === "gif" ? "mixed-media" : "videos";
}

/** Send a request whose progress is of interest, which fetch does not tell. */
function send(method, address, body, { headers = {}, onProgress, signal } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, address);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => onProgress?.(event.loaded));
    request.addEventListener("load", () => resolve(request));
    for (const kind of ["error", "timeout"]) request.addEventListener(kind, () => reject(new ApiError(0, "The connection broke")));
    request.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    if (signal?.aborted) return reject(new DOMException("", "AbortError"));
    return request.send(body);
  });
}

function checked(request) {
  if (request.status === 401) {
    signInAgain();
    throw new ApiError(401, SIGNED_OUT);
  }
  if (request.status >= 200 && request.status < 300) return request;
  let detail = null;
  try {
    ({ detail } = JSON.parse(request.responseText));
  } catch { /* not from the API */ }
  throw new ApiError(request.status, detail ?? `The server answered ${request.status}`);
}

/** Upload a picture, which predicts it. */
export async function sendPicture(transfer, file, signal) {
  const form = new FormData();
  form.append("file", file);
  const onProgress = (bytes) => transfer.tell(bytes >= file.size ? "Predicting" : "Sending", Math.min(1, bytes / file.size));
  const request = checked(await send("POST", `${API}/images`, form, { onProgress, signal }));
  return JSON.parse(request.responseText).media_id;
}

/** Create, send, predict; what was done before stays done when it is tried again. */
export async function sendVideo(transfer, file, signal) {
  const collection = collectionOf(file);
  if (!transfer.created) {
    transfer.tell("Starting", 0);
    const wanted = { content_type: VIDEO_TYPES[suffix(file)], total_bytes: file.size, name: file.name.slice(0, 200) };
    transfer.created = (await call("POST", `/${collection}`, wanted)).body;
  }
  const { media_id, resumable_url } = transfer.created;
  // by its path: the page may have been opened under another name than the server gives itself
  if (!transfer.sent) await sendChunks(transfer, file, new URL(resumable_url, location).pathname, signal);
  transfer.sent = true;
  transfer.tell("Starting the prediction", 1);
  await call("PUT", `/${collection}/${media_id}/predict`);
  return media_id;
}

/** Bytes that have arrived; all of them once the upload is complete. */
async function arrived(address, size, signal) {
  const request = await send("PUT", address, null, { headers: { "Content-Range": `bytes */${size}` }, signal });
  return request.status === 308 ? nextByte(request) : (checked(request), size);
}

const nextByte = (request) => Number(/-(\d+)$/.exec(request.getResponseHeader("Range") ?? "bytes=0--1")?.[1] ?? -1) + 1;

async function sendChunks(transfer, file, address, signal) {
  let [at, failures] = [transfer.resumed ? await arrived(address, file.size, signal) : 0, 0];
  transfer.resumed = true;
  while (at < file.size) {
    const before = at;
    try {
      at = await sendChunk(transfer, file, address, at, signal);
    } catch (error) {
      if (error.name === "AbortError" || (error.status >= 400 && error.status < 500)) throw error;
      failures += 1;
      if (failures >= TRIES) throw error;
      transfer.tell(`The connection broke; trying again (${failures})`, at / file.size);
      await wait(1000 * 2 ** (failures - 1));
      at = await arrived(address, file.size, signal).catch(() => at);
    }
    if (at > before) failures = 0;
  }
}

async function sendChunk(transfer, file, address, at, signal) {
  const end = Math.min(at + CHUNK_BYTES, file.size);
  const headers = { "Content-Range": `bytes ${at}-${end - 1}/${file.size}` };
  const onProgress = (bytes) => transfer.tell("Sending", (at + Math.min(bytes, end - at)) / file.size);
  const request = await send("PUT", address, file.slice(at, end), { headers, onProgress, signal });
  if (request.status === 308) return nextByte(request);
  checked(request);
  return file.size;
}
