import type { RunEvent } from '../../events.ts';
import type { Places } from './counted.ts';
import type { Reference, References } from './reference.ts';

/** What a missed part was lost to: its output was cleared, or its message hidden. */
export type MissedBy = 'prune' | 'pivot';

/** A reference with the number of the part that it needs. */
export interface Need {
  readonly reference: Reference;
  readonly part: number;
}

/** What a step needs of a session. */
export interface StepNeeds {
  readonly needs: readonly Need[];
  /** The oldest and the newest place at which it stands first; the newest is behind all others where some of it was not recorded. */
  readonly from: number;
  readonly to: number;
  /** What is told where none of it is missed. */
  readonly told: readonly RunEvent[];
}

/** Where the parts of a session stand, and their outputs as the tool gave them. */
export interface PartPlaces {
  readonly parts: Places;
  readonly wholes: Places;
}

/** What a step needs, by its references. */
export function findNeeds(
  references: readonly Reference[],
  partNumbers: References['partNumbers'],
  places: PartPlaces,
): StepNeeds {
  const needs = references.flatMap((reference) => {
    const part = partNumbers.get(reference.source.partId);
    return part === undefined ? [] : [{ reference, part }];
  });
  const standing = needs.map((need) => firstPlaceOf(need, places));
  return {
    needs,
    from: Math.min(...standing),
    to: Math.max(...standing),
    told: needs.map(({ reference }) => describeReference(reference, undefined)),
  };
}

function firstPlaceOf({ reference, part }: Need, { parts, wholes }: PartPlaces): number {
  const { first } = reference.source.side === 'said' ? parts : wholes;
  return first[part] ?? Number.NaN;
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
