import { jsonText } from '../json-text.ts';
import { curvePoints } from './curve.ts';
import {
  type VariantResult,
  WHAT_IF_VERSION,
  type WhatIfReport,
  type WhatIfView,
} from './what-if-report.ts';

/** Everything, for programs, with the size of the context at each step. */
export function renderWhatIfJson(report: WhatIfReport, view: WhatIfView): string {
  const { session, policy, summarizer, seed, mode, origin, variants } = report;
  const document = {
    whatIfVersion: WHAT_IF_VERSION,
    session,
    policy,
    summarizer,
    seed,
    mode,
    origin,
    variants: variants.map((variant) => toVariant(variant, view)),
  };
  return jsonText(document);
}

function toVariant({ model, limits, record, plot, curve }: VariantResult, view: WhatIfView) {
  const { sizes, usableTokens, marks } = plot;
  const { state, reason, metrics } = record;
  return {
    model,
    limits,
    state,
    ...(reason !== undefined && { reason }),
    metrics,
    sawtooth: {
      contextTokens: sizes,
      usableTokens: usableTokens.map((tokens) => tokens ?? null),
      marks: marks.map(({ kind, steps }) => ({ kind: kind.one, steps })),
    },
    ...(view.curve && { missCurve: curve ? { ...curve, points: curvePoints(curve) } : null }),
  };
}
