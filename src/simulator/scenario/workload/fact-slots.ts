import type { PlantedFact } from '../../session/facts.ts';
import { contentCharactersOf, type Piece, type SessionPlan } from './plan.ts';
import { kindOf } from './tools.ts';
import { heldCharacters } from './words.ts';

/** A place in a session for a sentence, or only for a value. */
export interface Slot {
  readonly source: PlantedFact['source'];
  readonly holds: 'sentence' | 'value';
  readonly step: number;
  readonly start: number;
  readonly end: number;
  readonly piece: Piece;
  readonly margin: number;
}

export interface Choice {
  readonly slot: Slot;
  /** As a share of the session. */
  readonly position: number;
  readonly distance: number;
}

/** A space and a full stop around a sentence of prose. */
const PROSE = { holds: 'sentence', margin: 2 } as const;
const LINE = { source: 'tool', holds: 'sentence', margin: heldCharacters('') } as const;
const VALUE = { source: 'assistant', holds: 'value', margin: 60 } as const;

export function findSlots(plan: SessionPlan): readonly Slot[] {
  const total = contentCharactersOf(plan);
  const slots: Slot[] = [];
  let before = 0;
  const pass = (
    piece: Piece | undefined,
    step = 1,
    kind?: Pick<Slot, 'source' | 'holds' | 'margin'> | false,
  ) => {
    if (piece === undefined) return;
    const start = before / total;
    before += piece.characters;
    if (kind) slots.push({ piece, start, end: before / total, step, ...kind });
  };
  for (const { prompt, steps } of plan.turns) {
    pass(prompt, steps[0]?.number, { source: 'user', ...PROSE });
    for (const { number, reasoning, text, calls } of steps) {
      pass(reasoning);
      pass(text, number, { source: 'assistant', ...PROSE });
      for (const call of calls) {
        const { tellsFacts, takesValues } = kindOf(call.tool);
        const isOwn = !call.isError && !call.isRepeat;
        pass(call.arguments, number, isOwn && takesValues === true && VALUE);
        pass(call.output, number, isOwn && tellsFacts === true && LINE);
      }
    }
  }
  return slots;
}
