import type { PlantedFact } from '../../../session/facts.ts';
import {
  charactersOf,
  type Piece,
  type SessionPlan,
  type StepPlan,
  type TurnPlan,
} from '../plan.ts';
import { heldCharacters } from '../text/compose.ts';
import { kindOf } from '../tools/kinds.ts';

/** A place in a session where a sentence, or only a value, can stand. */
export interface Slot {
  readonly source: PlantedFact['source'];
  readonly holds: 'sentence' | 'value';
  readonly step: number;
  /** Where its text begins and ends, as shares of all content. */
  readonly start: number;
  readonly end: number;
  readonly piece: Piece;
  /** What stands around a sentence here, in characters. */
  readonly margin: number;
}

type PlaceOf = (piece: Piece) => Pick<Slot, 'piece' | 'start' | 'end'>;

/** A space and a full stop. */
const PROSE_MARGIN = 2;
const LINE_MARGIN = heldCharacters('');
/** What arguments need besides values. */
const ARGUMENT_MARGIN = 60;

/** Every place of a session, in its order. */
export function findSlots({ turns }: SessionPlan): readonly Slot[] {
  const total = turns.reduce((sum, turn) => sum + charactersOf(turn), 0);
  let before = 0;
  const at = (piece: Piece) => {
    const start = before / total;
    before += piece.characters;
    return { piece, start, end: before / total };
  };
  return turns.flatMap((turn) => [
    promptSlot(turn, at),
    ...turn.steps.flatMap((step) => stepSlots(step, at)),
  ]);
}

/** Whether a text of that many characters fits beside what stands in the place already. */
export function hasRoom({ piece, margin }: Slot, characters: number): boolean {
  const taken = piece.holds.reduce((sum, { text }) => sum + text.length + margin, 0);
  return taken + characters + margin <= piece.characters;
}

function promptSlot({ prompt, steps }: TurnPlan, at: PlaceOf): Slot {
  return {
    ...at(prompt),
    source: 'user',
    holds: 'sentence',
    step: steps[0]?.number ?? 1,
    margin: PROSE_MARGIN,
  };
}

function stepSlots(step: StepPlan, at: PlaceOf): readonly Slot[] {
  const { number, text, reasoning, calls } = step;
  if (reasoning !== undefined) at(reasoning);
  const slots: Slot[] = [];
  const add = (piece: Piece, facts: Pick<Slot, 'source' | 'holds' | 'margin'> | undefined) => {
    const place = at(piece);
    if (facts !== undefined) slots.push({ ...place, ...facts, step: number });
  };
  if (text !== undefined) {
    add(text, { source: 'assistant', holds: 'sentence', margin: PROSE_MARGIN });
  }
  for (const call of calls) {
    const { tellsFacts, takesValues } = kindOf(call.tool);
    const isOwn = !call.isError && !call.isRepeat;
    add(
      call.arguments,
      isOwn && takesValues
        ? { source: 'assistant', holds: 'value', margin: ARGUMENT_MARGIN }
        : undefined,
    );
    add(
      call.output,
      isOwn && tellsFacts ? { source: 'tool', holds: 'sentence', margin: LINE_MARGIN } : undefined,
    );
  }
  return slots;
}
