// Scores of areas of an image from its densities: the arithmetic of mediaan/aoi, on the numbers that the page's data hold.
// `model` is their `areas.scoring`; densities are unpacked from what mediaan/report/web/area_scoring.py packed.

/** @param {number} value @param {number} low @param {number} high */
const limited = (value, low, high) => Math.min(Math.max(value, low), high);

// ---- densities

/** @param {string} text */
async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Maps of a grid: whole numbers are sums of the differences to neighbours, and to the first map.
 * @param {PackedMaps} options
 */
async function unpackedMaps({ shape: [n, rows, columns], step, data }) {
  const bytes = await inflated(data);
  const cells = rows * columns;
  const codes = new Int32Array(n * cells);
  for (let i = 0; i < codes.length; i += 1) {
    const unsigned = bytes[i] | (bytes[codes.length + i] << 8) | (bytes[2 * codes.length + i] << 16) | (bytes[3 * codes.length + i] << 24);
    codes[i] = (unsigned >>> 1) ^ -(unsigned & 1);
    if (i % cells >= columns) codes[i] += codes[i - columns];
  }
  for (let i = 0; i < codes.length; i += 1) if (i % columns) codes[i] += codes[i - 1];
  for (let i = cells; i < codes.length; i += 1) codes[i] += codes[i % cells];
  return Array.from({ length: n }, (_, k) => ({ rows, columns, values: Float32Array.from(codes.subarray(k * cells, (k + 1) * cells), (code) => code * step) }));
}

/**
 * Densities of an image by window, and how long it is looked at.
 * @param {PackedDensities} packed
 */
export async function unpackDensities(packed) {
  const maps = await unpackedMaps(packed.maps);
  return { windows: Object.fromEntries(packed.windows.map((window, i) => [window, maps[i]])), exposure: packed.exposure_s };
}

/** @param {Iterable<number>} values */
function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/**
 * A density of other values, that sums to 1.
 * @param {Density} density
 * @param {Float64Array} values
 */
function normalized(density, values) {
  const total = sum(values);
  return { ...density, values: Float32Array.from(values, (value) => value / total) };
}

/** @param {Density} density @param {HazardModel} model */
const sharpened = (density, model) => normalized(density, Float64Array.from(density.values, (value) => value ** model.sharpness));

/**
 * Weighed by a Gaussian around the place where gaze begins.
 * @param {Density} density
 * @param {HazardModel} model
 */
function centred(density, model) {
  const { rows, columns, values } = density;
  const bell = (i, n, centre) => Math.exp((-0.5 * ((i + 0.5) / n - centre) ** 2) / model.centre_sd ** 2);
  const across = Array.from({ length: columns }, (_, x) => bell(x, columns, model.centre[0]));
  const down = Array.from({ length: rows }, (_, y) => bell(y, rows, model.centre[1]));
  return normalized(density, Float64Array.from(values, (value, i) => value * (down[Math.floor(i / columns)] * across[i % columns])));
}

/**
 * Densities of gaze in the periods into which looking at an image is divided.
 * @param {Densities["windows"]} windows
 * @param {HazardModel} model
 */
function periodDensities(windows, model) {
  const total = sharpened(windows.total, model);
  const start = windows.start ? sharpened(windows.start, model) : total;
  return [centred(start, model), start, total, windows.end ? sharpened(windows.end, model) : total];
}

// ---- places

/**
 * Shares of rows or columns between two sides.
 * @param {number} low
 * @param {number} high
 * @param {number} n
 */
function overlaps(low, high, n) {
  const [from, to] = [low, high].map((side) => limited(side, 0, 1) * n);
  return Float64Array.from({ length: n }, (_, i) => Math.max(0, limited(to, i, i + 1) - limited(from, i, i + 1)));
}

/** @param {Box} pair @param {number} rows @param {number} columns */
function boxCoverage([x0, y0, x1, y1], rows, columns) {
  const [down, across] = [overlaps(y0, y1, rows), overlaps(x0, x1, columns)];
  return Float64Array.from({ length: rows * columns }, (_, i) => down[Math.floor(i / columns)] * across[i % columns]);
}

