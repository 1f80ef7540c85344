import { type ArmMetricName, armMetrics, OF_SUMMARIES } from '../summarizers/arm-metrics.ts';
import {
  ARM_TITLES,
  armRows,
  DIFFERENCE_TITLES,
  differenceRows,
  failureLines,
  familyLines,
  repeatsOf,
} from '../summarizers/lines.ts';
import { decayRows, decayTitles } from '../summarizers/decay-report.ts';
import {
  LOSS_TITLES,
  lossRows,
  panelLines,
  PROBE_TITLES,
  probeRows,
} from '../summarizers/probes-report.ts';
import type { SummarizersReport } from '../summarizers/summarizers-report.ts';
import { countOf } from '../numbers.ts';
import { emptyPage } from './empty-page.ts';
import type { PageBars, PageColumn, PageData, PageTable } from './page-data.ts';

/** A cell that stands to the right, though it is words with a number. */
const IS_NUMBER = /^[-+–$]?\d|^–$/;

/** What a page shows of a comparison of summarizers: bars with intervals, then the tables. */
export function toPageOfSummarizers(report: SummarizersReport): PageData {
  const { provenance, arms, probes, unread } = report;
  const { scenarios, compactAt } = provenance;
  return {
    ...emptyPage(unread),
    title: `${countOf(arms.length, 'summarizer')} on ${countOf(scenarios.length, 'session')}`,
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
      toTable(['arms', 'Summarizers', ARM_TITLES, armRows(report)]),
      toTable(['differences', 'Against the base', DIFFERENCE_TITLES, differenceRows(report)]),
      toTable(['decay', 'Over pivots', decayTitles(report), decayRows(report)]),
      ...(probes ? [toTable(['probes', 'Questions', PROBE_TITLES, probeRows(probes.arms)])] : []),
      ...(probes ? [toTable(['losses', 'Lost answers', LOSS_TITLES, lossRows(probes.arms)])] : []),
    ].filter(({ rows }) => rows.length > 0),
    facts: [
      { label: 'Made by', value: `compaction-bench ${provenance.version}` },
      { label: 'Policy', value: provenance.policy },
      { label: 'Model', value: `${provenance.model}, counted with ${provenance.tokenizer}` },
      {
        label: 'Compacted',
        value:
          compactAt === 'policy'
            ? 'where the policy does'
            : `at ${compactAt.join(', ')} of the steps`,
      },
      { label: 'Repeated', value: repeatsOf(provenance) },
      { label: 'Seed', value: String(provenance.seed) },
      {
        label: 'Sessions',
        value: scenarios
          .map(({ name, hash, facts, family }) =>
            family === undefined
              ? `${name} (${hash}, facts ${facts})`
              : `${name} (${hash}, facts ${facts}, of the family of ${family})`,
          )
          .join('; '),
      },
    ],
    evidence: 'Means over sessions; a bar without a line has too few sessions for a 95 % interval.',
  };
}

function toBars({ arms }: SummarizersReport, metric: ArmMetricName): PageBars {
  const { label, unit, better } = armMetrics[metric];
  const bars = arms.map(({ name, metrics }) => {
    const { mean: value, low, high, sessions } = metrics[metric];
    return { name, value, low, high, sessions };
  });
  return { title: label, unit, ...(better && { better }), bars };
}

type Titled = readonly [
  id: string,
  title: string,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
];

function toTable([id, title, titles, rows]: Titled): PageTable {
  const columns = titles.map(
    (name, index): PageColumn => ({
      title: name,
      isNumber: index > 0 && rows.every((row) => IS_NUMBER.test(row[index] ?? '')),
    }),
  );
  return { id, title, caption: title, columns, rows };
}
