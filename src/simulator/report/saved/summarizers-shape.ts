import * as z from 'zod';
import { CONDITIONS, PROBE_KINDS } from '../../metrics/probes/probe.ts';
import { armMetrics } from '../arm-metrics.ts';
import { OriginShape, UnreadShape } from './shapes.ts';

const Estimate = z.looseObject({
  mean: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  sessions: z.number(),
  families: z.number().exactOptional(),
});

const Reason = z.looseObject({ reason: z.string(), state: z.string(), times: z.number() });

const Arm = z.looseObject({
  name: z.string(),
  metrics: z.record(z.enum(Object.keys(armMetrics)), Estimate),
  mustFacts: z.looseObject({
    of: z.number(),
    dropped: z.number(),
    highestRate: z.number().nullable(),
  }),
  survival: z.array(z.looseObject({ pivots: z.number(), survival: Estimate })),
  failures: z.looseObject({
    trials: z.number(),
    pivots: z.number(),
    failed: z.number(),
    cut: z.number(),
    nonCompressing: z.number(),
    reasons: z.array(Reason),
  }),
});

const Difference = z.looseObject({
  arm: z.string(),
  metric: z.enum(Object.keys(armMetrics)),
  sessions: z.number(),
  difference: Estimate,
  ratio: Estimate.exactOptional(),
  verdict: z.string(),
});

const Probes = z.looseObject({
  reader: z.string(),
  ownFamily: z.array(z.string()),
  arms: z.array(
    z.looseObject({
      arm: z.string(),
      questions: z.number(),
      accuracy: z.record(z.enum(CONDITIONS), Estimate),
      left: Estimate,
      kinds: z.partialRecord(
        z.enum(PROBE_KINDS),
        z.looseObject({ full: Estimate, compacted: Estimate }),
      ),
    }),
  ),
});

/** A JSON report of `summarizers`, as far as any format reads it. */
export const SummarizersShape = z.looseObject({
  summarizersVersion: z.int(),
  provenance: z.looseObject({
    origin: OriginShape,
    policy: z.string(),
    model: z.string(),
    pivots: z.number(),
    compactAt: z.union([z.array(z.number()), z.literal('policy')]),
    seed: z.number(),
    repeats: z.number(),
    leastRepeats: z.number().exactOptional(),
    scenarios: z.array(
      z.looseObject({
        name: z.string(),
        hash: z.string(),
        facts: z.string(),
        family: z.string().exactOptional(),
      }),
    ),
  }),
  arms: z.array(Arm),
  differences: z.array(Difference),
  probes: Probes.exactOptional(),
  unread: UnreadShape,
});
