const WITHOUT_ZONE = /T[\d:.]+$/;
/** Seconds since 1970 stay below this until the year 5138; milliseconds passed it in 1973. */
const MAX_SECONDS = 100_000_000_000;

/** The last moment that a date can name, in ms since 1970. Source: ECMA-262, time values. */
export const LATEST_MS = 8_640_000_000_000_000;

/** The value as a moment in whole ms since 1970; `undefined` where it is no number, or one that no date can name. */
export function toMoment(value: unknown): number | undefined {
  const isMoment = typeof value === 'number' && value >= 0 && value <= LATEST_MS;
  return isMoment ? Math.round(value) : undefined;
}

/** A moment in ms since 1970, from a date, seconds or ms; a date without a zone is taken as UTC. 0 if nothing says. */
export function toTime(recorded: unknown): number {
  if (typeof recorded === 'string') return toMoment(parseDate(recorded)) ?? 0;
  const isSeconds = typeof recorded === 'number' && recorded < MAX_SECONDS;
  return toMoment(isSeconds ? recorded * 1000 : recorded) ?? 0;
}

/** A date in ms since 1970, in the zone of this machine where it names none. 0 if nothing says. */
export function toLocalTime(date: string | undefined): number {
  return toMoment(Date.parse(date ?? '')) ?? 0;
}

function parseDate(date: string): number {
  return Date.parse(WITHOUT_ZONE.test(date) ? `${date}Z` : date);
}
