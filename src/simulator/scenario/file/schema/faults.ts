import * as z from 'zod';
import { Count, Duration, mapOf, On, oneOf, Text, Times, Tokens, wholeNumber } from './leaves.ts';
import { Model } from './model.ts';

const AN_OVERFLOW = 'true, a message, or a map with status and message';
const A_FAULT = 'a map with step or summary and what goes wrong there';

/** What goes wrong, or happens beside the session; `toFaults` says which keys go together. */
export const FaultEntry = mapOf(A_FAULT, {
  step: Count.optional().describe('The step that it affects, from 1.'),
  summary: Count.optional().describe(
    'The summary request that it affects, from 1, retries included.',
  ),
  times: Times.optional().describe('Tries of the step, or requests in a row; 1 where absent.'),
  fail: oneOf('true or a message', [On, Text])
    .optional()
    .describe('An error other than an overflow.'),
  timeOut: Duration.optional().describe('No answer for that long.'),
  rateLimit: oneOf('true or a duration', [On, Duration])
    .optional()
    .describe('Too many requests; the client waits and asks again.'),
  overflow: oneOf(AN_OVERFLOW, [
    On,
    Text,
    mapOf(AN_OVERFLOW, {
      status: wholeNumber('a status from 100 to 599', 100, 599).optional(),
      message: Text.optional(),
    }),
  ])
    .optional()
    .describe('Refused as too large, whatever its size.'),
  abortAfter: Tokens.optional().describe('Aborted by the user after that many tokens.'),
  usageTimes: z
    .number('a number of at least 0')
    .min(0, 'a number of at least 0')
    .optional()
    .describe('The usage that the step reports is multiplied by this.'),
  message: Text.optional().describe('A prompt that arrives while that summary is written.'),
  compact: On.optional().describe('A compaction by hand before that step.'),
  model: Model.options[0].optional().describe('From that step on this model answers.'),
});

/** One entry under `faults`. */
export type FaultEntry = z.infer<typeof FaultEntry>;
