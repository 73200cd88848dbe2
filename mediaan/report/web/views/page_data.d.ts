// Types of the page's data, as mediaan/report/web/script_data.py writes them, and of what the scripts make of them.

/** Left, top, right and bottom, in shares of the sides of the image. */
type Box = number[];
/** Across and down, in the same shares. */
type Point = number[];
type Direction = "higher" | "lower" | "middle";
type Basis = "learned" | "measured" | "proxy";
type TimeWindow = "total" | "start" | "end";
type Verdict = "attention" | "open" | "works" | "unknown";
type Purpose = string;

interface PageData {
  noun: [string, string];
  words: Words;
  statistics: { z90: number; alpha: number; lean: number; widened: { [metric: string]: number } };
  /** Standard deviation of what metrics move, at some of their values. */
  repeatability: { [metric: string]: { value: number[]; sd: number[] } };
  curves: { metrics: string[]; window_s: number };
  metrics: Metric[];
  /** Metrics that each fold of a tall page has. */
  screens: { name: string; title: string }[];
  maps: MapDescription[];
  purposes: { [purpose: Purpose]: string };
  platforms: { [platform: string]: string };
  headlines: { scores: { [purpose: Purpose]: string[] }; stands_in: { [metric: string]: string }; areas: { [purpose: Purpose]: string[] } };
  looks: { [video: string]: ColourBar };
  areas: AreasOfRun;
  /** Null where nothing was compared. */
  benchmarks: Benchmarks | null;
  rules: Rule[];
  rule_statuses: string[];
  rows_at_once: number;
  placements: { [name: string]: PlacementFacts };
  media: Medium[];
  /** Media of the run, where the page shows a part of them. */
  part_of?: number;
}

interface Words {
  verdicts: { [verdict: string]: string };
  verdict_signs: { [verdict: string]: string };
  target_signs: { [position: string]: string };
  rule_signs: { [look: string]: string };
  directions: { [direction: string]: string };
  units: { [unit: string]: string };
}

interface Metric {
  name: string;
  title: string;
  unit: string;
  low: number;
  high: number;
  direction: Direction;
  basis: Basis;
  caption: string;
  decimals: number;
  n: number;
  level_with_best: number;
  aims: { [purpose: Purpose]: { direction: Direction; reason: string } };
  agreement: AgreementByDomain;
}

/** How well a score agrees with people, in words; of "any" domain, or of some. */
type AgreementByDomain = { [domain: string]: string };

interface ColourBar {
  gradient: string;
  ticks: [number, string][];
  note: string;
}

interface MapDescription {
  name: string;
  title: string;
  caption: string;
  scale: string;
  bar: ColourBar | null;
}

interface Medium {
  /** Null where the file could not be read. */
  id: string;
  name: string;
  kind: string;
  paths: string[];
  done: boolean;
  error_code: string | null;
  error_message: string | null;
  width: number;
  height: number;
  codec: string | null;
  size_bytes: number | null;
  moves: boolean;
  duration_s: number;
  frame_rate: number | null;
  share_read: number | null;
  objective: string | null;
  purpose: Purpose | null;
  brand: string | null;
  platform: string | null;
  domain: string | null;
  domain_probability: number | null;
  brand_missing: string | null;
  brand_attention: string | null;
  /** Addresses by map; true where the image is inside the page. */
  maps: { [map: string]: string | true };
  videos: { [video: string]: string | true };
  left_out: string[];
  scoring: "here" | "moves" | "folded" | "no_densities" | "left_out";
  unlike: number | null;
  notes: { code: string; message: string }[];
  scores: { [metric: string]: Score };
  remarks: { metric: string; kind: string; sentence: string }[];
  windows: string | null;
  window_scores: { [metric: string]: { [time in TimeWindow]?: Score } } | null;
  window_note: string | null;
  timeline: Timeline | null;
  folds: { [column: string]: number }[];
  areas: Area[];
  /** The areas of the run, where the views show edited ones that are not saved. */
  run_areas?: Area[];
  looks: { order: [number, number][]; path: [number, number, number, number, number | null][] } | null;
  ranges: { [metric: string]: { [time in TimeWindow]?: PackedRange | number } };
  rules: [number, number, string, boolean][];
  verdict: Verdict;
  urgency: number | null;
  reasons: string[];
  placements: Placement[];
  summary: MediumSummary | null;
  /** Open questions about its areas. */
  questions?: OpenQuestion[];
}

/** A question of a review, without what is known of its medium. */
type OpenQuestion = Pick<Question, "id" | "type" | "text" | "why" | "proposals">;

