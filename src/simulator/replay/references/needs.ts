import type { RunEvent } from '../../events.ts';
import type { Reference, References } from './reference.ts';

/** What a missed part was lost to: its output was cleared, or its message hidden. */
export type MissedBy = 'prune' | 'pivot';

/** A reference with the number of the part that it needs. */
export interface Need {
  readonly reference: Reference;
  readonly part: number;
}

/** What a step needs, and what is told of it where the view shows all of that. */
export interface StepNeeds {
  readonly needs: readonly Need[];
  readonly told: readonly RunEvent[];
}

/** What the steps of a session need, by the ids of their messages; those that need nothing are left out. */
export function findNeeds({ byMessage, partNumbers }: References): ReadonlyMap<string, StepNeeds> {
  const found = new Map<string, StepNeeds>();
  for (const [messageId, references] of byMessage) {
    const needs = references.flatMap((reference) => {
      const part = partNumbers.get(reference.source.partId);
      return part === undefined ? [] : [{ reference, part }];
    });
    found.set(messageId, {
      needs,
      told: needs.map(({ reference }) => describeReference(reference, undefined)),
    });
  }
  return found;
}

/** Tells of a reference, and what it was missed by if it was. */
export function describeReference(
  { step, kind, source }: Reference,
  missedBy: MissedBy | undefined,
): RunEvent {
  return {
    type: 'reference',
    step,
    kind,
    document: source.document,
    messageId: source.messageId,
    partId: source.partId,
    sinceStep: source.step,
    tokens: source.tokens,
    callTokens: source.callTokens,
    isFileRead: source.isFileRead,
    missedBy,
  };
}
