import * as z from 'zod';
import { MARK_KINDS } from '../sawtooth-plot.ts';
import { ModeShape } from './amount-shapes.ts';
import { OriginShape } from './origin-shape.ts';
import { RecordShape } from './record-shape.ts';

const Tokens = z.number().min(0);

const Sawtooth = z.looseObject({
  contextTokens: z.array(Tokens),
  usableTokens: z.array(Tokens.nullable()),
  marks: z.array(
    z.looseObject({
      kind: z.enum(MARK_KINDS.map(({ one }) => one)),
      steps: z.array(z.int().min(1)).min(1),
    }),
  ),
});

const Curve = z.looseObject({
  references: z.number(),
  lostToPivots: z.number(),
  distances: z.array(z.number()),
  minimumTokens: z.number(),
});

const Variant = z.looseObject({
  model: z.string(),
  limits: z.looseObject({ contextTokens: Tokens }),
  state: RecordShape.shape.state,
  reason: z.string().exactOptional(),
  metrics: RecordShape.shape.metrics,
  sawtooth: Sawtooth,
  /** Absent where nobody asked for it, `null` where there is none. */
  missCurve: Curve.nullable().exactOptional(),
});

/** A JSON report of `whatif`, as far as any format reads it. */
export const WhatIfShape = z.looseObject({
  whatIfVersion: z.int(),
  session: z.string(),
  policy: z.string(),
  summarizer: z.string(),
  seed: z.number(),
  mode: ModeShape,
  origin: OriginShape,
  variants: z.array(Variant),
});
