import type { UnreadInput } from '../../simulator/report/report.ts';
import {
  familiesWithCopies,
  findFileRepeats,
} from '../../simulator/session/repeats/file-repeats.ts';
import { loadSessions } from '../../simulator/session/load.ts';
import type { Session } from '../../simulator/session/session.ts';
import { SHIPPED_SCENARIOS, shippedScenarios } from '../../simulator/sweep/summarizers/shipped.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';

/** A session to be summarised, or an input that gave none. */
export type SummaryInput =
  | { readonly state: 'read'; readonly session: Session }
  | { readonly state: 'unread'; readonly unread: UnreadInput };

/** Sessions one after another, about how many there are, and which of them are no independent evidence. */
export interface SummaryInputs {
  readonly total: number;
  /** The family of each that shares its beginning with another, or holds the same; those that stand alone are absent. */
  readonly families: ReadonlyMap<string, string>;
  readonly sessions: Iterable<SummaryInput>;
}

/** The sessions of files, or those that come with the package, each when it is asked for. */
export function toSummaryInputs(found: RunInputs | undefined): SummaryInputs {
  if (found === undefined) {
    return { total: SHIPPED_SCENARIOS, families: new Map(), sessions: shippedSessions() };
  }
  const families = familiesWithCopies(findFileRepeats(found.files));
  return { total: found.files.length, families, sessions: sessionsOf(found) };
}

function* shippedSessions(): Generator<SummaryInput, void, undefined> {
  for (const session of shippedScenarios()) yield { state: 'read', session };
}

function* sessionsOf({ files, unread }: RunInputs): Generator<SummaryInput, void, undefined> {
  for (const one of unread) yield { state: 'unread', unread: one };
  for (const loaded of loadSessions(files)) {
    if (loaded.state === 'read') yield loaded;
    else yield { state: 'unread', unread: { file: loaded.file, reason: loaded.reason } };
  }
}
