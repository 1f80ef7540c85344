import type { Immutable } from '../lib/json.ts';
import { mapOf, nameOf } from './file/leaves.ts';
import * as z from 'zod';

/** A comparison of one metric of every run with the baseline or a limit. */
export type Gate = Immutable<z.infer<typeof GateSchema>>;

/** The configuration of checks. */
export type BenchConfig = Immutable<z.infer<typeof ConfigSchema>>;

export type GateType = keyof typeof gateTypes;

const A_RATIO = 'a number above 0';
const A_MARGIN = 'a number from 0';
const A_LIST = 'a list of one file, folder or pattern at least';
const A_GATE = 'a gate with type, metric and limit or margin';
const Metric = name('a metric').describe('The name of a metric, as `list metrics` has it');
const Limit = z.number('a number').describe("A number in the metric's own unit");

/** Types of gates: comparisons of a number with a baseline or limit. */
export const gateTypes = {
  exact: { describes: "Exactly the baseline's number." },
  max: { describes: 'At most the limit, whatever the baseline has.' },
  min: { describes: 'At least the limit, whatever the baseline has.' },
  ratio: { describes: "At most this multiple of the baseline's number." },
  noninferior: {
    describes:
      "No worse than the baseline by more than the margin; over all runs, not even at the worst end of the interval of their mean difference, for which it takes two independent scenarios. The margin is in the metric's own unit; for costUsd it is a share (0.05 is 5 %), and the interval that of their mean ratio.",
  },
} as const;

export const GateSchema = z.discriminatedUnion(
  'type',
  [
    mapOf(A_GATE, { type: z.literal('exact'), metric: Metric }),
    mapOf(A_GATE, { type: z.literal('max'), metric: Metric, limit: Limit }),
    mapOf(A_GATE, { type: z.literal('min'), metric: Metric, limit: Limit }),
    mapOf(A_GATE, {
      type: z.literal('ratio'),
      metric: Metric,
      limit: z
        .number(A_RATIO)
        .positive(A_RATIO)
        .describe('How many times the number of the baseline'),
    }),
    mapOf(A_GATE, {
      type: z.literal('noninferior'),
      metric: Metric,
      margin: z
        .number(A_MARGIN)
        .nonnegative(A_MARGIN)
        .describe("How much worse is still no worse, in the metric's own unit; of costUsd a share"),
    }),
  ],
  {
    error: ({ code }) =>
      code === 'invalid_union' ? `one of ${Object.keys(gateTypes).join(', ')}` : A_GATE,
  },
);
const Gates = z.array(GateSchema, 'a list of gates');

export const ConfigSchema = mapOf('a map of settings', {
  baseline: name('a folder').describe('The folder of the baseline').exactOptional(),
  scenarios: z
    .array(name('a file, folder or pattern'), A_LIST)
    .min(1, A_LIST)
    .describe('Scenario files, folders or patterns')
    .exactOptional(),
  gates: Gates.describe('Gates over all runs together').exactOptional(),
  cases: z
    .record(z.string(), Gates)
    .describe('Gates for each run, by `*`, a scenario, or `scenario: run`')
    .exactOptional(),
  events: nameOf('what becomes of events', ['exact', 'ignored'])
    .describe('Whether the events of each run have to be those of the baseline')
    .exactOptional(),
});

export function toJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(ConfigSchema);
}

/** A configuration as it is, with its types checked where it is written. */
export function defineConfig(config: BenchConfig): BenchConfig {
  return config;
}

function name(expected: string) {
  return z.string(expected).min(1, expected);
}
