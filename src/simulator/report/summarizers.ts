import { FACT_KINDS } from '../session/facts.ts';
import {
  type Block,
  renderMarkdown,
  renderTerminal,
  type TableBlock,
  untrusted,
} from './document.ts';
import { toPageOfSummarizers } from './html/page-of-summarizers.ts';
import { renderPage } from './html/render-page.ts';
import { unreadList } from './kept.ts';
import { jsonText, toCsvLine } from './markup.ts';
import { UNKNOWN } from './numbers.ts';
import { basisBlocks } from './origin.ts';
import type { Terminal } from './report.ts';
import {
  armTable,
  baseOf,
  differenceTable,
  failureLines,
  provenanceLines,
  type ReportTable,
  spreadCell,
  STRINGS_NOTE,
  survivalTable,
} from './summarizers-lines.ts';
import {
  ARM_METRICS,
  type ArmDifference,
  type ArmProbes,
  type ArmReport,
  type IntervalEstimate,
  type MeanEstimate,
  type ProbesReport,
  type SummarizersReport,
} from './summarizers-report.ts';
import { answerKindTable, answerTable, conclude, readerLines } from './summarizers-verdict.ts';

type Cell = string | number | null;

/** One number: of which arm or judge, what it is called, and its estimate. */
interface Entry {
  readonly part: 'metric' | 'count' | 'kind' | 'survival' | 'difference' | 'ratio' | 'probe';
  readonly arm: string;
  readonly metric: string;
  readonly estimate: IntervalEstimate & Partial<Pick<MeanEstimate, 'sessions'>>;
  readonly base?: string;
  readonly verdict?: string;
}

type Owner = Pick<Entry, 'part' | 'arm'>;

/** Lines of a screen for the conclusion. */
const SCREEN_LINES = 8;

const COUNTS = [
  'trials',
  'pivots',
  'failed',
  'unreached',
  'cut',
  'nonCompressing',
  'empty',
] as const;
const TITLES = [
  'part',
  'arm',
  'summarizer',
  'model',
  'prompt',
  'promptHash',
  'scorerVersion',
  'bench',
  'reader',
  'metric',
  'mean',
  'low',
  'high',
  'sessions',
  'base',
  'verdict',
] as const;

/** Renderers of a comparison of summarizers, by the names of their formats; the default first. */
export const summarizersFormats = {
  table: (report, terminal) => renderTerminal(summarizersDocument(report), terminal),
  json: (report) => jsonText({ verdict: { sentences: conclude(report) }, ...report }),
  markdown: (report) => renderMarkdown(summarizersDocument(report)),
  csv: renderSummarizersCsv,
  html: (report) => renderPage(toPageOfSummarizers(report)),
} satisfies Record<string, (report: SummarizersReport, terminal: Terminal) => string>;

/** The conclusion, the ranking that it rests on, what else is known, and how sure it is. */
function summarizersDocument(report: SummarizersReport): readonly Block[] {
  const { probes, provenance, unread } = report;
  const failures = failureLines(report).map(untrusted);
  const lines = conclude(report).map(untrusted);
  return [
    { type: 'heading', level: 2, text: 'Summarizers compared' },
    { type: 'lines', lines, isWrapped: true, most: SCREEN_LINES },
    ...(probes === undefined
      ? [
          {
            ...tableOf(armTable(report, { isBrief: true })),
            shorten: 'to first rows',
            only: 'screen',
          } as const,
        ]
      : answerBlocks(probes)),
    { ...tableOf(armTable(report)), note: STRINGS_NOTE, isDetail: true },
    {
      ...tableOf(differenceTable(report)),
      lead: ['Base: ', untrusted(baseOf(report))],
      isDetail: true,
    },
    { ...tableOf(survivalTable(report)), isDetail: true },
    { ...tableOf(kindsTable(report)), isDetail: true },
    { type: 'list', title: 'Not scored', items: failures, hasLines: true, most: 1 },
    { ...unreadList(unread), hasLines: true, most: 1 },
    ...basisBlocks(provenance.origin, provenanceLines(report)),
  ];
}

function answerBlocks(probes: ProbesReport): readonly Block[] {
  const lines = readerLines(probes).map(untrusted);
  return [
    { ...tableOf(answerTable(probes)), shorten: 'to first rows' },
    { ...tableOf(answerKindTable(probes)), isDetail: true },
    { type: 'lines', lines, areItems: true, isDetail: true },
  ];
}

