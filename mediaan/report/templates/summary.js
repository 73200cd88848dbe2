// The summary: its counts show the media behind them, through the filters of the list.

Object.assign(START, { verdict: "all", reason: "all" });
Object.assign(state, { verdict: "all", reason: "all" });
Object.assign(IN_ADDRESS, { verdict: "verdict", recurs: "reason" });
Object.assign(CONTROLS, { verdict: "verdict-filter", reason: "reason-filter" });
Object.assign(FITS, {
  verdict: (medium) => medium.done && medium.verdict === state.verdict,
  reason: (medium) => medium.reasons.includes(state.reason),
});

function wireSummary() {
  byId("summary").addEventListener("click", (event) => {
    const { verdict, reason } = event.target.closest("button")?.dataset ?? {};
    if (verdict) filterBy({ verdict });
    if (reason) filterBy({ reason });
  });
}
