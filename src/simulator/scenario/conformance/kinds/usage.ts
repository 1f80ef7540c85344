import * as z from 'zod';
import { normaliseUsage, type UsageRuleName, usageRules } from '../../../../engine/index.ts';
import { createKind } from '../kind.ts';
import { expectedByRule, ruleNamed } from '../profiles.ts';

const NEWEST: UsageRuleName = 'v1.14.46';

/** A number that may be missing. */
const Tokens = z
  .number()
  .nullish()
  .transform((tokens) => tokens ?? undefined);

const UsageVector = z.looseObject({
  npm: z.string().optional(),
  usage: z.looseObject({
    inputTokens: Tokens,
    outputTokens: Tokens,
    totalTokens: Tokens,
    reasoningTokens: Tokens,
    cacheReadInputTokens: Tokens,
    cachedInputTokens: Tokens,
  }),
  metadata: z.record(z.string(), z.unknown()).optional(),
  expected: z.unknown().optional(),
  expectedByProfile: z.record(z.string(), z.unknown()).optional(),
});

/** Which tokens does a release store of what the SDK reports? */
export const getUsage = createKind({
  schema: UsageVector,
  expected: (vector) => expectedByRule(vector, NEWEST),
  ruleOf: (profile) => ruleNamed(usageRules, profile),
  evaluate: ({ usage, npm, metadata }, rule) => {
    const cacheReadTokens = usage.cacheReadInputTokens ?? usage.cachedInputTokens;
    const { cacheRead, cacheWrite, ...tokens } = normaliseUsage(
      { ...usage, cacheReadTokens },
      { npm, metadata },
      rule,
    );
    return { ...tokens, cache: { read: cacheRead, write: cacheWrite } };
  },
});
