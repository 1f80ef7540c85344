import { groupBy } from '../lib/collections.ts';
import { PROBE_KINDS } from '../metrics/probes/probe.ts';
import { countEvidence } from '../metrics/statistics/verdict.ts';
import { FACT_KINDS } from '../session/facts.ts';
import { makesWait } from '../summarizer/summarizers.ts';
import {
  asDetails,
  type Block,
  linesOf,
  listOf,
  prose,
  renderMarkdown,
  renderTerminal,
  type TableBlock,
  untrusted,
} from './document.ts';
import { renderHtml, renderSvg } from './html/render-html.ts';
import { jsonText, toCsvLine } from './markup.ts';
import {
  countOf,
  describeFamilies,
  FAMILY_COUNTS_ONCE,
  formatAmount,
  formatCount,
  formatDifference,
  formatEnds,
  formatFixed,
  formatPercent,
  formatShortPercent,
  formatUsd,
  knownInterval,
  percentOf,
  UNKNOWN,
  withEnds,
} from './numbers.ts';
import { basisBlocks, describeOrigin, unreadList } from './origin.ts';
import { shareCell } from './statistics.ts';
import {
  type ArmMetricName,
  armMetrics,
  type ArmProbes,
  type ArmReport,
  describeJudge,
  type MeanEstimate,
  type SummarizersReport,
} from './summarizers-report.ts';
import { byWorth, conclude, describeVerdict, shareOf } from './summarizers-verdict.ts';
import type { Column, Terminal } from './layout.ts';

type Probes = NonNullable<SummarizersReport['probes']>;
type Estimate = Pick<MeanEstimate, 'mean' | 'low' | 'high'>;

interface ArmRow {
  readonly arm: ArmReport;
  readonly own: ArmProbes | undefined;
}

type ArmColumn = Column & { readonly of: (row: ArmRow) => string; readonly isKey?: true };

type CsvNumber = readonly [path: readonly string[], told: Partial<MeanEstimate>];

/** With what says how many more there are, eight. */
const VERDICT_LINES = 7;
const DECIMALS = 1;
const RATIO_DECIMALS = 3;
const ENDS = '95 % interval';
const DRAWN = ['answered', 'factsKept', 'toldWrong', 'summaryTokens'] as const;
const PRICE_AXIS = { label: 'Price of a compaction', unit: 'usd' } as const;
const ANSWERED_AXIS = { label: 'Questions answered', unit: 'ratio' } as const;

const ARM_COLUMNS: readonly ArmColumn[] = [
  { title: 'Answered', isKey: true, of: ofMean('answered') },
  { title: ENDS, name: 'interval of answered', rank: 3, isKey: true, of: ofEnds('answered') },
  { title: 'Left', rank: 1, isKey: true, of: ({ own }) => shareCell(own?.left.mean) },
  { title: 'Facts kept', rank: 0, isKey: true, of: ofMean('factsKept') },
  { title: ENDS, name: 'interval of facts kept', rank: 4, isKey: true, of: ofEnds('factsKept') },
  { title: 'Wrong', name: 'facts told wrong', isKey: true, of: ofMean('toldWrong') },
  { title: 'Price', isKey: true, of: priceCell },
  { title: 'Tokens', rank: 2, isKey: true, of: ofMean('summaryTokens') },
  { title: 'Must-facts not kept', rank: 6, of: mustCell },
  { title: 'Value alone', rank: 9, of: ofShare('valueAlone') },
  { title: 'Strings kept', rank: 10, of: ofShare('stringsKept') },
  { title: 'Per 1,000 tokens', rank: 12, of: ofMean('stringsPerKilotoken') },
  { title: 'Not shorter', rank: 17, of: ofCounts('nonCompressing', 'pivots') },
  { title: 'Cut', rank: 18, of: ofCounts('cut', 'pivots') },
  { title: 'Failed', rank: 16, of: ofCounts('failed', 'trials') },
  { title: 'Latency', rank: 19, of: ofMean('latencyMs') },
];

const ANSWERS_BY_KIND = PROBE_KINDS.map((kind, rank): ArmColumn => {
  const of: ArmColumn['of'] = ({ own }) => {
    const found = own?.kinds[kind];
    return found ? `${spreadCell(found.compacted)} of ${shareOf(found.full)}` : UNKNOWN;
  };
  return { title: kind, rank, of };
});

