import * as z from 'zod';
import { GateSchema, gateTypes } from '../../scenario/gate.ts';
import { UnreadShape } from './amount-shapes.ts';
import { OriginShape } from './origin-shape.ts';
import { RecordShape } from './record-shape.ts';

const Failure = z.looseObject({
  line: z.number(),
  column: z.number(),
  expected: z.string(),
  got: z.string(),
});

const CheckedRun = z.looseObject({
  name: z.string(),
  at: z.looseObject({ line: z.number(), column: z.number() }).exactOptional(),
  policy: z.string(),
  state: RecordShape.shape.state,
  reason: z.string().exactOptional(),
  failures: z.array(Failure),
  metrics: RecordShape.shape.metrics,
  chart: z.string().exactOptional(),
});

const Finding = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('events'),
    scenario: z.string(),
    run: z.string(),
    step: z.number().exactOptional(),
    isUnlogged: z.literal(true).exactOptional(),
    rule: z.string(),
    baseline: z.string(),
    now: z.string(),
    before: z.array(z.string()),
  }),
  z.looseObject({
    kind: z.literal('gate'),
    scenario: z.string().exactOptional(),
    run: z.string().exactOptional(),
    type: z.enum(Object.keys(gateTypes)),
    metric: z.string(),
    expected: z.string(),
    got: z.string(),
  }),
]);

const Gate = z.looseObject({
  baseline: z.string(),
  reason: z.string(),
  comparedRuns: z.number(),
  unscoredRuns: z.number(),
  findings: z.array(Finding),
  inconclusive: z.array(z.looseObject({ reason: z.string() })),
});

const BothMetrics = z.looseObject({
  baseline: RecordShape.shape.metrics,
  now: RecordShape.shape.metrics,
});

const Part = z.looseObject({
  baseline: z.string(),
  reason: z.string(),
  mismatches: z.array(z.string()),
  missing: z.array(z.string()),
  unasked: z.array(z.string()),
  gates: z.array(GateSchema),
  scenarios: z.array(
    z.looseObject({
      scenario: z.string(),
      family: z.string().exactOptional(),
      inconclusive: z.array(z.string()),
      findings: z.array(Finding),
      runs: z.array(
        z.looseObject({
          run: z.string(),
          isUnscored: z.boolean(),
          unknownMetrics: z.array(z.string()).exactOptional(),
          numbers: BothMetrics.exactOptional(),
        }),
      ),
    }),
  ),
});

const Shard = z.looseObject({
  index: z.int(),
  count: z.int(),
  check: z.string(),
  version: z.string(),
  gate: Part.exactOptional(),
});

/** A JSON report of `check`, as far as any format reads it. */
export const CheckShape = z.looseObject({
  schemaVersion: z.int(),
  origin: OriginShape.exactOptional(),
  passed: z.number(),
  failed: z.number(),
  scenarios: z.array(
    z.looseObject({
      file: z.string(),
      name: z.string(),
      passed: z.boolean(),
      runs: z.array(CheckedRun),
    }),
  ),
  unread: UnreadShape,
  gate: Gate.exactOptional(),
  shard: Shard.exactOptional(),
});
