import * as z from 'zod';
import { recordOf } from '../../session/any-keys.ts';
import type { BenchConfig } from './config.ts';

const Metric = z.string().min(1).describe('The name of a metric, as `list metrics` has it');
const Limit = z.number().describe("A number in the metric's own unit");

/** A gate as files have it. */
export const GateSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('exact'), metric: Metric }),
  z.strictObject({ type: z.literal('max'), metric: Metric, limit: Limit }),
  z.strictObject({ type: z.literal('min'), metric: Metric, limit: Limit }),
  z.strictObject({
    type: z.literal('ratio'),
    metric: Metric,
    limit: z.number().positive().describe('How many times the number of the baseline'),
  }),
  z.strictObject({
    type: z.literal('noninferior'),
    metric: Metric,
    margin: z
      .number()
      .nonnegative()
      .describe("How much worse is still no worse, in the metric's own unit; of costUsd a share"),
  }),
]);

/** A configuration as files have it. */
export const ConfigSchema: z.ZodType<BenchConfig> = z.strictObject({
  baseline: z.string().min(1).describe('The folder of the baseline').exactOptional(),
  scenarios: z
    .array(z.string().min(1))
    .min(1)
    .describe('Scenario files, folders or patterns')
    .exactOptional(),
  gates: z.array(GateSchema).describe('Gates over all runs together').exactOptional(),
  cases: recordOf(z.array(GateSchema))
    .describe('Gates for each run, by `*`, a scenario, or `scenario: run`')
    .exactOptional(),
  events: z
    .enum(['exact', 'ignored'])
    .describe('Whether the events of each run have to be those of the baseline')
    .exactOptional(),
});

/** The JSON Schema by which editors complete and check configurations in JSON and YAML. */
export function toJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(ConfigSchema);
}