const KEPT_BY_KIND = FACT_KINDS.map((kind, rank): ArmColumn => {
  return { title: kind, rank, of: ({ arm }) => spreadCell(arm.kinds[kind]) };
});

const ARM_NOTE =
  'Left: what the reader answers more than with nothing, as a share of that with the whole session. Wrong: facts that are contradicted, stale or with another value. Price: of a compaction, from recorded usage. Strings kept: names, paths and numbers of the head that later steps use again, which says nothing of quality.';
const CSV_TITLES =
  'part,arm,summarizer,model,prompt,promptHash,scorerVersion,bench,reader,metric,mean,low,high,sessions,base,verdict\n';

export const summarizersFormats = {
  table: (report, terminal) =>
    renderTerminal(summarizersDocument(report, terminal.details ? Infinity : undefined), terminal),
  json: (report) => jsonText({ verdict: { sentences: conclude(report, Infinity) }, ...report }),
  markdown: (report) => renderMarkdown(summarizersDocument(report, Infinity)),
  csv: renderSummarizersCsv,
  html: (report) => renderHtml(summarizersDocument(report, Infinity)),
  svg: (report) => renderSvg(summarizersDocument(report)),
} satisfies Record<string, (report: SummarizersReport, terminal: Terminal) => string>;

function summarizersDocument(report: SummarizersReport, mostNames?: number): readonly Block[] {
  const { arms, probes, provenance, unread } = report;
  const own = new Map(probes?.arms.map((one) => [one.arm, one]));
  const rows = byWorth(arms).map((arm) => ({ arm, own: own.get(arm.name) }));
  const verdict = conclude(report, mostNames).map(untrusted);
  const keys = ARM_COLUMNS.filter(({ isKey }) => isKey);
  const failures = arms.flatMap(({ name, failures: { reasons } }) =>
    reasons.map(({ reason, state, times }) =>
      untrusted(`${name}: ${state}, ${countOf(times, 'time')}: ${reason}`),
    ),
  );
  const details: readonly Block[] = [
    ...(probes === undefined ? [] : [pricePlot(arms)]),
    { ...tableOf('Arm', ARM_COLUMNS, rows), note: ARM_NOTE },
    ...barPlots(arms),
    ...(probes === undefined ? [] : [readerLines(probes)]),
    tableOf('Right after the compaction', ANSWERS_BY_KIND, rows),
    differenceTable(report),
    tableOf('Facts kept after', keptColumns(arms), rows),
    tableOf('Kept, by kind', KEPT_BY_KIND, rows),
  ];
  return [
    { type: 'heading', level: 2, text: 'Summarizers compared' },
    prose(verdict, { most: VERDICT_LINES }),
    { ...tableOf('Arm', keys, rows), shorten: 'to first rows', only: 'screen' },
    ...asDetails(details),
    listOf('Not scored', failures, { hasLines: true, most: 1 }),
    { ...unreadList(unread), hasLines: true, most: 1 },
    ...basisBlocks(provenance.origin, provenanceLines(report)),
  ];
}

function barPlots(arms: readonly ArmReport[]) {
  return DRAWN.flatMap((metric): readonly Block[] => {
    const { label: title, unit } = armMetrics[metric];
    const bars = byWorth(arms).map(({ name, metrics }) => {
      const { mean: value, low, high } = metrics[metric];
      return { name, value, low, high };
    });
    const isKnown = bars.some(({ value }) => value !== null);
    return isKnown ? [{ type: 'plot', plot: { kind: 'bars', title, unit, bars } }] : [];
  });
}

function pricePlot(arms: readonly ArmReport[]): Block {
  const unpriced = arms.filter((arm) => spentOn(arm) === null).map(({ name }) => name);
  const points = arms.map((arm) => {
    return { name: arm.name, values: [spentOn(arm), arm.metrics.answered.mean] };
  });
  const note = unpriced.length > 0 ? `Not drawn, at an unknown price: ${unpriced.join(', ')}.` : '';
  const title = 'Price against answers: better is up and to the left';
  const plot = { kind: 'scatter', title, axes: [PRICE_AXIS, ANSWERED_AXIS], points, note } as const;
  return { type: 'plot', plot };
}

