import type { DraftMessage, DraftPart } from '../reading/transcript.ts';
import { endTurn, type Reading } from './reading.ts';

/** Takes the last turns back, from their prompts on; all turns where there are no more than that. */
export function rollBack(reading: Reading, turns = 0): void {
  const { drafts, compactions, pending, tally } = reading;
  const prompts = drafts.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  const start = turns >= 1 ? prompts.slice(-turns)[0] : undefined;
  if (start === undefined) return;
  const gone = drafts.splice(start);
  tally.drop('message that was rolled back', gone.length);
  const kept = compactions.filter(({ messageIndex }) => messageIndex <= start);
  compactions.splice(0, compactions.length, ...kept);
  pending.take();
  if (start === 0) for (const part of preludeOf(gone)) pending.add(part);
  endTurn(reading);
  reading.lastUsage = drafts.findLast(({ usage }) => usage !== undefined)?.usage;
}

/** What the program told before the first prompt: it is told once, and no part of a turn. */
function preludeOf([first]: readonly DraftMessage[]): readonly DraftPart[] {
  const { parts = [] } = first ?? {};
  const typed = parts.findIndex((part) => part.type !== 'text' || part.synthetic !== true);
  return typed < 0 ? parts : parts.slice(0, typed);
}
