import * as z from 'zod';
import {
  isContextOverflow,
  isContextOverflowEvent,
  type OverflowErrorRuleName,
  overflowErrorRules,
} from '../../../../engine/index.ts';
import { createKind } from '../kind.ts';
import { expectedByRule, ruleNamed } from '../profiles.ts';

const NEWEST: OverflowErrorRuleName = 'v1.18.4';

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

/** Is this error of a provider a context overflow? */
export const contextOverflowErrorDetection = createKind({
  schema: OverflowErrorVector,
  expected: (vector) => expectedByRule(vector, NEWEST),
  ruleOf: (profile) => ruleNamed(overflowErrorRules, profile),
  evaluate: ({ input }, rule) => {
    const { message, statusCode, shape, responseBody = input.body } = input;
    if (shape === 'streamEvent') return isContextOverflowEvent(responseBody);
    const error = { message, statusCode: statusCode ?? undefined, body: toText(responseBody) };
    return isContextOverflow(error, rule);
  },
});

function toText(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  return typeof body === 'string' ? body : JSON.stringify(body);
}
