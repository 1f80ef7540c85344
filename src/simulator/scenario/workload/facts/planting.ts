import type { FactKind, PlantedFact } from '../../../session/facts.ts';
import type { Draw } from '../draw.ts';
import type { Words } from '../text/words.ts';
import { shapeOf } from './kinds.ts';
import type { Phrases } from './phrases/phrases.ts';
import { hasRoom, type Slot } from './slots.ts';

/** A fact without the steps that need it. */
export type StatedFact = Omit<PlantedFact, 'neededAt'>;

/** Facts while they are planted. */
export interface Planting {
  readonly draw: Draw;
  readonly words: Words;
  readonly phrases: Phrases;
  /** Where sentences can stand. */
  readonly slots: readonly Slot[];
  /** Kinds by how long ago one was planted. */
  kinds: FactKind[];
  readonly facts: StatedFact[];
}

/** A kind with a place that it can stand in. */
export interface Choice {
  readonly kind: FactKind;
  readonly slot: Slot;
  /** Where in the session it comes to stand, as a share. */
  readonly position: number;
  readonly distance: number;
}

/** A fact, and the sentence that says it. */
export interface Statement {
  readonly fact: StatedFact;
  readonly sentence: string;
}

/** What is looked for among places. */
export interface PlaceWanted {
  readonly kind: FactKind;
  /** As a share of the session. */
  readonly target: number;
  readonly fits: (slot: Slot) => boolean;
}

/** What a sentence with its value may need at most where nothing else is said. */
const LONGEST_SENTENCE = 100;
const PERCENT = 100;

/** The place for a fact of a kind that is nearest to a share of the session. */
export function nearestSlot(
  { slots }: Planting,
  kind: FactKind,
  target: number,
): Choice | undefined {
  const { sources } = shapeOf(kind);
  return nearestOf(slots, { kind, target, fits: ({ source }) => sources.includes(source) });
}

/** Puts a statement in its place. */
export function place({ facts }: Planting, choice: Choice, { fact, sentence }: Statement): void {
  const { start, end, piece } = choice.slot;
  facts.push(fact);
  piece.holds.push({ text: sentence, from: (choice.position - start) / (end - start) });
}

/** What a fact is told by its place and its number. */
export function placeOf(
  { facts }: Planting,
  { slot, position }: Choice,
): Pick<StatedFact, 'id' | 'source' | 'step' | 'posPct'> {
  return {
    id: `fact-${facts.length + 1}`,
    source: slot.source,
    step: slot.step,
    posPct: Math.round(PERCENT * PERCENT * position) / PERCENT,
  };
}

/** The place nearest to a share of the session, of those that fit. */
export function nearestOf(
  slots: readonly Slot[],
  { kind, target, fits }: PlaceWanted,
): Choice | undefined {
  let nearest: Choice | undefined;
  for (const slot of slots) {
    const position = Math.min(Math.max(target, slot.start), slot.end);
    const distance = Math.abs(position - target);
    const isNearer = nearest === undefined || distance < nearest.distance;
    if (!isNearer || !fits(slot) || !hasRoom(slot, LONGEST_SENTENCE)) continue;
    nearest = { kind, slot, position, distance };
  }
  return nearest;
}
