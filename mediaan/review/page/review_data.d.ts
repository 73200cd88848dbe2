// Types of a review: what the server sends, and what the scripts make of it.

/** Left, top, width and height, in shares of the sides of the picture. */
type Place = number[];

interface Proposal {
  number: number;
  box: Place;
  type: string;
  label: string;
  confidence: number | null;
  /** Null where it is no area yet. */
  area_id: string | null;
}

interface ReviewVerdict {
  status: "attention" | "open" | "works" | "unknown";
  text: string;
}

interface Question {
  id: string;
  medium_id: string;
  path: string;
  folder: string;
  /** Address of the picture. */
  picture: string;
  width: number;
  height: number;
  type: string;
  text: string;
  why: string;
  brand: string | null;
  verdict: ReviewVerdict;
  proposals: Proposal[];
  /** Areas that the medium has now. */
  areas: Proposal[];
  /** False for a type of areas that is not asked about; a backend without such questions leaves it out. */
  open?: boolean;
  /** Whether a person said which areas of the type there are. */
  answered?: boolean;
  /** Whether it was added here, to go through a medium without an open question. */
  added?: boolean;
}

interface ReviewProgress {
  answered: number;
  left: number;
  /** Media whose verdict is still undecided. */
  undecided: number;
}

interface ReviewData {
  title: string;
  progress: ReviewProgress;
  questions: Question[];
  /** Those that are not open: about the types of areas that are sure, or were answered. */
  others?: Question[];
  /** Address of the report, where there is one. */
  report?: string | null;
  /** Address of the list of media, where there is one. */
  home?: string | null;
  /** Whether the brand of a folder can be given; it can if nothing says. */
  namesBrands?: boolean;
}

type AnswerKind = "pick" | "none" | "draw" | "confirm_all" | "brand_for_folder";

/** What a person answered, as it is sent. */
interface AnswerBody {
  question: string;
  answer: AnswerKind;
  numbers: number[];
  boxes: Place[];
  /** Boxes of the proposals that the numbers count. */
  shown: Place[];
  type: string;
  brand: string | null;
}

interface AnswerReply {
  medium: { medium_id: string; verdict: ReviewVerdict; areas: Proposal[] };
  /** Ids of questions that went away or changed. */
  questions: string[];
  /** All questions about the medium, open or not. */
  about?: Question[];
  /** Id of the answer, where others may answer at the same time. */
  answer?: string;
  progress: ReviewProgress;
}

/** Where questions come from and answers go; what cannot be done is thrown as an Error, in words for a person. */
interface ReviewBackend {
  /** Whether the brand of a folder can be given. */
  namesBrands?: boolean;
  load: () => Promise<ReviewData>;
  answer: (body: AnswerBody) => Promise<AnswerReply>;
  undo: () => Promise<AnswerReply>;
}

/** An answer that is to be written, or null: the last one is to be taken back. */
type ReviewRequest = AnswerBody | null;

interface ReviewState {
  title: string;
  progress: ReviewProgress;
  report?: string | null;
  /** Those that were open at some time, in order. */
  questions: Question[];
  /** Those that are not open, by id. */
  others: Map<string, Question>;
  /** Index of the question that is shown; the number of questions at the end. */
  at: number;
  /** Id of another question about the same medium that is shown in its place. */
  aside: string | null;
  /** Answers given here, by question. */
  answers: Map<string, AnswerBody>;
  /** Answers given here, in order, without those that were taken back. */
  trail: AnswerBody[];
  /** Ids of questions that another answer settled. */
  settled: Set<string>;
  /** Path and verdict of each medium when it was first seen here. */
  verdicts: Map<string, { path: string; verdict: ReviewVerdict }>;
}
