import { sum } from '../lib/collections.ts';
import { CONDITIONS } from '../metrics/probes/probe.ts';
import { armMetrics } from './arm-metrics.ts';
import {
  type Block,
  renderMarkdown,
  renderTerminal,
  type TableBlock,
  untrusted,
} from './document.ts';
import { renderSvg } from './html/draw-chart.ts';
import { renderHtml } from './html/render-html.ts';
import { unreadList } from './run-notes.ts';
import { jsonText, toCsvLine } from './markup.ts';
import { basisBlocks } from './origin.ts';
import type { Terminal } from './report.ts';
import { ARM_METRICS, type MeanEstimate, type SummarizersReport } from './summarizers-report.ts';
import {
  answerKindTable,
  answerTable,
  armTable,
  differenceTable,
  kindsTable,
  STRINGS_NOTE,
  survivalTable,
} from './summarizers-tables.ts';
import { conclude, failureLines, provenanceLines, readerLines } from './summarizers-verdict.ts';
import type { TextTable } from './text-table.ts';

type Told = Pick<MeanEstimate, 'mean'> &
  Partial<MeanEstimate> & { readonly judged?: readonly string[] };

const SCREEN_LINES = 8;

const CSV_COUNTS = [
  'trials',
  'pivots',
  'failed',
  'unreached',
  'cut',
  'nonCompressing',
  'empty',
] as const;
const CSV_TITLES =
  'part,arm,summarizer,model,prompt,promptHash,scorerVersion,bench,reader,metric,mean,low,high,sessions,base,verdict\n';

/** Renderers of a comparison of summarizers, by the names of their formats; the default first. */
export const summarizersFormats = {
  table: (report, terminal) => renderTerminal(summarizersDocument(report), terminal),
  json: (report) => jsonText({ verdict: { sentences: conclude(report) }, ...report }),
  markdown: (report) => renderMarkdown(summarizersDocument(report)),
  csv: renderSummarizersCsv,
  html: (report) => renderHtml(summarizersDocument(report)),
  svg: (report) => renderSvg(summarizersDocument(report)),
} satisfies Record<string, (report: SummarizersReport, terminal: Terminal) => string>;

/** The conclusion, the ranking that it rests on, what else is known, and how sure it is. */
function summarizersDocument(report: SummarizersReport): readonly Block[] {
  const { probes, provenance, unread, differences } = report;
  const failures = failureLines(report).map(untrusted);
  const brief = tableOf(armTable(report, { isBrief: true }));
  return [
    { type: 'heading', level: 2, text: 'Summarizers compared' },
    { type: 'lines', lines: conclude(report).map(untrusted), isWrapped: true, most: SCREEN_LINES },
    ...barBlocks(report),
    ...(probes === undefined
      ? [{ ...brief, shorten: 'to first rows', only: 'screen' } as const]
      : answerBlocks(probes)),
    { ...tableOf(armTable(report)), note: STRINGS_NOTE, isDetail: true },
    {
      ...tableOf(differenceTable(report)),
      lead: ['Base: ', untrusted(differences[0]?.base ?? '')],
      isDetail: true,
    },
    { ...tableOf(survivalTable(report)), isDetail: true },
    { ...kindsTable(report), isDetail: true },
    { type: 'list', title: 'Not scored', items: failures, hasLines: true, most: 1 },
    { ...unreadList(unread), hasLines: true, most: 1 },
    ...basisBlocks(provenance.origin, provenanceLines(report)),
  ];
}

function barBlocks({ arms }: SummarizersReport): readonly Block[] {
  return ARM_METRICS.flatMap((metric): readonly Block[] => {
    const { label: title, unit: own } = armMetrics[metric];
    const unit = own === 'per-kilotoken' ? 'count' : own;
    const bars = arms.map(({ name, metrics }) => {
      const { mean: value, low, high } = metrics[metric];
      return { name, value, low, high };
    });
    if (bars.every(({ value }) => value === null)) return [];
    return [{ type: 'plot', plot: { kind: 'bars', title, unit, bars } }];
  });
}

function answerBlocks(probes: NonNullable<SummarizersReport['probes']>): readonly Block[] {
  return [
    { ...tableOf(answerTable(probes)), shorten: 'to first rows' },
    { ...tableOf(answerKindTable(probes)), isDetail: true },
    {
      type: 'lines',
      lines: readerLines(probes).map(untrusted),
      areItems: true,
      isDetail: true,
    },
  ];
}

/** A table whose first column is of untrusted names. */
function tableOf({ columns, rows }: TextTable): TableBlock {
  const cells = rows.map(([name = '', ...others]) => [untrusted(name), ...others]);
  return { type: 'table', columns, rows: cells };
}

/** One row a number, of every part of the report; an empty cell is unknown. */
function renderSummarizersCsv({
  arms,
  differences,
  probes,
  provenance,
}: SummarizersReport): string {
  const { scorerVersion, bench } = provenance;
  const lines: string[] = [];
  const add = (
    [name, metric]: readonly [part: string, metric: string],
    arm: string,
    { mean, low = null, high = null, sessions, judged = [] }: Told,
  ) => {
    const of = arms.find((own) => own.name === arm);
    const key = of ? [of.summarizer, of.model, of.prompt, of.promptHash] : [arm, null, null, null];
    const told = [mean, low, high, sessions ?? null, judged[0] ?? null, judged[1] ?? null];
    const made = [scorerVersion, bench, probes?.reader ?? null];
    lines.push(toCsvLine([name, arm, ...key, ...made, metric, ...told]));
  };
  for (const { name, metrics, failures, mustFacts, kinds, survival } of arms) {
    for (const metric of ARM_METRICS) add(['metric', metric], name, metrics[metric]);
    for (const count of CSV_COUNTS) add(['count', count], name, { mean: failures[count] });
    add(['count', 'mustFacts'], name, { mean: mustFacts.of });
    add(['count', 'mustFactsDropped'], name, { mean: mustFacts.dropped });
    for (const [kind, kept] of Object.entries(kinds)) add(['kind', kind], name, kept);
    for (const point of survival) {
      add(['survival', `survival.${point.pivots}`], name, point.survival);
    }
  }
  for (const { arm, base, metric, difference, ratio, verdict } of differences) {
    const judged = [base, verdict] as const;
    add(['difference', metric], arm, { ...difference, judged });
    if (ratio !== undefined) add(['ratio', metric], arm, { ...ratio, judged });
  }
  for (const { arm, questions, unanswered, accuracy, left, kinds } of probes?.arms ?? []) {
    add(['probe', 'questions'], arm, { mean: questions });
    add(['probe', 'unanswered'], arm, { mean: sum(unanswered.map(({ times }) => times)) });
    for (const condition of CONDITIONS) add(['probe', condition], arm, accuracy[condition]);
    add(['probe', 'left'], arm, left);
    for (const [kind, own] of Object.entries(kinds)) {
      add(['probe', `right.${kind}`], arm, own.compacted);
    }
  }
  return [CSV_TITLES, ...lines].join('');
}
