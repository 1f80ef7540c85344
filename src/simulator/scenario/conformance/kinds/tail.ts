import * as z from 'zod';
import {
  type Message,
  preserveBudget as budgetOf,
  selectTail as tailOf,
  type TailRuleName,
  tailRules,
} from '../../../../engine/index.ts';
import { createKind } from '../kind.ts';
import { expectedByVersion, ruleSince } from '../profiles.ts';

const SizedMessage = z.looseObject({ id: z.string(), size: z.number() });

const TailVector = z.looseObject({
  version: z.string().optional(),
  turns: z.array(z.looseObject({ messages: z.array(SizedMessage).min(1) })),
  budget: z.number(),
  tailTurns: z.number().nullish(),
  unlimited: z.boolean().optional(),
  split: z.boolean().optional(),
  expected: z.looseObject({ tail_start_id: z.string().nullable() }),
});
type TailVector = z.infer<typeof TailVector>;

/** At which message does the preserved tail start? */
export const selectTail = createKind({
  schema: TailVector,
  expected: expectedByVersion,
  ruleOf: (version) => ruleSince(Object.keys(tailRules) as TailRuleName[], version),
  evaluate: (vector, rule) => {
    const messages = vector.turns.flatMap(({ messages: turn }) => turn.map(toMessage));
    const sizes = new Map(vector.turns.flatMap((turn) => turn.messages.map((m) => [m.id, m.size])));
    const sizeOf = (slice: readonly Message[]) =>
      slice.reduce((sum, { id }) => sum + (sizes.get(id) ?? 0), 0);
    const tail = tailOf(messages, toOptions(vector, rule), sizeOf);
    return { tail_start_id: tail?.startId ?? null };
  },
});

const BudgetVector = z.looseObject({
  version: z.string().optional(),
  usable: z.number(),
  max: z.number(),
  preserve_recent_tokens: z.number().nullish(),
  expected: z.number(),
});

/** How many tokens may the preserved tail take? */
export const preserveBudget = createKind({
  schema: BudgetVector,
  expected: expectedByVersion,
  ruleOf: () => 'every release',
  evaluate: ({ usable, max, preserve_recent_tokens: preserveRecentTokens }) =>
    budgetOf(usable, {
      maximumBudgetTokens: max,
      preserveRecentTokens: preserveRecentTokens ?? undefined,
    }),
});

function toOptions({ budget, tailTurns, unlimited, split }: TailVector, rule: TailRuleName) {
  const { turns, splitsTurns } = tailRules[rule];
  return {
    budgetTokens: budget,
    turns: unlimited ? Infinity : (tailTurns ?? turns),
    splitsTurns: split ?? splitsTurns,
  };
}

/** The first message of a turn is the prompt that began it. */
function toMessage({ id }: z.infer<typeof SizedMessage>, index: number): Message {
  const base = { id, createdAt: 0, parts: [] };
  return index === 0 ? { ...base, role: 'user' } : { ...base, role: 'assistant', parentId: '' };
}
