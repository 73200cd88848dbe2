// A review without a server: answers become a file of areas, which `mediaan aois apply` reads.

/** Area of that file, as far as answers change it. @typedef {{ [name: string]: any }} AreaRecord */

const ASKED = ["branding", "product", "call_to_action", "headline_text"]; // types of which "all are right" says that no more are there

/** @param {AreaRecord} record @returns {AreaRecord} */
const confirmed = (record) => ({ ...record, source: "confirmed" });

/**
 * Areas of a type in the place of those that there are; texts that are none of them stay texts.
 * @param {AreaRecord[]} records
 * @param {string} type
 * @param {AreaRecord[]} areas
 */
function withAreas(records, type, areas) {
  const ids = new Set(areas.map(({ aoi_id }) => aoi_id).filter(Boolean));
  const others = records.filter(({ aoi_id }) => !ids.has(aoi_id)).flatMap((record) => {
    if (record.type !== type) return [record];
    return type !== "body_text" && record.is_text ? [{ ...record, type: "body_text" }] : [];
  });
  return [...others, ...(areas.length ? areas.map(confirmed) : [{ type, none: true }])];
}

/**
 * Areas of a medium after an answer about it.
 * @param {AreaRecord[]} records
 * @param {Question} question
 * @param {AnswerBody} body
 */
export function answeredRecords(records, question, body) {
  if (body.answer === "confirm_all") {
    const types = new Set(records.map(({ type }) => type));
    return [...records.map((record) => (record.none || !ASKED.includes(record.type) ? record : confirmed(record))), ...ASKED.filter((type) => !types.has(type)).map((type) => ({ type, none: true }))];
  }
  const brand = (body.type === "branding" && body.brand) || "";
  const byId = new Map(records.map((record) => [record.aoi_id, record]));
  const picked = question.proposals.filter(({ number }) => body.numbers.includes(number)).map((proposal) => {
    const record = byId.get(proposal.area_id);
    return record ? { ...record, type: body.type, label: brand || record.label } : { type: body.type, label: brand || proposal.label, box: corners(proposal.box) };
  });
  const drawn = body.boxes.map((box) => ({ type: body.type, label: brand, box: corners(box) }));
  return withAreas(records, body.type, [...picked, ...drawn]);
}

/** @param {Place} place */
const corners = ([x, y, width, height]) => [x, y, x + width, y + height].map((side) => Math.round(1e5 * Math.min(1, side)) / 1e5);

/**
 * A review whose answers are kept in the page.
 * @param {string} title
 * @param {Question[]} questions
 * @param {(mediumId: string) => AreaRecord[]} recordsOf Areas of a medium, as the run has them.
 */
export function fileBackend(title, questions, recordsOf) {
  /** @type {AnswerBody[]} */
  let answers = [];
  const questionOf = (body) => questions.find(({ id }) => id === body.question);

  /** @param {string} mediumId */
  function answersAbout(mediumId) {
    return answers.filter((body) => questionOf(body).medium_id === mediumId);
  }

  function openQuestions() {
    const complete = new Set(answers.filter(({ answer }) => answer === "confirm_all").map((body) => questionOf(body).medium_id));
    const answered = new Set(answers.map((body) => body.question));
    return questions.filter(({ id, medium_id }) => !answered.has(id) && !complete.has(medium_id));
  }

  function progress() {
    const left = openQuestions();
    const undecided = new Map(questions.filter(({ verdict }) => ["open", "unknown"].includes(verdict.status)).map(({ medium_id }) => [medium_id, true]));
    return { answered: questions.length - left.length, left: left.length, undecided: undecided.size };
  }

  /** @param {AnswerBody} body @param {Question[]} before */
  function reply(body, before) {
    const { medium_id, verdict, areas } = questionOf(body);
    const after = new Set(openQuestions());
    const others = before.filter((question) => !after.has(question));
    const back = [...after].filter((question) => !before.includes(question));
    return { medium: { medium_id, verdict, areas }, questions: [...others, ...back].map(({ id }) => id), progress: progress() };
  }

  return {
    namesBrands: false,
    load: async () => ({ title, progress: progress(), questions: openQuestions() }),
    /** @param {AnswerBody} body */
    async answer(body) {
      const before = openQuestions();
      answers = [...answers, body];
      return reply(body, before);
    },
    async undo() {
      const before = openQuestions();
      const last = answers.at(-1);
      answers = answers.slice(0, -1);
      return reply(last, before);
    },
    /** Areas of the media that were answered about, by medium. @returns {Map<string, AreaRecord[]>} */
    records() {
      const ids = new Set(answers.map((body) => questionOf(body).medium_id));
      return new Map([...ids].map((id) => [id, answersAbout(id).reduce((records, body) => answeredRecords(records, questionOf(body), body), recordsOf(id))]));
    },
  };
}
