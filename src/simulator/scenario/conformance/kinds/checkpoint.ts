import * as z from 'zod';
import {
  type CheckpointRuleName,
  checkpointRules,
  DEFAULT_CHECKPOINT_BUFFER_TOKENS,
  isCompactionRequired,
  selectCheckpointTail,
} from '../../../../engine/index.ts';
import { createKind } from '../kind.ts';
import { expectedByVersion, ruleSince } from '../profiles.ts';

/** The state that measures a request before it is sent; later ones take the last measured usage. */
const ESTIMATING_RULE: CheckpointRuleName = 'core-2026-06-05';

const RequiredVector = z.looseObject({
  version: z.string().optional(),
  limit: z.looseObject({
    context: z.number().nullish(),
    output: z.number().nullish(),
    input: z.number().nullish(),
  }),
  requestEstimate: z.number().optional(),
  used: z.number().optional(),
  config: z.looseObject({ auto: z.boolean().optional(), buffer: z.number().optional() }).optional(),
  lastIsCompaction: z.boolean().optional(),
  expected: z.boolean(),
});
type RequiredVector = z.infer<typeof RequiredVector>;

/** Does the 2.0 engine compact now? */
export const v2Required = createKind({
  schema: RequiredVector,
  expected: expectedByVersion,
  ruleOf: (version) => ruleSince(Object.keys(checkpointRules) as CheckpointRuleName[], version),
  evaluate: (vector, rule) =>
    isCompactionRequired(countOf(vector, rule), toLimits(vector.limit), {
      rule,
      auto: vector.config?.auto ?? true,
      bufferTokens: vector.config?.buffer ?? DEFAULT_CHECKPOINT_BUFFER_TOKENS,
      isAfterCheckpoint: vector.lastIsCompaction ?? false,
    }),
});

/** Entries without a text of their own in a checkpoint. */
const TEXTLESS_TYPES: readonly string[] = ['compaction', 'system'];
/** States of the 2.0 engine whose tail starts at an entry rather than inside one. */
const TAIL_RULES = ['core-2026-07-10'] as const;

const SelectVector = z.looseObject({
  version: z.string().optional(),
  entries: z.array(z.looseObject({ type: z.string(), size: z.number().nullish() })),
  keepTokens: z.number(),
  previousRecent: z.union([z.boolean(), z.string()]).nullish(),
  expected: z.looseObject({ tailStart: z.number().nullable() }),
});

/** At which entry does the tail of a checkpoint start? */
export const v2SelectTail = createKind({
  schema: SelectVector,
  expected: expectedByVersion,
  ruleOf: (version) => ruleSince(TAIL_RULES, version),
  evaluate: ({ entries, keepTokens, previousRecent }) => {
    const options = { keepTokens, hasPreviousTail: Boolean(previousRecent) };
    return { tailStart: selectCheckpointTail(entries.map(toEntry), options) ?? null };
  },
});

function countOf({ used, requestEstimate }: RequiredVector, rule: CheckpointRuleName): number {
  const counts = rule === ESTIMATING_RULE ? [requestEstimate, used] : [used, requestEstimate];
  return counts.find((tokens) => tokens !== undefined) ?? 0;
}

function toLimits({ context, output, input }: RequiredVector['limit']) {
  return { contextTokens: context ?? 0, outputTokens: output ?? 0, inputTokens: input ?? 0 };
}

function toEntry({ type, size }: z.infer<typeof SelectVector>['entries'][number]) {
  const isUser = type === 'user';
  const hasText = typeof size === 'number' && !TEXTLESS_TYPES.includes(type);
  return hasText ? { isUser, sizeTokens: size } : { isUser };
}
