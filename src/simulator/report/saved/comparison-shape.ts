import * as z from 'zod';
import {
  EstimateShape,
  LeftOutShape,
  ModeShape,
  UnitShape,
  UnreadShape,
  VerdictShape,
} from './amount-shapes.ts';
import { OriginShape } from './origin-shape.ts';

const Side = OriginShape.extend({ policies: z.array(z.string()) });

const Values = z.looseObject({ metric: z.string(), a: z.number(), b: z.number() });

const Cost = z.looseObject({
  geometricRatio: EstimateShape,
  verdict: VerdictShape,
  ratioOfTotals: EstimateShape.nullable(),
});

const Compared = z.looseObject({
  name: z.string(),
  label: z.string(),
  unit: UnitShape,
  pairs: z.number(),
  meanA: z.number(),
  meanB: z.number(),
  difference: EstimateShape,
  verdict: VerdictShape,
  pValue: z.number().nullable().exactOptional(),
  outcomes: z
    .looseObject({ wins: z.number(), losses: z.number(), ties: z.number() })
    .exactOptional(),
});

const Apart = z.looseObject({
  session: z.string(),
  arm: z.string().exactOptional(),
  measure: Values,
  because: Values.exactOptional(),
  parting: z.looseObject({ step: z.number(), a: z.string(), b: z.string() }).exactOptional(),
});

/** A JSON report of `compare`, as far as any format reads it. */
export const ComparisonShape = z.looseObject({
  comparisonVersion: z.int(),
  a: z.string(),
  b: z.string(),
  origins: z.looseObject({ a: Side, b: Side }),
  model: z.string(),
  summarizer: z.string(),
  mode: ModeShape,
  seed: z.number(),
  pairs: z.number(),
  sessions: z.number(),
  families: z.number(),
  cost: Cost.nullable(),
  metrics: z.array(Compared),
  mostDifferent: z.array(Apart),
  leftOut: LeftOutShape,
  unread: UnreadShape,
});