interface Score {
  value: number | null;
  lo: number | null;
  hi: number | null;
  basis: Basis;
  time: TimeWindow;
  reason: string | null;
  standing: { rank: number; first: number; last: number; of: number } | null;
  drivers: Driver[];
}

/** Points, and what moved the score by so many. */
type Driver = [number, string];

interface MediumSummary {
  verdict: Verdict;
  sentence: string;
  to_try: string[];
  good: Reason[];
  bad: Reason[];
  open: Reason[];
}

interface Reason {
  title: string;
  text: string;
  todo?: string;
  required?: boolean;
  aoi?: string;
  unknown?: boolean;
}

interface Timeline {
  /** Moments of the samples, s from the first frame. */
  t: number[];
  series: { [metric: string]: (number | null)[] };
  /** Samples that were averaged for each moment. */
  pooled: number;
  interval: number;
  end: number;
  scenes: { start: number[]; end: number[]; at: number[]; begins: string[]; scores: { [metric: string]: (number | null)[] } };
}

interface AreasOfRun {
  metrics: AreaMetric[];
  times: TimeWindow[];
  types: { name: string; title: string }[];
  columns: string[];
  longest_label: number;
  /** Parts of a side in which boxes of tracks are written, and of a second for their times. */
  grid: number;
  ticks: number;
  version: string;
  scoring: ScoringModel;
}

interface AreaMetric {
  name: string;
  title: string;
  unit: string;
  direction: Direction;
  caption: string;
  high: number | null;
  agreement: AgreementByDomain;
}

/** [value, low, high] or [value], why there is none, or null where it is not defined for a time. */
type AreaScore = number[] | string | null;

interface Area {
  id: string | null;
  type: string;
  label: string;
  method: string;
  box: Box;
  polygon?: Point[];
  confidence?: number;
  t0?: number;
  t1?: number;
  text?: string;
  line?: number;
  contrast?: number;
  legible?: boolean;
  track?: { t: number[]; spans: [number, number][]; keys: number[] };
  ranges?: ((PackedRange | number | null)[] | 0)[];
  scores: AreaScore[][];
  /** Scored in this page. */
  here?: boolean;
}

/** Population, code of category and position, sentence, its number, percentile. */
type PackedRange = [number, number, number, string, number];

interface Norm {
  norm_set: string;
  segment: string;
  metric: string;
  metric_time: string;
  aoi_type: string | null;
  n: number;
  lower: number | null;
  upper: number | null;
  edges: number[];
  target: string[];
}

interface Benchmarks {
  titles: { [normSet: string]: string };
  nouns: { [normSet: string]: string };
  categories: string[];
  positions: string[];
  norms: Norm[];
  texts: (string | null)[];
  populations: [number, number, number][];
  sentences: string[];
  reasons: string[];
}

/** Indices of the category and of the position to the target range. */
interface Places {
  category: number | null;
  position: number | null;
}

/** With `reason` alone, and no category, where there is no range. */
interface BenchmarkRange extends Norm, Places {
  why: string | null;
  fallback: string | null;
  sentence: string | null;
  percentile: number;
  reason?: string;
}

interface Rule {
  rule: string;
  name: string;
  severity: string;
  why: string | null;
}

interface RuleResult {
  rule: Rule;
  place: number;
  status: string;
  message: string;
  sure: boolean;
  look: string;
}

interface Placement {
  name: string;
  slot: [number, number];
  crop: Box;
  place: Box;
  marks: { box: Box; kind: string }[];
  lines: { name: string; text: string }[];
  areas: number;
  facts: string;
}

interface PlacementFacts {
  title: string;
  frame: string;
  zones: { title: string; box: Box }[];
  source: string;
  date: string;
}

/** Keys of `model` are those of mediaan/report/web/area_scoring.py. */
interface ScoringModel {
  model: HazardModel;
  reasons: { [name: string]: string };
}

interface HazardModel {
  [constant: string]: any;
}

/** A grid of shares of gaze or attention, row by row. */
interface Density {
  rows: number;
  columns: number;
  values: Float32Array;
}

interface PackedMaps {
  shape: [number, number, number];
  step: number;
  data: string;
}

interface PackedDensities {
  windows: TimeWindow[];
  maps: PackedMaps;
  exposure_s: number;
}

interface Densities {
  windows: { [time in TimeWindow]?: Density };
  exposure: number;
}

/** An area that is edited; `found` is its index among those of the run. */
interface DraftItem {
  key: number;
  type: string;
  label: string;
  box: Box;
  polygon: Point[] | null;
  t0: number | null;
  t1: number | null;
  found: number | null;
  moved?: boolean;
}

