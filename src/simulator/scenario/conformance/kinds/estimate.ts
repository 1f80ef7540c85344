import * as z from 'zod';
import { estimateTokens } from '../../../../engine/index.ts';
import { createKind } from '../kind.ts';
import { expectedByVersion } from '../profiles.ts';

const ESTIMATOR = { charsPerToken: 4, rounding: 'round' } as const;

const EstimateVector = z.looseObject({
  version: z.string().optional(),
  input: z.union([
    z.looseObject({ text: z.string() }),
    z.looseObject({ char: z.string(), length: z.int().nonnegative() }),
  ]),
  expected: z.number(),
});

/** How many tokens is a text believed to have? */
export const tokenEstimate = createKind({
  schema: EstimateVector,
  expected: expectedByVersion,
  ruleOf: () => 'every release',
  evaluate: ({ input }) => estimateTokens(lengthOf(input), ESTIMATOR),
});

function lengthOf(input: z.infer<typeof EstimateVector>['input']): number {
  return 'text' in input ? String(input.text).length : input.char.length * input.length;
}
