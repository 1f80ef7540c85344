import type { Message, Part } from '../../../engine/index.ts';
import type { EvictionCause, RunEvent } from '../../events.ts';
import type { Sought } from './carried.ts';
import { NOWHERE, type Places } from './counted.ts';
import type { Reference, References, Source } from './reference.ts';

/** How a part was lost, and the newest step that was sent with it in the view; absent where none was. */
export interface Loss {
  readonly by: EvictionCause;
  readonly after: number | undefined;
}

/** A reference with the number of the part that it needs. */
export interface Need {
  readonly reference: Reference;
  readonly part: number;
  /** Numbers of all parts whose output holds the same; none where it is not an output that is needed. */
  readonly alike: readonly number[];
  /** What stands there, for whoever looks for it elsewhere. */
  readonly sought: Sought | undefined;
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

/** What references are looked up in. */
export interface LookUp {
  readonly partNumbers: References['partNumbers'];
  /** The numbers of some parts; the same list for the same parts. */
  readonly numbersOf: (parts: readonly Part[]) => readonly number[];
  readonly messageOf: (id: string) => Message | undefined;
}

/** Where the parts of a session stand, and their outputs as the tool gave them. */
export interface PartPlaces {
  readonly parts: Places;
  readonly wholes: Places;
}

const NONE: readonly number[] = [];

/** What a step needs, by its references. */
export function findNeeds(
  references: readonly Reference[],
  lookUp: LookUp,
  places: PartPlaces,
): StepNeeds {
  const needs = references.flatMap((reference) => toNeed(reference, lookUp) ?? []);
  const standing = needs.map((need) => firstPlaceOf(need, places));
  return {
    needs,
    from: Math.min(...standing),
    to: Math.max(...standing),
    told: needs.map(({ reference }) => describeReference(reference, undefined)),
  };
}

/** Tells of a reference, and what it was missed by if it was. */
export function describeReference(
  { step, kind, source, calls }: Reference,
  loss: Loss | undefined,
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
    calls,
    missedBy: loss?.by,
    goneAfter: loss?.after,
  };
}

function toNeed(
  reference: Reference,
  { partNumbers, numbersOf, messageOf }: LookUp,
): Need | undefined {
  const { source } = reference;
  const part = partNumbers.get(source.partId);
  if (part === undefined) return undefined;
  return {
    reference,
    part,
    alike: source.side === 'output' ? numbersOf(source.parts) : NONE,
    sought: soughtOf(source, messageOf(source.messageId)),
  };
}

function soughtOf({ partId, side }: Source, message: Message | undefined): Sought | undefined {
  const part = message?.parts.find(({ id }) => id === partId);
  return message && part && { message, part, side };
}

function firstPlaceOf({ reference, part }: Need, { parts, wholes }: PartPlaces): number {
  const { first } = reference.source.side === 'said' ? parts : wholes;
  return first[part] ?? NOWHERE;
}
