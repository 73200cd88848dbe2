// Numbers, times and sentences as the page writes them.

export const MINUS = "\u2212";

/**
 * A count of an image is a whole number; that of a video is an average.
 * @param {number} value
 * @param {{ unit: string, decimals: number }} metric
 */
export function formatValue(value, metric) {
  if (metric.unit === "count" && Number.isInteger(value)) return value.toFixed(0);
  return value.toFixed(metric.decimals);
}

/**
 * As `12.4 s`, `1:02.4` or `1:02:03.4`.
 * @param {number} seconds
 * @param {number} [decimals]
 */
export function clock(seconds, decimals = 1) {
  const unit = 10 ** decimals;
  const units = Math.round(seconds * unit);
  const [hours, minutes] = [Math.floor(units / unit / 3600), Math.floor(units / unit / 60) % 60];
  const rest = ((units % (60 * unit)) / unit).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/**
 * Points with their sign; whole ones, tenths below one.
 * @param {number} points
 */
export function signed(points) {
  const size = Math.abs(points);
  const text = size < 0.95 ? size.toFixed(1) : size.toFixed(0);
  if (Number(text) === 0) return "0";
  return `${points < 0 ? MINUS : "+"}${text}`;
}

/**
 * A number keeps its unit on its line.
 * @param {string} text
 */
export const unbroken = (text) => text.replaceAll(/(\d) (?=%|s\b)/g, "$1\u00a0").replaceAll(" ± ", "\u00a0±\u00a0");

/**
 * `64 %`; rounded down, so that it agrees with the category.
 * @param {number} percentile
 */
export function percentWords(percentile) {
  return percentile < 1 ? "fewer than 1 %" : `${Math.floor(percentile)} %`;
}

/**
 * A sentence with its full stop; nothing for none.
 * @param {string | null | undefined} text
 */
export const withFullStop = (text) => (text ? text.replace(/[^.]$/, "$&.") : "");

/**
 * `Rank 4 of 24 images.`: a medium is ranked among those of its type.
 * @param {Score["standing"]} standing
 * @param {Medium} medium
 */
export function rankOf(standing, medium) {
  return standing && standing.of > 1 ? `Rank ${standing.rank} of ${standing.of.toLocaleString("en")} ${medium.moves ? "videos" : "images"}.` : null;
}
