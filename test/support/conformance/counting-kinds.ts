import * as z from 'zod';
import {
  checkOverflow,
  compactsUnasked,
  estimateTokens,
  isContextOverflow,
  isContextOverflowEvent,
  type Limits,
  normaliseUsage,
  type OverflowErrorRuleName,
  overflowErrorRules,
  type OverflowRuleName,
  overflowRules,
  type Usage,
  type UsageRuleName,
  usageRules,
} from '../../../src/engine/index.ts';
import {
  createKind,
  Environment,
  expectedByRule,
  expectedByVersion,
  isDisabled,
  readOutputCap,
  ruleNamed,
} from './vector.ts';

type OverflowVector = z.infer<typeof OverflowVector>;

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

/** Vectors of finished steps that are overflows. */
const isOverflow = createKind({
  schema: OverflowVector,
  expected: (vector) => expectedByRule(vector, NEWEST),
  ruleOf: (profile) => ruleNamed(overflowRules, profile),
  evaluate: (vector, rule) =>
    compactsUnasked({ auto: isOn(vector), overflow: rule }) && check(vector, rule).isOverflow,
  findFault: (vector, rule) => {
    if (vector.usable === undefined || rule !== NEWEST) return undefined;
    const { usableTokens } = check(vector, rule);
    if (usableTokens === vector.usable) return undefined;
    return `Expected ${vector.usable} tokens to be usable, got ${usableTokens}.`;
  },
});

const NEWEST_OF_OVERFLOW_ERROR: OverflowErrorRuleName = 'v1.18.4';

const OverflowErrorVector = z.looseObject({
  input: z.looseObject({
    message: z.string().default(''),
    statusCode: z.number().nullish(),
    responseBody: z.unknown().optional(),
    body: z.unknown().optional(),
    /** `streamEvent` for what came in the middle of a stream; a refused request without it. */
    shape: z.string().optional(),
  }),
  expected: z.boolean().optional(),
  expectedByProfile: z.record(z.string(), z.boolean()).optional(),
});

/** Vectors of provider errors that are context overflows. */
const contextOverflowErrorDetection = createKind({
  schema: OverflowErrorVector,
  expected: (vector) => expectedByRule(vector, NEWEST_OF_OVERFLOW_ERROR),
  ruleOf: (profile) => ruleNamed(overflowErrorRules, profile),
  evaluate: ({ input }, rule) => {
    const { message, statusCode, shape, responseBody = input.body } = input;
    if (shape === 'streamEvent') return isContextOverflowEvent(responseBody);
    const error = { message, statusCode: statusCode ?? undefined, body: toText(responseBody) };
    return isContextOverflow(error, rule);
  },
});

const NEWEST_OF_USAGE: UsageRuleName = 'v1.14.46';

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

/** Vectors of the usage that a release stores of the SDK's report. */
const getUsage = createKind({
  schema: UsageVector,
  expected: (vector) => expectedByRule(vector, NEWEST_OF_USAGE),
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

const FlagVector = z.looseObject({
  version: z.string().optional(),
  env: Environment,
  expected: z.number().nullable(),
});

/** Vectors of the output cap that the environment sets. */
const flagParse = createKind({
  schema: FlagVector,
  expected: expectedByVersion,
  ruleOf: () => 'every release',
  evaluate: ({ env }) => readOutputCap(env),
});

const ESTIMATOR = { charsPerToken: 4, rounding: 'round' } as const;

const EstimateVector = z.looseObject({
  version: z.string().optional(),
  input: z.union([
    z.looseObject({ text: z.string() }),
    z.looseObject({ char: z.string(), length: z.int().nonnegative() }),
  ]),
  expected: z.number(),
});

/** Vectors of estimated tokens of a text. */
const tokenEstimate = createKind({
  schema: EstimateVector,
  expected: expectedByVersion,
  ruleOf: () => 'every release',
  evaluate: ({ input }) => estimateTokens(lengthOf(input), ESTIMATOR),
});

/** Kinds of vectors about counts: overflow, errors, usage, caps and estimates. */
export const countingKinds = {
  isOverflow,
  contextOverflowErrorDetection,
  getUsage,
  flagParse,
  tokenEstimate,
};

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

function toUsage({ input, output, reasoning, cache, total }: OverflowVector['tokens']): Usage {
  const parts = { input, output, reasoning, cacheRead: cache.read, cacheWrite: cache.write };
  return typeof total === 'number' ? { ...parts, total } : parts;
}

function toLimits({ context, input, output }: OverflowVector['model']['limit']): Limits {
  return {
    contextTokens: context,
    ...(typeof input === 'number' && { inputTokens: input }),
    ...(typeof output === 'number' && { outputTokens: output }),
  };
}

function toText(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function lengthOf(input: z.infer<typeof EstimateVector>['input']): number {
  return 'text' in input ? String(input.text).length : input.char.length * input.length;
}
