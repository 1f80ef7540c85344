import { sum } from '../lib/collections.ts';
import { CONDITIONS, PROBE_KINDS } from '../metrics/probes/probe.ts';
import { FACT_KINDS } from '../session/facts.ts';
import { type ArmMetricName, armMetrics } from './arm-metrics.ts';
import {
  type Block,
  renderMarkdown,
  renderTerminal,
  type TableBlock,
  untrusted,
} from './document.ts';
import { renderHtml, renderSvg } from './html/render-html.ts';
import { jsonText, toCsvLine } from './markup.ts';
import {
  countFamilies,
  countOf,
  formatAmount,
  formatCount,
  formatDifference,
  formatEnds,
  formatPercent,
  knownInterval,
  UNKNOWN,
} from './numbers.ts';
import { basisBlocks } from './origin.ts';
import type { Terminal } from './report.ts';
import { unreadList } from './run-notes.ts';
import {
  ARM_METRICS,
  type ArmReport,
  type MeanEstimate,
  type SummarizersReport,
} from './summarizers-report.ts';
import {
  byKept,
  conclude,
  describeVerdict,
  failureLines,
  provenanceLines,
  readerLines,
  shareOf,
  spreadCell,
} from './summarizers-verdict.ts';
import type { Column } from './text-table.ts';

type Probes = NonNullable<SummarizersReport['probes']>;

type ArmColumn = Column & {
  readonly of: (arm: ArmReport) => string;
  readonly isKey?: true;
};

type Told = Pick<MeanEstimate, 'mean'> &
  Partial<MeanEstimate> & { readonly judged?: readonly string[] };

const SCREEN_LINES = 8;
const DECIMALS = 1;
const RATIO_DECIMALS = 3;

const ARM_COLUMNS: readonly ArmColumn[] = [
  { title: 'Facts kept', isKey: true, of: ofShare('factsKept') },
  { title: 'After 2nd compaction', rank: 4, of: ofShare('factsKeptSecond') },
  { title: 'Must-facts not kept', rank: 3, isKey: true, of: mustCell },
  { title: 'Contradicted', rank: 6, of: ofShare('contradicted') },
  { title: 'Stale', rank: 7, of: ofShare('stale') },
  { title: 'Strings kept', rank: 1, isKey: true, of: ofShare('stringsKept') },
  { title: 'In random lines', rank: 2, of: ofShare('stringsInRandomLines') },
  { title: 'Per 1,000 tokens', rank: 8, of: ofMean('stringsPerKilotoken') },
  { title: 'Tokens', isKey: true, of: ofMean('summaryTokens') },
  { title: 'Not shorter', rank: 10, of: (arm) => ofPivots(arm.failures.nonCompressing, arm) },
  { title: 'Cut', rank: 11, of: (arm) => ofPivots(arm.failures.cut, arm) },
  { title: 'Failed', rank: 9, of: ({ failures: { failed, trials } }) => part(failed, trials) },
  { title: '$ each', rank: 5, isKey: true, of: ofMean('costUsd') },
  { title: 'Latency', rank: 12, of: ofMean('latencyMs') },
];

const STRINGS_NOTE =
  'Strings kept: share of the names, paths and numbers of the head that later steps use again and that stand in the summary. In random lines: the same for random lines of the head that are as long as the summary. Neither says whether an agent could go on.';

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

export const summarizersFormats = {
  table: (report, terminal) => renderTerminal(summarizersDocument(report), terminal),
  json: (report) => jsonText({ verdict: { sentences: conclude(report) }, ...report }),
  markdown: (report) => renderMarkdown(summarizersDocument(report)),
  csv: renderSummarizersCsv,
  html: (report) => renderHtml(summarizersDocument(report)),
  svg: (report) => renderSvg(summarizersDocument(report)),
} satisfies Record<string, (report: SummarizersReport, terminal: Terminal) => string>;

function summarizersDocument(report: SummarizersReport): readonly Block[] {
  const { probes, provenance, unread } = report;
  const failures = failureLines(report).map(untrusted);
  const brief = { ...armTable(report, { isBrief: true }), shorten: 'to first rows' } as const;
  const answers: readonly Block[] | undefined = probes && [
    { ...answerTable(probes), shorten: 'to first rows' },
    { ...answerKindTable(probes), isDetail: true },
    { type: 'lines', lines: readerLines(probes).map(untrusted), areItems: true, isDetail: true },
  ];
  return [
    { type: 'heading', level: 2, text: 'Summarizers compared' },
    { type: 'lines', lines: conclude(report).map(untrusted), isWrapped: true, most: SCREEN_LINES },
    ...barBlocks(report),
    ...(answers ?? [{ ...brief, only: 'screen' } as const]),
    { ...armTable(report), note: STRINGS_NOTE, isDetail: true },
    { ...differenceTable(report), isDetail: true },
    { ...survivalTable(report), isDetail: true },
    { ...kindsTable(report), isDetail: true },
    { type: 'list', title: 'Not scored', items: failures, hasLines: true, most: 1 },
    { ...unreadList(unread), hasLines: true, most: 1 },
    ...basisBlocks(provenance.origin, provenanceLines(report)),
  ];
}

