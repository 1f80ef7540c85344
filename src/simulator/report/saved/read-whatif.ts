import type * as z from 'zod';
import { hasNoLimit, MARK_KINDS, type SawtoothPlot } from '../sawtooth-plot.ts';
import type { VariantResult } from '../whatif/what-if-report.ts';
import { completeMetrics } from './record-shape.ts';
import type { SavedWhatIf } from './saved.ts';
import type { WhatIfShape } from './whatif-shape.ts';

type Document = z.infer<typeof WhatIfShape>;
type SavedVariant = Document['variants'][number];
/** What all variants were made with. */
type Made = Pick<Document, 'seed' | 'policy'>;

/** What `whatif` saved: all that its table shows, with the misses of protect windows where somebody asked for them. */
export function readWhatIf(document: Document): SavedWhatIf {
  const { whatIfVersion: _, variants, ...report } = document;
  return {
    report: { ...report, variants: variants.map((variant) => toVariant(variant, report)) },
    view: { charts: true, curve: variants.some(({ missCurve }) => missCurve !== undefined) },
  };
}

function toVariant(variant: SavedVariant, { seed, policy }: Made): VariantResult {
  const { model, limits, state, reason, metrics } = variant;
  const ending = { state, ...(reason !== undefined && { reason }) };
  return {
    model,
    limits,
    record: { seed, ...ending, metrics: completeMetrics(metrics) },
    plot: toPlot(variant, policy),
    ...toCurve(variant),
  };
}

function toPlot({ limits, sawtooth }: SavedVariant, policy: string): SawtoothPlot {
  const { contextTokens, marks } = sawtooth;
  const usableTokens = sawtooth.usableTokens.map((tokens) => tokens ?? undefined);
  return {
    sizes: contextTokens,
    usableTokens,
    isUnlimited: hasNoLimit({ policy, limits }, usableTokens),
    marks: marks.flatMap(({ kind: name, steps }) => {
      const kind = MARK_KINDS.find(({ one }) => one === name);
      return kind === undefined ? [] : [{ kind, steps }];
    }),
  };
}

/** Its points follow from it. */
function toCurve({ missCurve }: SavedVariant): Pick<VariantResult, 'curve'> {
  if (missCurve === undefined || missCurve === null) return {};
  const { references, lostToPivots, distances, minimumTokens } = missCurve;
  return { curve: { references, lostToPivots, distances, minimumTokens } };
}