/**
 * Where an edge is cut by the lines of the grid: shares of its length, its ends among them.
 * @param {Point} point
 * @param {Point} point
 * @param {number} rows
 * @param {number} columns
 */
function edgeCuts([ax, ay], [bx, by], rows, columns) {
  const cuts = new Set([0, 1]);
  for (const [from, to, n] of [[ax, bx, columns], [ay, by, rows]]) {
    for (let line = 0; from !== to && line <= n; line += 1) {
      const at = (line - from) / (to - from);
      if (at > 0 && at < 1) cuts.add(at);
    }
  }
  return [...cuts].sort((a, b) => a - b);
}

/**
 * Share of each cell inside a polygon: the signed area between each edge and the left border (Green's theorem).
 * @param {Point[]} polygon
 * @param {number} rows
 * @param {number} columns
 */
function polygonCoverage(polygon, rows, columns) {
  const corners = polygon.map(([x, y]) => [limited(x, -1e3, 1e3) * columns, limited(y, -1e3, 1e3) * rows]);
  const wide = columns + 2;
  const covered = new Float64Array(rows * wide);
  corners.forEach((start, i) => {
    const end = corners[(i + 1) % corners.length];
    const points = edgeCuts(start, end, rows, columns).map((at) => [limited(start[0] + at * (end[0] - start[0]), 0, columns), start[1] + at * (end[1] - start[1])]);
    for (let k = 1; k < points.length; k += 1) {
      const [[ax, ay], [bx, by]] = [points[k - 1], points[k]];
      const [column, row] = [Math.floor((ax + bx) / 2), Math.floor((ay + by) / 2)];
      if (row < 0 || row >= rows) continue;
      const inCell = 1 - ((ax + bx) / 2 - column);
      covered[row * wide + column] += (by - ay) * inCell;
      covered[row * wide + column + 1] += (by - ay) * (1 - inCell);
    }
  });
  const shares = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0, inside = 0; column < columns; column += 1) {
      inside += covered[row * wide + column];
      shares[row * columns + column] = Math.min(1, Math.abs(inside));
    }
  }
  return shares;
}

/**
 * Share of each cell of a grid that lies in an area: in its polygon, or in its box where that is null.
 * @param {Box} box
 * @param {Point[] | null} polygon
 * @param {number} rows
 * @param {number} columns
 */
export function coverage(box, polygon, rows, columns) {
  return polygon ? polygonCoverage(polygon, rows, columns) : boxCoverage(box, rows, columns);
}

/**
 * Share of a density inside.
 * @param {Density} density
 * @param {Float64Array} covered
 */
function shareInside(density, covered) {
  let share = 0;
  for (let i = 0; i < covered.length; i += 1) share += density.values[i] * covered[i];
  return Math.min(1, share);
}

// ---- who looks, when and for how long

/** @param {number} t0 @param {number} t1 @param {HazardModel} model */
const timeForGaze = (t0, t1, model) => Math.max(t1, model.latency_s) - Math.max(t0, model.latency_s);

/**
 * Hazard of a fixation between two times, for the share of attention that the area then has.
 * @param {number} share
 * @param {number} t0
 * @param {number} t1
 * @param {HazardModel} model
 */
function hazardOf(share, t0, t1, model) {
  const inside = limited(share, 0, model.largest_share);
  const early = timeForGaze(Math.min(t0, model.window_s), Math.min(t1, model.window_s), model);
  const late = timeForGaze(Math.max(t0, model.window_s), Math.max(t1, model.window_s), model);
  return (model.rate * (early + model.late_pace * late) * inside) / (1 - inside);
}

/** @param {number} hazard @param {HazardModel} model */
const shareSeen = (hazard, model) => -Math.expm1(-Math.log1p(model.frailty * hazard) / model.frailty);

