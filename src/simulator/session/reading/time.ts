const WITHOUT_ZONE = /T[\d:.]+$/;
/** Seconds since 1970 stay below this until the year 5138; milliseconds passed it in 1973. */
const MAX_SECONDS = 100_000_000_000;

/** A moment in ms since 1970, from a date, seconds or ms; a date without a zone is taken as UTC. 0 if nothing says. */
export function toTime(recorded: unknown): number {
  const time = typeof recorded === 'string' ? parseDate(recorded) : recorded;
  if (typeof time !== 'number' || !Number.isFinite(time) || time < 0) return 0;
  return Math.round(time < MAX_SECONDS && typeof recorded === 'number' ? time * 1000 : time);
}

/** A date in ms since 1970, in the zone of this machine where it names none. 0 if nothing says. */
export function toLocalTime(date: string | undefined): number {
  const time = Date.parse(date ?? '');
  return Number.isNaN(time) ? 0 : time;
}

function parseDate(date: string): number {
  return Date.parse(WITHOUT_ZONE.test(date) ? `${date}Z` : date);
}
