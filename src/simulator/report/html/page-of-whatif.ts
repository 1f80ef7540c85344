import type { RunEvent } from '../../events.ts';
import { countsAs } from '../../metrics/record.ts';
import { textOf } from '../document.ts';
import { describeMode } from '../report.ts';
import { completeMetrics, type RunView } from '../saved/shapes.ts';
import { drawSawtooth } from '../sawtooth.ts';
import { conclude } from '../verdict.ts';
import { verdictNotes } from '../verdict-lines.ts';
import {
  armsOf,
  columnsOf,
  describeEnd,
  hasSeveralModels,
  plotOf,
  savingsOf,
  type WhatIfReport,
} from '../whatif-report.ts';
import { toPageArms } from './page-arms.ts';
import type { PageData, PageGroup, PageTable } from './page-data.ts';
import { PAGE_METRICS, toPageRun, toRunDetail, toValues } from './page-of-runs.ts';
import { findPeers, originFacts } from './page-parts.ts';
import { emptyPage } from './render-page.ts';

/** The events of a variant with the views of its requests. */
export interface VariantPicture {
  readonly events: readonly RunEvent[];
  readonly view?: RunView | undefined;
}

const NO_TIMELINE =
  'No timeline: JSON of a what-if keeps the size of each step, not its events. `compaction-bench whatif SESSION --out FILE.html` draws it.';

/** Converts a what-if to a page: each variant as a group with one run, step by step. */
export function toPageOfWhatIf(
  report: WhatIfReport,
  pictures: readonly VariantPicture[] = [],
): PageData {
  const { session, policy, mode, seed } = report;
  const columns = columnsOf(report);
  const runs = columns.map(({ variant }, g) => {
    const picture = pictures[g];
    const detail = picture && toRunDetail(picture.events, picture.view);
    return toPageRun(
      { ...variant, metrics: completeMetrics(variant.metrics), seed, mode },
      { s: 0, g },
      detail,
    );
  });
  const hasModels = hasSeveralModels(columns);
  const arms = armsOf(report);
  const conclusion = conclude(arms);
  const groupTitles = hasModels ? ['Model', 'Window'] : ['Window'];
  const groups = columns.map(({ variant, window }) => ({
    names: hasModels ? [variant.model, window] : [window],
    runs: 1,
    completedRuns: countsAs(variant) === 'completed' ? 1 : 0,
    values: toValues(completeMetrics(variant.metrics)),
  }));
  return {
    ...emptyPage([]),
    title: `${session} under ${policy}`,
    groupTitles,
    groups,
    valuesAre: 'One run each, also where it did not complete',
    peers: findPeers(groups, runs),
    metrics: PAGE_METRICS,
    sessions: [session],
    runs,
    tables: pictures.length === 0 ? [toDrawings(report, groupTitles, groups)] : [],
    arms: toPageArms(arms, conclusion),
    verdict: verdictNotes(conclusion),
    notes: [...columns.flatMap(describeEnd).map(textOf), ...savingsOf(report)],
    facts: originFacts(
      [
        {
          label: 'Models',
          value: [...new Set(columns.map(({ variant }) => variant.model))].join(', '),
        },
        { label: 'Policy', value: policy },
      ],
      report,
    ),
    evidence: describeMode(mode),
    ...(pictures.length === 0 && { noTimeline: NO_TIMELINE }),
  };
}

/** Where there are no events, how the context went up and down is told as in a terminal. */
function toDrawings(
  report: WhatIfReport,
  titles: readonly string[],
  groups: readonly Pick<PageGroup, 'names'>[],
): PageTable {
  return {
    id: 'drawings',
    title: 'The context over the steps',
    caption: 'Tokens of each request, and what the policy did',
    columns: [{ title: titles.join(' · ') }, { title: 'Over the steps' }],
    rows: columnsOf(report).map((column, index) => [
      groups[index]?.names.join(' · ') ?? '',
      { text: 'chart', drawing: drawSawtooth(plotOf(report, column)) },
    ]),
  };
}
