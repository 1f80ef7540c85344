import type { FactKind, PlantedFact } from '../../session/facts.ts';
import { charactersOf, type Piece, type SessionPlan, type StepPlan } from './plan.ts';
import { kindOf } from './tools.ts';
import { heldCharacters } from './words.ts';

/** A place in a session for a sentence, or only for a value. */
export interface Slot {
  readonly source: PlantedFact['source'];
  readonly holds: 'sentence' | 'value';
  readonly step: number;
  /** Where its text begins and ends, as shares of all content. */
  readonly start: number;
  readonly end: number;
  readonly piece: Piece;
  /** Characters around a sentence in this place. */
  readonly margin: number;
}

/** A kind of fact with a place that it can stand in. */
export interface Choice {
  readonly kind: FactKind;
  readonly slot: Slot;
  /** Where in the session it comes to stand, as a share. */
  readonly position: number;
  readonly distance: number;
}

type PlaceOf = (piece: Piece) => Pick<Slot, 'piece' | 'start' | 'end'>;

/** A space and a full stop. */
const PROSE_MARGIN = 2;
const LINE_MARGIN = heldCharacters('');
/** Characters of arguments besides their values. */
const ARGUMENT_MARGIN = 60;

/** Every place of a session, in its order. */
export function findSlots({ turns }: SessionPlan): readonly Slot[] {
  const total = turns.reduce((sum, turn) => sum + charactersOf(turn), 0);
  let before = 0;
  const at: PlaceOf = (piece) => {
    const start = before / total;
    before += piece.characters;
    return { piece, start, end: before / total };
  };
  return turns.flatMap(({ prompt, steps }) => [
    {
      ...at(prompt),
      source: 'user' as const,
      holds: 'sentence' as const,
      step: steps[0]?.number ?? 1,
      margin: PROSE_MARGIN,
    },
    ...steps.flatMap((step) => stepSlots(step, at)),
  ]);
}

/** True if that many characters fit beside the present content of the place. */
export function hasRoom({ piece, margin }: Slot, characters: number): boolean {
  const taken = piece.holds.reduce((sum, { text }) => sum + text.length + margin, 0);
  return taken + characters + margin <= piece.characters;
}

/** The place nearest to a share of the session, of those that fit a kind. */
export function nearestSlot(
  slots: readonly Slot[],
  {
    kind,
    target,
    fits,
  }: Pick<Choice, 'kind'> & {
    readonly target: number;
    readonly fits: (slot: Slot) => boolean;
  },
): Choice | undefined {
  let nearest: Choice | undefined;
  for (const slot of slots) {
    const position = Math.min(Math.max(target, slot.start), slot.end);
    const distance = Math.abs(position - target);
    const isNearer = nearest === undefined || distance < nearest.distance;
    if (isNearer && fits(slot)) nearest = { kind, slot, position, distance };
  }
  return nearest;
}

function stepSlots(step: StepPlan, at: PlaceOf): readonly Slot[] {
  const { number, text, reasoning, calls } = step;
  const slots: Slot[] = [];
  const add = (piece: Piece, facts: Pick<Slot, 'source' | 'holds' | 'margin'> | false) => {
    const place = at(piece);
    if (facts) slots.push({ ...place, ...facts, step: number });
  };
  if (reasoning !== undefined) add(reasoning, false);
  if (text !== undefined) {
    add(text, { source: 'assistant', holds: 'sentence', margin: PROSE_MARGIN });
  }
  for (const call of calls) {
    const { tellsFacts, takesValues } = kindOf(call.tool);
    const isOwn = !call.isError && !call.isRepeat;
    const values = { source: 'assistant', holds: 'value', margin: ARGUMENT_MARGIN } as const;
    const lines = { source: 'tool', holds: 'sentence', margin: LINE_MARGIN } as const;
    add(call.arguments, isOwn && takesValues === true && values);
    add(call.output, isOwn && tellsFacts === true && lines);
  }
  return slots;
}