/** Shares of each kind of facts that the arms kept after the first compaction. */
function kindsTable({ arms }: SummarizersReport) {
  const kinds = FACT_KINDS.filter((kind) => arms.some((arm) => arm.kinds[kind] !== undefined));
  const rows = kinds.map((kind) => [
    kind,
    ...arms.map((arm) => {
      const kept = arm.kinds[kind];
      return kept === undefined ? UNKNOWN : spreadCell(kept);
    }),
  ]);
  const titles = ['Kept, by kind', ...arms.map(({ name }) => untrusted(name))];
  const columns = titles.map((title) => ({ title }));
  return { columns, rows };
}

/** A table whose first column is of untrusted names. */
function tableOf({
  columns,
  rows,
}: Pick<TableBlock, 'columns'> & Pick<ReportTable, 'rows'>): TableBlock {
  const cells = rows.map(([name = '', ...others]) => [untrusted(name), ...others]);
  return { type: 'table', columns, rows: cells };
}

/** One row a number, of every part of the report; an empty cell is unknown. */
function renderSummarizersCsv(report: SummarizersReport): string {
  const { arms, provenance, probes } = report;
  const byName = new Map(arms.map((arm) => [arm.name, arm]));
  const lines = entriesOf(report).map((entry) => {
    const { part, arm, metric, estimate, base = null, verdict = null } = entry;
    const of = byName.get(arm);
    const key = of ? [of.summarizer, of.model, of.prompt, of.promptHash] : [arm, null, null, null];
    const { mean, low, high, sessions = null } = estimate;
    const { scorerVersion, bench } = provenance;
    const told: readonly Cell[] = [metric, mean, low, high, sessions, base, verdict];
    return toCsvLine([part, arm, ...key, scorerVersion, bench, probes?.reader ?? null, ...told]);
  });
  return [toCsvLine([...TITLES]), ...lines].join('');
}

function entriesOf({ arms, differences, probes }: SummarizersReport): readonly Entry[] {
  return [
    ...arms.flatMap(armEntries),
    ...differences.flatMap(differenceEntries),
    ...(probes ? probes.arms.flatMap(probeEntries) : []),
  ];
}

function armEntries({ name: arm, metrics, failures, mustFacts, kinds, survival }: ArmReport) {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, failures[name]]));
  const { of: mustFactsOf, dropped: mustFactsDropped } = mustFacts;
  return [
    ...entries(
      { part: 'metric', arm },
      Object.fromEntries(ARM_METRICS.map((name) => [name, metrics[name]])),
    ),
    ...countEntries(
      { part: 'count', arm },
      { ...counts, mustFacts: mustFactsOf, mustFactsDropped },
    ),
    ...entries({ part: 'kind', arm }, kinds),
    ...entries(
      { part: 'survival', arm },
      Object.fromEntries(survival.map((point) => [`survival.${point.pivots}`, point.survival])),
    ),
  ];
}

function entries(
  owner: Owner,
  estimates: Readonly<Record<string, IntervalEstimate | undefined>>,
): readonly Entry[] {
  return Object.entries(estimates).flatMap(([metric, estimate]) =>
    estimate === undefined ? [] : [{ ...owner, metric, estimate }],
  );
}

function countEntries(owner: Owner, counts: Readonly<Record<string, number>>): readonly Entry[] {
  return Object.entries(counts).map(([metric, count]) => ({
    ...owner,
    metric,
    estimate: { mean: count, low: null, high: null },
  }));
}

/** The ratio of costs stands below their difference. */
function differenceEntries({ difference, ratio, ...rest }: ArmDifference): readonly Entry[] {
  const { arm, base, metric, verdict } = rest;
  const told = { arm, metric, base, verdict };
  return [
    { part: 'difference', estimate: difference, ...told },
    ...(ratio === undefined ? [] : [{ part: 'ratio' as const, estimate: ratio, ...told }]),
  ];
}

function probeEntries({ arm, questions, unanswered, accuracy, left, kinds }: ArmProbes) {
  const owner = { part: 'probe', arm } as const;
  const failed = unanswered.reduce((total, { times }) => total + times, 0);
  const byKind = Object.entries(kinds).map(
    ([kind, own]) => [`right.${kind}`, own.compacted] as const,
  );
  return [
    ...countEntries(owner, { questions, unanswered: failed }),
    ...entries(owner, { ...accuracy, left, ...Object.fromEntries(byKind) }),
  ];
}
