import { countsAs } from '../../metrics/record.ts';
import { textOf } from '../document.ts';
import { describeMode } from '../report.ts';
import { drawSawtooth } from '../sawtooth.ts';
import { conclude } from '../verdict.ts';
import { verdictNotes } from '../verdict-lines.ts';
import {
  armsOfVariants,
  CURVE_CAPTION,
  curveRows,
  curveTitles,
  describeEnd,
  describeVariantSavings,
  modelsOf,
  simulated,
  type VariantResult,
  type WhatIfReport,
  type WhatIfView,
  windowOf,
} from '../whatif-report.ts';
import { toPageArms } from './page-arms.ts';
import type { PageData, PageGroup, PageTable } from './page-data.ts';
import { PAGE_METRICS, toPageRun, toRunDetail, toValues } from './page-of-runs.ts';
import { findPeers, originFacts } from './page-parts.ts';
import { emptyPage } from './render-page.ts';

const NO_TIMELINE =
  'No timeline: JSON of a what-if keeps the size of each step, not its events. `compaction-bench whatif SESSION --out FILE.html` draws it.';

/** Converts a what-if to a page: each variant as a group with one run, step by step. */
export function toPageOfWhatIf(report: WhatIfReport, { curve = false }: WhatIfView): PageData {
  const { session, policy, mode, variants } = report;
  const runs = variants.map(({ record, events, view }, g) =>
    toPageRun({ ...record, mode }, { s: 0, g }, events && toRunDetail(events, view)),
  );
  const models = modelsOf(variants);
  const arms = armsOfVariants(report);
  const conclusion = conclude(arms);
  const groups = variants.map((variant) => toGroup(variant, variants));
  return {
    ...emptyPage([]),
    title: `${session} under ${policy}`,
    groupTitles: titlesOf(variants),
    groups,
    valuesAre: 'One run each, also where it did not complete',
    peers: findPeers(groups, runs),
    metrics: PAGE_METRICS,
    sessions: [session],
    runs,
    tables: [...(curve ? [toCurves(simulated(variants))] : []), ...toDrawings(variants, groups)],
    arms: toPageArms(arms, conclusion),
    verdict: verdictNotes(conclusion),
    notes: [...variants.flatMap(describeEnd), ...describeVariantSavings(report)],
    facts: originFacts(
      [
        { label: 'Models', value: models.join(', ') },
        { label: 'Policy', value: policy },
      ],
      report,
    ),
    evidence: describeMode(mode),
    ...(variants.some(isSaved) && { noTimeline: NO_TIMELINE }),
  };
}

function titlesOf(variants: readonly VariantResult[]): readonly string[] {
  return modelsOf(variants).length > 1 ? ['Model', 'Window'] : ['Window'];
}

function toGroup(variant: VariantResult, variants: readonly VariantResult[]): PageGroup {
  const { model, record } = variant;
  const window = windowOf(variant);
  return {
    names: titlesOf(variants).length > 1 ? [model, window] : [window],
    runs: 1,
    completedRuns: countsAs(record) === 'completed' ? 1 : 0,
    values: toValues(record.metrics),
  };
}

function toCurves(variants: readonly VariantResult[]): PageTable {
  return {
    id: 'curve',
    title: 'Losses against the protect window',
    caption: CURVE_CAPTION,
    columns: curveTitles(variants).map((title) => ({ title: textOf(title), isNumber: true })),
    rows: curveRows(variants),
  };
}

/** Where there are no events, how the context went up and down is told as in a terminal. */
function toDrawings(
  variants: readonly VariantResult[],
  groups: readonly PageGroup[],
): readonly PageTable[] {
  if (!variants.some(isSaved)) return [];
  return [
    {
      id: 'drawings',
      title: 'The context over the steps',
      caption: 'Tokens of each request, and what the policy did',
      columns: [{ title: titlesOf(variants).join(' · ') }, { title: 'Over the steps' }],
      rows: variants.map(({ plot }, index) => [
        groups[index]?.names.join(' · ') ?? '',
        { text: 'chart', drawing: drawSawtooth(plot) },
      ]),
    },
  ];
}

function isSaved({ events }: VariantResult): boolean {
  return events === undefined;
}
