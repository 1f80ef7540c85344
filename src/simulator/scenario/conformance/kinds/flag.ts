import * as z from 'zod';
import { Environment, readOutputCap } from '../environment.ts';
import { createKind } from '../kind.ts';
import { expectedByVersion } from '../profiles.ts';

const FlagVector = z.looseObject({
  version: z.string().optional(),
  env: Environment,
  expected: z.number().nullable(),
});

/** Which cap on one answer does the environment set? */
export const flagParse = createKind({
  schema: FlagVector,
  expected: expectedByVersion,
  ruleOf: () => 'every release',
  evaluate: ({ env }) => readOutputCap(env),
});
