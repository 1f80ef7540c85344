import * as z from 'zod';
import { sum } from '../../lib/collections.ts';
import { PART_STATES, type PartState, type RunView, type ViewTexts } from './run-view.ts';

const Index = z.int().min(0);
const States = new Set<number>(Object.values(PART_STATES));
const State = z.custom<PartState>((value) => typeof value === 'number' && States.has(value));

const Texts = z.object({
  pool: z.array(z.string()),
  parts: z.array(z.int().min(-1)),
  changes: z.array(z.int().min(-1)),
});

const View: z.ZodType<RunView> = z.object({
  kinds: z.array(z.string()),
  kind: z.array(Index),
  tokens: z.array(z.number()),
  came: z.array(Index),
  changes: z.array(z.tuple([Index, State, Index, Index, z.number()])),
  pauses: z.array(z.number()),
  texts: Texts.exactOptional(),
});

/** What the requests of a run showed, as it is saved. */
export const ViewShape = View.refine(fitsTogether, 'does not fit together');

/** Whether every number names something that is there. */
function fitsTogether({ kinds, kind, tokens, came, changes, pauses, texts }: RunView): boolean {
  const parts = kind.length;
  return [
    tokens.length === parts && sum(came) === parts && pauses.length === came.length,
    kind.every((index) => index < kinds.length),
    changes.every(([step, , first, many]) => step < came.length && first + many <= parts),
    texts === undefined || fitsTexts(texts, { parts, changes: changes.length }),
  ].every(Boolean);
}

function fitsTexts(
  { pool, parts, changes }: ViewTexts,
  wanted: { readonly parts: number; readonly changes: number },
): boolean {
  const isThere = [...parts, ...changes].every((index) => index < pool.length);
  return isThere && parts.length === wanted.parts && changes.length === wanted.changes;
}
