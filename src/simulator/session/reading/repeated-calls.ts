import type { Tally } from './tally.ts';
import type { DraftPart } from './transcript.ts';

/** The parts without calls that were made before under the same id; the ids of the others are added to those. */
export function withoutRepeatedCalls(
  parts: readonly DraftPart[],
  calledIds: Set<string>,
  tally: Tally,
): DraftPart[] {
  return parts.filter((part) => {
    if (part.type !== 'tool' || part.callId === undefined) return true;
    const isNew = !calledIds.has(part.callId);
    if (!isNew) tally.drop('repeated tool call');
    calledIds.add(part.callId);
    return isNew;
  });
}
