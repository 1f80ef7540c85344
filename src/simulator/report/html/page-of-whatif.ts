import { describeMode } from '../mode.ts';
import { CURVE_CAPTION, curveRows, headOf } from '../whatif/curve.ts';
import { describeEnd, windowOf } from '../whatif/table.ts';
import type { VariantResult, WhatIfReport, WhatIfView } from '../whatif/what-if-report.ts';
import { emptyPage } from './empty-page.ts';
import { originFacts } from './origin-facts.ts';
import { findPeers } from './peers.ts';
import type { PageData, PageGroup, PageTable } from './page-data.ts';
import { PAGE_METRICS, toPageRun, toValues } from './page-of-runs.ts';
import { toRunDetail } from './run-detail.ts';

/** What a page shows of one session under several windows and models: each as a group with one run, step by step. */
export function toPageOfWhatIf(report: WhatIfReport, { curve = false }: WhatIfView): PageData {
  const { session, policy, mode, variants } = report;
  const runs = variants.map(({ record, events, view }, g) =>
    toPageRun(record, { s: 0, g }, events.length === 0 ? undefined : toRunDetail(events, view)),
  );
  const models = modelsOf(variants);
  const groups = variants.map((variant) => toGroup(variant, variants));
  return {
    ...emptyPage([]),
    title: `${session} under ${policy}`,
    groupTitles: models.length > 1 ? ['Model', 'Window'] : ['Window'],
    groups,
    peers: findPeers(groups, runs),
    metrics: PAGE_METRICS,
    sessions: [session],
    runs,
    tables: curve ? [toCurves(variants, groups)] : [],
    notes: variants.flatMap(describeEnd),
    facts: originFacts(
      [
        { label: 'Models', value: models.join(', ') },
        { label: 'Policy', value: policy },
      ],
      report,
    ),
    evidence: describeMode(mode),
  };
}

function modelsOf(variants: readonly VariantResult[]): readonly string[] {
  return [...new Set(variants.map(({ model }) => model))];
}

function toGroup(variant: VariantResult, variants: readonly VariantResult[]): PageGroup {
  const { model, limits, record } = variant;
  const window = windowOf(limits.contextTokens);
  return {
    names: modelsOf(variants).length > 1 ? [model, window] : [window],
    runs: 1,
    completedRuns: record.state === 'completed' ? 1 : 0,
    values: toValues(record.metrics),
  };
}

function toCurves(variants: readonly VariantResult[], groups: readonly PageGroup[]): PageTable {
  return {
    id: 'curve',
    title: 'Misses against the protect window',
    caption: CURVE_CAPTION,
    columns: [
      { title: 'Protect', isNumber: true },
      ...variants.map(({ curve }, index) => ({
        title: `${groups[index]?.names.join(' · ')}: ${headOf(curve)}`,
        isNumber: true,
      })),
    ],
    rows: curveRows(variants),
  };
}