/** Without the columns of which nothing is known. */
function tableOf(
  title: string,
  columns: readonly ArmColumn[],
  arms: readonly ArmRow[],
): TableBlock {
  const known = columns.filter(({ of }) => arms.some((row) => of(row) !== UNKNOWN));
  const rows = arms.map((row) => [untrusted(row.arm.name), ...known.map(({ of }) => of(row))]);
  return { type: 'table', columns: [{ title }, ...known], rows: known.length === 0 ? [] : rows };
}

function differenceTable({ differences }: SummarizersReport): TableBlock {
  const columns: TableBlock['columns'] = [
    { title: 'Arm − base' },
    { title: 'Metric', holds: 'words' },
    { title: 'Difference', rank: 0 },
    { title: ENDS, rank: 1 },
    { title: 'Sessions', rank: 2 },
    { title: 'Verdict', holds: 'words' },
  ];
  const rows = differences.map((found) => {
    const { label, unit } = armMetrics[found.metric];
    const { mean, ...ends } = found.ratio ?? found.difference;
    const interval = knownInterval(ends);
    const show = (value: number) =>
      found.ratio ? `${value.toFixed(RATIO_DECIMALS)} ×` : formatDifference(value, unit);
    const told = mean === null ? UNKNOWN : show(mean);
    const between = interval === null ? UNKNOWN : formatEnds(interval, show);
    const sessions = formatCount(found.difference.sessions);
    return [untrusted(found.arm), label, told, between, sessions, describeVerdict(found)];
  });
  return { type: 'table', columns, rows, lead: ['Base: ', untrusted(differences[0]?.base ?? '')] };
}

/** Of the facts that the first compaction was to keep, so that its column is that of facts kept. */
function keptColumns(arms: readonly ArmReport[]) {
  const longest = arms.reduce((most, { keptAfter }) => Math.max(most, keptAfter.length), 0);
  return Array.from({ length: longest < 2 ? 0 : longest }, (_, index): ArmColumn => {
    const of: ArmColumn['of'] = ({ arm }) => spreadCell(arm.keptAfter[index]);
    return { title: countOf(index + 1, 'compaction'), rank: longest - 1 - index, of };
  });
}

function readerLines({ reader, model, ownFamily, arms }: Probes): Block {
  const unanswered = arms.flatMap(({ arm, unanswered: reasons }) =>
    reasons.map(
      ({ reason, times }) => `${arm}: ${countOf(times, 'question')} unanswered: ${reason}`,
    ),
  );
  const kin = `The reader is of the same family as ${ownFamily.join(', ')} and may know its ways.`;
  const name = `Reader: ${reader}${model === undefined ? '' : `, which answered as ${model}`}.`;
  const lines = [name, ...(ownFamily.length > 0 ? [kin] : []), ...unanswered];
  return linesOf(lines.map(untrusted), { areItems: true });
}

function provenanceLines({ provenance, arms, judge }: SummarizersReport) {
  const { policy, model, origin, scenarios, seed, scorerVersion, bench } = provenance;
  const { compactAt, pivots, repeats, leastRepeats } = provenance;
  const prompts = new Map(arms.map(({ prompt, promptHash }) => [promptHash, prompt]));
  const facts = [...groupBy(scenarios, (one) => one.facts)].map(
    ([source, own]) => `${formatCount(own.length)} with ${source === 'none' ? 'no' : source} facts`,
  );
  const evidence = countEvidence(scenarios.map(({ name, family }) => ({ session: name, family })));
  const places =
    compactAt === 'policy'
      ? `${countOf(pivots, 'time')} where the policy compacts on ${model}`
      : `at ${compactAt.map(formatShortPercent).join(', ')} of the steps`;
  const least = leastRepeats === undefined ? '' : `${formatCount(leastRepeats)} to `;
  return [
    `Policy ${policy}, compacted ${places}; model ${model}; seed ${seed}.`,
    `${describeFamilies(evidence)}, ${facts.join(', ')}; each run ${least}${countOf(repeats, 'time')}.`,
    `Prompts: ${[...prompts].map(([hash, name]) => `${name} ${hash}`).join(', ')}. ${describeJudge(judge)} Scorer ${scorerVersion}, bench ${bench}.`,
    describeOrigin(origin),
    'Means over sessions with 95 % intervals. Failures count in no score; – means unknown.',
    ...(evidence.families < evidence.sessions ? [FAMILY_COUNTS_ONCE] : []),
  ];
}

