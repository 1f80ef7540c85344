import { type ArmMetricName, armMetrics, OF_SUMMARIES } from '../arm-metrics.ts';
import { countOf } from '../numbers.ts';
import {
  ARM_COLUMNS,
  armRows,
  describePlaces,
  DIFFERENCE_COLUMNS,
  differenceRows,
  failureLines,
  familyLines,
  repeatsOf,
} from '../summarizers-lines.ts';
import {
  DECAY_NOTE,
  decayColumns,
  decayRows,
  LOSS_COLUMNS,
  lossRows,
  panelLines,
  PROBE_COLUMNS,
  probeRows,
  type SummarizersProvenance,
  type SummarizersReport,
} from '../summarizers-report.ts';
import type { PageBars, PageData } from './page-data.ts';
import { madeBy, pageTable, restsOn } from './page-parts.ts';
import { emptyPage } from './render-page.ts';

type Scenario = SummarizersProvenance['scenarios'][number];

/** Converts a comparison of summarizers to a page: bars with intervals, then the tables. */
export function toPageOfSummarizers(report: SummarizersReport): PageData {
  const { provenance, arms, probes, unread } = report;
  return {
    ...emptyPage(unread),
    title: `${countOf(arms.length, 'summarizer')} on ${countOf(provenance.scenarios.length, 'session')}`,
    notes: [
      ...familyLines(provenance),
      ...failureLines(report),
      ...(probes ? panelLines(probes) : []),
    ],
    // What nobody knows of any arm is left out.
    bars: OF_SUMMARIES.map((metric) => toBars(report, metric)).filter(({ bars }) =>
      bars.some(({ value }) => value !== null),
    ),
    tables: [
      ['arms', 'Summarizers', ARM_COLUMNS, armRows(report)] as const,
      ['differences', 'Against the base', DIFFERENCE_COLUMNS, differenceRows(report)] as const,
      ['decay', 'Over pivots', decayColumns(report), decayRows(report), DECAY_NOTE] as const,
      ...(probes ? [['probes', 'Questions', PROBE_COLUMNS, probeRows(probes.arms)] as const] : []),
      ...(probes ? [['losses', 'Lost answers', LOSS_COLUMNS, lossRows(probes.arms)] as const] : []),
    ].flatMap(([id, title, columns, rows, caption]) =>
      pageTable(id, title, { columns, rows, caption }),
    ),
    facts: factsOf(provenance),
    evidence: 'Means over sessions; a bar without a line has too few sessions for a 95 % interval.',
  };
}

function factsOf(provenance: SummarizersProvenance): PageData['facts'] {
  const { origin, policy, model, seed, scenarios } = provenance;
  return [
    madeBy(origin),
    { label: 'Policy', value: policy },
    { label: 'Model', value: model },
    { label: 'Compacted', value: describePlaces(provenance) },
    { label: 'Repeated', value: repeatsOf(provenance) },
    { label: 'Seed', value: String(seed) },
    restsOn(origin),
    { label: 'Sessions', value: scenarios.map(describeScenario).join('; ') },
  ];
}

function describeScenario({ name, hash, facts, family }: Scenario): string {
  const ofFamily = family === undefined ? '' : `, of the family of ${family}`;
  return `${name} (${hash}, facts ${facts}${ofFamily})`;
}

function toBars({ arms }: SummarizersReport, metric: ArmMetricName): PageBars {
  const { label, unit, better } = armMetrics[metric];
  const bars = arms.map(({ name, metrics }) => {
    const { mean: value, low, high, sessions } = metrics[metric];
    return { name, value, low, high, sessions };
  });
  return { title: label, unit, ...(better && { better }), bars };
}