interface Draft {
  medium: Medium;
  start: DraftItem[];
  saved: DraftItem[];
  list: DraftItem[];
  past: DraftItem[][];
  future: DraftItem[][];
}

/** Addresses of the server that shows the page. */
interface ServedPage {
  company: string;
  areas: string;
  medium: string;
  home: string;
  review: string;
}

/** Filters, order and look of the list: what its address keeps. */
interface ListState {
  look: string;
  sort: string;
  order: string;
  metric: string;
  text: string;
  status: string;
  kind: string;
  purpose: string;
  brand: string;
  platform: string;
  domain: string;
  folder: string;
  area: string;
  against: string;
  rules: string;
  why: string;
  verdict: string;
  reason: string;
  from: number | null;
  to: number | null;
}

type Topic = "filters" | "list" | "window" | "moment" | "draft";

interface Gesture {
  [part: string]: any;
}

/** What a canvas does when it is pressed; places are unit coordinates. */
interface PressListener {
  onPress: (at: Point, event: PointerEvent) => void;
  /** A pointer passes without being pressed. */
  onHover?: (at: Point, event: PointerEvent) => void;
  /** A pressed pointer has left the place where it was pressed. */
  onDrag: (at: Point, event: PointerEvent) => void;
  onRelease: (at: Point, event: PointerEvent) => void;
  onCancel: () => void;
}

/** What is null while no medium, no video or no draft is open has the type that those see who are called when one is. */
interface State {
  list: ListState;
  /** Indices of the media in the list, in its order. */
  shown: number[];
  /** Timer of rows or cards of the list that are still to be laid out. */
  laying: number | null;
  /** Whether all cards of the gallery show attention. */
  cardHeat: boolean;
  /** Indices of the media that are chosen to be compared, in that order. */
  picks: number[];
  /** Indices of the media that are compared. */
  sides: number[];
  /** The map that is shown of all of them. */
  sidesMap: string | null;
  /** Index of the open medium, or null. */
  open: number;
  // what follows is kept from medium to medium, but for what is of one video or one area
  /** Of the viewer, as they were last chosen. */
  layers: { left: string; right: string };
  /** Whether a divider shows the left layer beside the right one. */
  divided: boolean;
  /** Of the right layer over the original, %. */
  opacity: number;
  /** Time window of maps, areas and their numbers. */
  window: TimeWindow;
  /** Whether areas lie over images and video. */
  areasShown: boolean;
  hiddenTypes: Set<string>;
  /** Of the table of areas. */
  areaOrder: { by: number | "name" | null; rising: boolean };
  /** Whether that table shows more than the first. */
  allAreas: boolean;
  pointedArea: number | null;
  chosenArea: number | null;
  /** Which video the player shows. */
  preview: string;
  /** Curves that are drawn. */
  curves: Set<string>;
  /** Of the open medium; null for an image. */
  timeline: Timeline;
  /** The moment that is shown, s from the first frame. */
  now: number;
  /** Where in the preview to go as soon as it can, s. */
  seekTo: number | null;
  /** The medium was opened, and nobody has gone to a moment yet. */
  untouched: boolean;
  editor: {
    /** The one that is open, or null. */
    draft: Draft;
    /** Key of the chosen area. */
    chosen: number | null;
    /** Index of the chosen corner of a polygon. */
    corner: number | null;
    /** Corners of the shape that is being drawn, or null. */
    path: Point[];
    /** What the path becomes. */
    shape: "box" | "polygon" | null;
    /** Where the keyboard draws. */
    cross: Point;
    /** Type of the next area. */
    newType: string;
    /** What a pressed pointer does. */
    gesture: Gesture | null;
  };
}

/** A row of the table of media side by side: a score of each, and how they differ. */
interface SideRow {
  title: (Node | string | null)[];
  scores: ({ value: number | null; lo?: number | null; hi?: number | null; reason?: string | null } | null)[];
  chips: (BenchmarkRange | null)[];
  metric: { name: string; title: string; low: number; high: number };
  show: (value: number) => string;
  moves: (value: number, medium: Medium) => Node;
  unit: string;
  direction: Direction;
  differences: SideDifference[];
}

interface SideDifference {
  value: number;
  lo: number | null;
  hi: number | null;
  probability: number | null;
  p: number | null;
  pair: [number, number];
  headline: boolean;
  proven?: boolean;
}

type ShownPlacement = Placement & PlacementFacts;