function ofShare(name: ArmMetricName): ArmColumn['of'] {
  return ({ arm }) => spreadCell(arm.metrics[name]);
}

function ofMean(name: ArmMetricName): ArmColumn['of'] {
  const { unit } = armMetrics[name];
  const show = (mean: number | null) => (mean === null ? UNKNOWN : formatAmount(mean, unit));
  return ({ arm }) => show(arm.metrics[name].mean);
}

function ofEnds(name: ArmMetricName): ArmColumn['of'] {
  return ({ arm }) => {
    const interval = toldInterval(arm.metrics[name]);
    return interval === null ? UNKNOWN : formatEnds(interval, toPercent);
  };
}

function ofCounts(some: 'nonCompressing' | 'cut' | 'failed', all: 'pivots' | 'trials') {
  return ({ arm: { failures } }: ArmRow) => part(failures[some], failures[all]);
}

function part(some: number, all: number) {
  return `${formatCount(some)} of ${formatCount(all)}`;
}

function mustCell({ arm }: ArmRow) {
  const { of, dropped, highestRate } = arm.mustFacts;
  if (highestRate === null) return UNKNOWN;
  return `${part(dropped, of)} (≤ ${formatPercent(highestRate, DECIMALS)})`;
}

function priceCell({ arm }: ArmRow) {
  const spent = spentOn(arm);
  return spent === null ? 'unknown' : makesWait(arm.summarizer) ? formatUsd(spent) : 'none';
}

/** Dollars of a compaction; what asks no model costs nothing. */
function spentOn({ summarizer, metrics }: ArmReport) {
  return makesWait(summarizer) ? metrics.costUsd.mean : 0;
}

function spreadCell(own?: Estimate) {
  return own ? withEnds(shareCell(own.mean), toldInterval(own), toPercent) : UNKNOWN;
}

function toldInterval(ends: Estimate) {
  const interval = knownInterval(ends);
  return interval === null || interval.low === interval.high ? null : interval;
}

function toPercent(share: number) {
  return formatFixed(percentOf(share), DECIMALS);
}

/** Every number of the JSON as a row, under the keys that it has there. */
function renderSummarizersCsv({ arms, differences, probes, provenance }: SummarizersReport) {
  const keys = new Map(
    arms.map((arm) => [arm.name, [arm.summarizer, arm.model, arm.prompt, arm.promptHash]]),
  );
  const made = [provenance.scorerVersion, provenance.bench, probes?.reader ?? null];
  const toLines = (
    name: string,
    numbers: object,
    judged: readonly (string | null)[] = [null, null],
  ) =>
    numbersIn(numbers).map(([[part = '', ...path], { mean, low, high, sessions }]) => {
      const told = [mean, low, high, sessions].map((value) => value ?? null);
      const about = [...(keys.get(name) ?? []), ...made, path.join('.')];
      return toCsvLine([part, name, ...about, ...told, ...judged]);
    });
  const compared = differences.flatMap(({ arm, base, metric, difference, ratio, verdict }) => {
    const numbers = { difference: { [metric]: difference }, ratio: { [metric]: ratio } };
    return toLines(arm, numbers, [base, verdict]);
  });
  return [
    CSV_TITLES,
    ...arms.flatMap(({ name, ...own }) => toLines(name, own)),
    ...compared,
    ...(probes?.arms ?? []).flatMap(({ arm, ...own }) => toLines(arm, { probes: own })),
  ].join('');
}

function numbersIn(value: unknown, path: readonly string[] = []): readonly CsvNumber[] {
  if (typeof value === 'number') return [[path, { mean: value }]];
  if (typeof value !== 'object' || value === null) return [];
  if ('mean' in value) return [[path, value as CsvNumber[1]]];
  return Object.entries(value).flatMap(([key, own]) => numbersIn(own, [...path, key]));
}
