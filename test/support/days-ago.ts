// A date that lies as far back on whatever day a test runs: a fixed one is, a few months later, history that no venue has.

const DAY_MS = 86_400_000

/** UTC day so many days before today, as `YYYY-MM-DD`. */
export const daysAgo = (days: number): string =>
  new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
