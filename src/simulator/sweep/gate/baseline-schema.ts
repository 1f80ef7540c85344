/** Shapes of the files of a baseline. */

import * as z from 'zod';
import type { RunState } from '../../events.ts';
import { type MetricValues, UNKNOWN_METRICS } from '../../metrics/metrics.ts';
import type { BaselineHeader, ScenarioRecord } from './baseline.ts';

/** The version of the shape of a baseline's files. */
export const BASELINE_SCHEMA_VERSION = 2;

/** Any file that tells by which version its shape goes. */
export const VersionedFile = z.looseObject({ schemaVersion: z.int() });

/** The file that stands for a baseline as a whole. */
export const BaselineFile: z.ZodType<BaselineHeader> = z.strictObject({
  schemaVersion: z.int(),
  version: z.string(),
  scorerVersion: z.int(),
  catalog: z.string(),
  reason: z.string(),
});

const Case = z.strictObject({
  run: z.string(),
  made: z.strictObject({
    policy: z.string(),
    model: z.string(),
    summarizer: z.string(),
    seed: z.int(),
    tokenizer: z.string(),
    estimator: z.string(),
    prompts: z.record(z.string(), z.string()),
  }),
  state: z.string().transform((state) => state as RunState),
  reason: z.string().exactOptional(),
  digest: z.string(),
  metrics: z
    .record(z.string(), z.number())
    .transform((values): MetricValues => ({ ...UNKNOWN_METRICS, ...values })),
  log: z.array(z.string()),
});

/** The file of one scenario. */
export const ScenarioFile: z.ZodType<ScenarioRecord> = z.strictObject({
  scenario: z.string(),
  source: z.string(),
  runs: z.array(Case),
});

/** The file of one scenario, of whatever version. */
export const AnyScenarioFile = z.looseObject({ scenario: z.string(), runs: z.array(z.unknown()) });

/** A scenario as its file has it: a metric that is not there is unknown. */
export function toStored({ runs, ...scenario }: ScenarioRecord) {
  return { ...scenario, runs: runs.map((run) => ({ ...run, metrics: knownOf(run.metrics) })) };
}

function knownOf(values: MetricValues): Partial<MetricValues> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