function barBlocks({ arms }: SummarizersReport) {
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

function tableOf(columns: readonly Column[], rows: readonly (readonly string[])[]): TableBlock {
  const cells = rows.map(([name = '', ...others]) => [untrusted(name), ...others]);
  return { type: 'table', columns, rows: cells };
}

function armTable({ arms }: SummarizersReport, { isBrief = false } = {}): TableBlock {
  const known = ARM_COLUMNS.filter(
    ({ of, isKey }) => (isKey || !isBrief) && arms.some((arm) => of(arm) !== UNKNOWN),
  );
  const rows = byKept(arms).map((arm) => [arm.name, ...known.map(({ of }) => of(arm))]);
  return tableOf([{ title: 'Arm' }, ...known], rows);
}

function differenceTable({ differences }: SummarizersReport): TableBlock {
  const columns: readonly Column[] = [
    { title: 'Arm − base' },
    { title: 'Metric', holds: 'words' },
    { title: 'Difference', rank: 0 },
    { title: '95 % interval', rank: 1 },
    { title: 'Sessions', rank: 2 },
    { title: 'Verdict', holds: 'words' },
  ];
  const rows = differences.map((found) => {
    const { arm, metric, difference, ratio } = found;
    const { mean, ...ends } = ratio ?? difference;
    const { sessions, families } = difference;
    const interval = knownInterval(ends);
    const show = (value: number) =>
      ratio === undefined ? signed(value, metric) : `${value.toFixed(RATIO_DECIMALS)} ×`;
    const counted = formatCount(sessions);
    return [
      arm,
      armMetrics[metric].label,
      mean === null ? UNKNOWN : show(mean),
      interval === null ? UNKNOWN : formatEnds(interval, show),
      families === undefined ? counted : `${counted} in ${countFamilies(families)}`,
      describeVerdict(found),
    ];
  });
  const lead = ['Base: ', untrusted(differences[0]?.base ?? '')];
  return { ...tableOf(columns, rows), lead };
}

function survivalTable({ arms }: SummarizersReport): TableBlock {
  const longest = arms.reduce((most, { survival }) => Math.max(most, survival.length), 0);
  const indices = Array.from({ length: longest }, (_, index) => index);
  const rows = arms.map(({ name, survival }) => [
    name,
    ...indices.map((index) => cellOf(survival[index]?.survival)),
  ]);
  const pivots = indices.map((index) => ({
    title: countOf(index + 1, 'compaction'),
    rank: longest - 1 - index,
  }));
  return tableOf([{ title: 'Facts that survive' }, ...pivots], longest < 2 ? [] : rows);
}

function answerTable({ arms }: Probes) {
  const columns = [
    { title: 'Answered right' },
    { title: 'Questions', rank: 3 },
    { title: 'FULL', rank: 1 },
    { title: 'COMPACTED' },
    { title: 'NONE', rank: 2 },
    { title: 'Left', rank: 0 },
  ];
  const rows = arms
    .toSorted((one, other) => rightOf(other) - rightOf(one))
    .map(({ arm, questions, accuracy, left }) => [
      arm,
      formatCount(questions),
      ...CONDITIONS.map((condition) => spreadCell(accuracy[condition])),
      spreadCell(left),
    ]);
  return tableOf(columns, rows);
}

function answerKindTable({ arms }: Probes) {
  const kinds = PROBE_KINDS.filter((kind) => arms.some((arm) => arm.kinds[kind] !== undefined));
  const columns = kinds.map((title, index) => ({ title, rank: index }));
  const rows = arms.map(({ arm, kinds: own }) => [
    arm,
    ...kinds.map((kind) => {
      const found = own[kind];
      return found ? `${spreadCell(found.compacted)}, FULL ${shareOf(found.full)}` : UNKNOWN;
    }),
  ]);
  return tableOf([{ title: 'Right after the compaction' }, ...columns], rows);
}

function kindsTable({ arms }: SummarizersReport): TableBlock {
  const kinds = FACT_KINDS.filter((kind) => arms.some((arm) => arm.kinds[kind] !== undefined));
  const titles = ['Kept, by kind', ...arms.map(({ name }) => untrusted(name))];
  const rows = kinds.map((kind) => [kind, ...arms.map((arm) => cellOf(arm.kinds[kind]))]);
  const columns = titles.map((title) => ({ title }));
  return { ...tableOf([], rows), columns };
}

function rightOf({ accuracy }: Probes['arms'][number]) {
  return accuracy.compacted.mean ?? -1;
}

function ofShare(name: ArmMetricName): ArmColumn['of'] {
  return ({ metrics }) => spreadCell(metrics[name]);
}

function ofMean(name: ArmMetricName): ArmColumn['of'] {
  return ({ metrics }) => {
    const { mean } = metrics[name];
    return mean === null ? UNKNOWN : amount(mean, name);
  };
}

function ofPivots(times: number, { failures: { pivots } }: ArmReport) {
  return pivots === 0 ? UNKNOWN : part(times, pivots);
}

function part(some: number, all: number) {
  return `${formatCount(some)} of ${formatCount(all)}`;
}

function mustCell({ mustFacts: { of, dropped, highestRate } }: ArmReport) {
  if (highestRate === null) return UNKNOWN;
  return `${part(dropped, of)} (≤ ${formatPercent(highestRate, DECIMALS)})`;
}

function cellOf(estimate: MeanEstimate | undefined) {
  return estimate === undefined ? UNKNOWN : spreadCell(estimate);
}

function signed(value: number, name: ArmMetricName) {
  const { unit } = armMetrics[name];
  if (unit !== 'per-kilotoken') return formatDifference(value, unit);
  return `${value > 0 ? '+' : ''}${amount(value, name)}`;
}

function amount(value: number, name: ArmMetricName) {
  const { unit } = armMetrics[name];
  return unit === 'per-kilotoken' ? value.toFixed(DECIMALS) : formatAmount(value, unit);
}

function renderSummarizersCsv({ arms, differences, probes, provenance }: SummarizersReport) {
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
    for (const point of survival)
      add(['survival', `survival.${point.pivots}`], name, point.survival);
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
    for (const [kind, own] of Object.entries(kinds))
      add(['probe', `right.${kind}`], arm, own.compacted);
  }
  return [CSV_TITLES, ...lines].join('');
}
