import * as z from 'zod';
import {
  checkOverflow,
  type Limits,
  type OverflowRuleName,
  overflowRules,
  type Usage,
} from '../../../../engine/index.ts';
import { Environment, isDisabled, readOutputCap } from '../environment.ts';
import { createKind } from '../kind.ts';
import { expectedByRule, ruleNamed } from '../profiles.ts';

const NEWEST: OverflowRuleName = 'v1.14.19';
const DEFAULT_OUTPUT_CAP_TOKENS = 32_000;

const OverflowVector = z.looseObject({
  model: z.looseObject({
    limit: z.looseObject({
      context: z.number(),
      input: z.number().nullish(),
      output: z.number().nullish(),
    }),
  }),
  config: z
    .looseObject({
      compaction: z
        .looseObject({ auto: z.boolean().optional(), reserved: z.number().optional() })
        .optional(),
    })
    .optional(),
  tokens: z.looseObject({
    input: z.number(),
    output: z.number(),
    reasoning: z.number().default(0),
    cache: z
      .looseObject({ read: z.number().default(0), write: z.number().default(0) })
      .default({ read: 0, write: 0 }),
    total: z.number().nullish(),
  }),
  env: Environment.optional(),
  usable: z.number().optional(),
  expected: z.boolean().optional(),
  expectedByProfile: z.record(z.string(), z.boolean()).optional(),
});
type OverflowVector = z.infer<typeof OverflowVector>;

/** Is this finished step an overflow? */
export const isOverflow = createKind({
  schema: OverflowVector,
  expected: (vector) => expectedByRule(vector, NEWEST),
  ruleOf: (profile) => ruleNamed(overflowRules, profile),
  evaluate: (vector, rule) => isOn(vector) && check(vector, rule).isOverflow,
  findFault: (vector, rule) => {
    if (vector.usable === undefined || rule !== NEWEST) return undefined;
    const { usableTokens } = check(vector, rule);
    if (usableTokens === vector.usable) return undefined;
    return `Expected ${vector.usable} tokens to be usable, got ${usableTokens}.`;
  },
});

function isOn({ config, env }: OverflowVector): boolean {
  return config?.compaction?.auto !== false && !isDisabled(env, 'OPENCODE_DISABLE_AUTOCOMPACT');
}

function check(vector: OverflowVector, rule: OverflowRuleName) {
  return checkOverflow(toUsage(vector.tokens), toLimits(vector.model.limit), {
    rule,
    reservedTokens: vector.config?.compaction?.reserved,
    outputCapTokens: readOutputCap(vector.env) ?? DEFAULT_OUTPUT_CAP_TOKENS,
  });
}

function toLimits({ context, input, output }: OverflowVector['model']['limit']): Limits {
  return {
    contextTokens: context,
    ...(typeof input === 'number' && { inputTokens: input }),
    ...(typeof output === 'number' && { outputTokens: output }),
  };
}

function toUsage({ input, output, reasoning, cache, total }: OverflowVector['tokens']): Usage {
  const parts = { input, output, reasoning, cacheRead: cache.read, cacheWrite: cache.write };
  return typeof total === 'number' ? { ...parts, total } : parts;
}
