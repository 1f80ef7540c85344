import { groupBy } from '../lib/collections.ts';
import type { LeftOut } from './compare/comparison.ts';
import { countOf } from './numbers.ts';

/** A line, and how many sessions it is about. */
interface Line {
  readonly text: string;
  readonly sessions: number;
}

/** Of sessions that are left out for the same reason so many are named. */
const MOST_NAMED = 5;
/** Lines after which other reasons are not told. */
const MOST_LINES = 20;

/** Which sessions are left out, by reason; of many the first, and how many others. What comes from outside is quoted. */
export function leftOutLines(
  leftOut: readonly LeftOut[],
  quote: (text: string) => string = String,
): readonly string[] {
  const byReason = [...groupBy(leftOut, ({ reason }) => reason).values()];
  const lines = byReason.flatMap((sessions) => linesOf(sessions, quote));
  const others = lines.slice(MOST_LINES).reduce((total, { sessions }) => total + sessions, 0);
  const shown = lines.slice(0, MOST_LINES).map(({ text }) => text);
  return others === 0 ? shown : [...shown, `${countOf(others, 'other session')}, see JSON`];
}

/** The lines of sessions that have their reason in common. */
function linesOf(sessions: readonly LeftOut[], quote: (text: string) => string): readonly Line[] {
  const named = sessions.slice(0, MOST_NAMED).map(({ session, reason }) => ({
    text: `${quote(session)}: ${quote(reason)}`,
    sessions: 1,
  }));
  const others = sessions.length - named.length;
  const reason = quote(sessions[0]?.reason ?? '');
  return others === 0
    ? named
    : [...named, { text: `${countOf(others, 'other session')}: ${reason}`, sessions: others }];
}
