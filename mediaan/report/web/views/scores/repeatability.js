// The ± beside a number: how far it moves when a still image is mirrored, cropped or resized.

import { report } from "../core/report.js";

/**
 * As `mediaan.types.repeatability`: nine in ten views of the image stay within; null where that was not measured.
 * @param {string} metric
 * @param {number | null | undefined} value
 * @param {Medium} medium
 */
export function repeatability(metric, value, medium) {
  const curve = report.repeatability[metric];
  if (medium.moves || value == null || !curve) return null;
  const after = curve.value.findIndex((knot) => knot >= value);
  if (after <= 0) return report.statistics.z90 * (after === 0 ? curve.sd[0] : /** @type {number} */ (curve.sd.at(-1)));
  const part = (value - curve.value[after - 1]) / (curve.value[after] - curve.value[after - 1]);
  return report.statistics.z90 * (curve.sd[after - 1] + part * (curve.sd[after] - curve.sd[after - 1]));
}

/**
 * `± 6`; nothing where it is not known, or too small to be written.
 * @param {number | null} moves
 * @param {(value: number) => string} show
 */
export function plusMinus(moves, show) {
  const text = moves === null ? "" : show(moves);
  return Number(text) ? `± ${text}` : "";
}