/** @param {number} exposure @param {HazardModel} model */
function periodSpans(exposure, model) {
  const until = Math.max(exposure, model.trained_exposure_s);
  const turns = [0, model.center_bias_duration_s, model.window_s, until - model.window_s, until];
  return turns.slice(1).map((end, i) => [turns[i], Math.min(end, exposure)]).filter(([begin]) => begin < exposure);
}

/** @param {TimeWindow} window @param {number} exposure @param {HazardModel} model */
function windowSpan(window, exposure, model) {
  if (window === "start") return [0, Math.min(model.window_s, exposure)];
  return window === "end" ? [Math.max(0, exposure - model.window_s), exposure] : [0, exposure];
}

/**
 * Time by which half of those who see the area have seen it; null where hardly anybody does.
 * @param {number[]} times
 * @param {number[]} hazards
 * @param {HazardModel} model
 */
function firstSeen(times, hazards, model) {
  const seen = hazards.length ? shareSeen(hazards.at(-1), model) : 0;
  if (seen < model.min_share_seen) return null;
  const half = Math.expm1(-model.frailty * Math.log1p(-seen / 2)) / model.frailty;
  const after = hazards.findIndex((hazard) => hazard >= half);
  if (after <= 0) return times[0];
  const [low, high] = [hazards[after - 1], hazards[after]];
  return times[after - 1] + ((times[after] - times[after - 1]) * (half - low)) / (high - low);
}

// ---- scores

/**
 * What scores the areas of one image, by box and polygon: for each metric its values by time window, [value] or the reason why there is none.
 * @param {Densities} densities
 * @param {ScoringModel} options
 * @param {TimeWindow[]} times
 */
export function areaScorer(densities, { model, reasons }, times) {
  const { windows, exposure } = densities;
  const periods = periodDensities(windows, model);
  const spans = periodSpans(exposure, model);

  return (box, polygon) => {
    const { rows, columns } = windows.total;
    const covered = coverage(box, polygon, rows, columns);
    const [area] = coverage(box, polygon, 1, 1);
    const gaze = spans.map(([t0, t1], i) => ({ share: shareInside(periods[i], covered), t0, t1 }));

    const inWindow = (window) => {
      const [begin, end] = windowSpan(window, exposure, model);
      let [hazard, looked] = [0, 0];
      for (const { share, t0, t1 } of gaze) {
        const from = Math.max(t0, begin);
        const to = Math.max(from, Math.min(t1, end));
        hazard += hazardOf(share, from, to, model);
        looked += model.gaze * share * timeForGaze(from, to, model);
      }
      const share = shareInside(windows[window], covered);
      const seen = shareSeen(hazard, model);
      const spent = Math.min(looked / (end - begin), seen);
      return {
        attention: [100 * share],
        percentage_seen: [100 * seen],
        time_spent: [spent * (end - begin)],
        availability: [100],
        relative_attention: [100 * share],
        lift: area > 0 ? [share / area] : reasons.no_area,
      };
    };

    const whenSeen = () => {
      const [at, hazards] = [[], []];
      for (const { share, t0, t1 } of gaze) {
        const [from, before] = [Math.max(t0, model.latency_s), hazards.at(-1) ?? 0];
        if (t1 <= from) continue;
        if (!at.length || at.at(-1) < from) {
          at.push(from);
          hazards.push(before);
        }
        at.push(t1);
        hazards.push(before + hazardOf(share, t0, t1, model));
      }
      const value = firstSeen(at, hazards, model);
      return value === null ? reasons.hardly_anybody : [value];
    };

    const byTime = Object.fromEntries(times.filter((time) => windows[time]).map((time) => [time, inWindow(time)]));
    const ofMetric = (metric) => Object.fromEntries(times.map((time) => [time, byTime[time] ? byTime[time][metric] : reasons[time]]));
    const scores = Object.fromEntries(Object.keys(byTime.total).map((metric) => [metric, ofMetric(metric)]));
    return { ...scores, first_seen_s: { total: whenSeen() } };
  };
}
