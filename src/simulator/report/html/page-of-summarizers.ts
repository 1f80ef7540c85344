import { type ArmMetricName, armMetrics } from '../arm-metrics.ts';
import { countOf } from '../numbers.ts';
import {
  ARM_METRICS,
  type SummarizersProvenance,
  type SummarizersReport,
} from '../summarizers-report.ts';
import {
  conclude,
  describePlaces,
  failureLines,
  familyLines,
  readerLines,
  repeatsOf,
} from '../summarizers-verdict.ts';
import {
  answerKindTable,
  answerTable,
  armTable,
  differenceTable,
  STRINGS_NOTE,
  survivalTable,
} from '../summarizers-tables.ts';
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
    verdict: conclude(report),
    notes: [
      ...familyLines(provenance),
      ...failureLines(report),
      ...(probes ? readerLines(probes) : []),
    ],
    // Metrics that nobody knows of any arm are left out.
    bars: ARM_METRICS.map((metric) => toBars(report, metric)).filter(({ bars }) =>
      bars.some(({ value }) => value !== null),
    ),
    tables: [
      ...(probes ? [['answers', 'Answers', answerTable(probes)] as const] : []),
      ...(probes ? [['kinds', 'Answers by kind', answerKindTable(probes)] as const] : []),
      ['arms', 'Summarizers', armTable(report), STRINGS_NOTE] as const,
      ['differences', 'Against the base', differenceTable(report)] as const,
      ['survival', 'Over compactions', survivalTable(report)] as const,
    ].flatMap(([id, title, table, caption]) => pageTable(id, title, { ...table, caption })),
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
  const { label, unit } = armMetrics[metric];
  const bars = arms.map(({ name, metrics }) => {
    const { mean: value, low, high, sessions } = metrics[metric];
    return { name, value, low, high, sessions };
  });
  return { title: label, unit, bars };
}
