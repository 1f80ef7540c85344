import type { UnreadInput } from '../simulator/report/report.ts';
import { loadSessions } from '../simulator/session/load.ts';
import type { Session } from '../simulator/session/session.ts';
import { shippedScenarios } from '../simulator/sweep/summarizers/shipped.ts';
import { findInputs } from './run-inputs.ts';

/** A session to be summarised, or an input that gave none. */
export type SummaryInput =
  | { readonly state: 'read'; readonly session: Session }
  | { readonly state: 'unread'; readonly unread: UnreadInput };

/** The sessions of inputs, or those that come with the package, each when it is asked for. */
export function* summarySessions(
  inputs: readonly string[],
): Generator<SummaryInput, void, undefined> {
  if (inputs.length === 0) {
    for (const session of shippedScenarios()) yield { state: 'read', session };
    return;
  }
  const { files, unread } = findInputs(inputs);
  for (const one of unread) yield { state: 'unread', unread: one };
  for (const loaded of loadSessions(files)) {
    if (loaded.state === 'read') yield loaded;
    else yield { state: 'unread', unread: { file: loaded.file, reason: loaded.reason } };
  }
}
