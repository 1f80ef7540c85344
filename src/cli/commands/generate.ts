import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { badValue } from '../../simulator/lib/names.ts';
import {
  compareHitRates,
  type HitRate,
  type HitRates,
  type JudgedFigure,
  judgePublished,
} from '../../simulator/metrics/published.ts';
import type { Estimate, Interval } from '../../simulator/metrics/statistics/interval.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { joinSections, jsonText, shownText } from '../../simulator/report/markup.ts';
import {
  countOf,
  formatCount,
  formatFixed,
  UNKNOWN,
  withEnds,
} from '../../simulator/report/numbers.ts';
import { describeOrigin, type Origin } from '../../simulator/report/origin.ts';
import {
  type Column,
  fitProse,
  tableSections,
  type Terminal,
} from '../../simulator/report/layout.ts';
import { toStatistics } from '../../simulator/report/statistics.ts';
import { fitWorkload, nearestWorkload } from '../../simulator/scenario/workload/fit.ts';
import { generateSession } from '../../simulator/scenario/workload/generate-session.ts';
import {
  compareSamples,
  type Nearness,
  type Pair,
} from '../../simulator/scenario/workload/nearness.ts';
import { toSessionShapes } from '../../simulator/scenario/workload/session-shape.ts';
import { BANKS, findWorkload, type Workload } from '../../simulator/scenario/workload/workload.ts';
import { writeSession } from '../../simulator/session/formats/canonical-lines.ts';
import { countedSamples } from '../../simulator/session/statistics/gathering.ts';
import {
  sampleSession,
  type SessionSample,
} from '../../simulator/session/statistics/sample-session.ts';
import { charsEstimator } from '../../simulator/session/statistics/sample.ts';
import { gatherFiles } from '../describe-files.ts';
import { findInputs, type RunInputs } from '../inputs.ts';
import { parseSeed, parseWhole } from '../plan/options.ts';
import {
  type CliIo,
  EXIT,
  isStopped,
  printDone,
  printNote,
  printNotes,
  writePieces,
} from '../process/io.ts';
import { inTurn } from '../process/progress.ts';
import { createSessionStore } from '../session-store.ts';
import { defineCommand, option, variadic, formatHelp } from '../command.ts';
import { originOf, ownOrigin } from '../package.ts';

export interface GenerateReport {
  readonly origin: Origin;
  readonly workload: Pick<Workload, 'name' | 'describes' | 'source'>;
  readonly sessions: number;
  readonly seed: number;
  readonly figures: readonly Nearness[];
  readonly hits: readonly HitRate[];
  /** None where the source of the workload has whole distributions. */
  readonly published: readonly JudgedFigure[];
}

const MOST_SESSIONS = 1_000_000;
const WITHOUT_REPORT =
  "'--format' is of the report, which is written with '--out' or '--report' only.";

const EXAMPLES = `
Examples:
  $ compaction-bench sessions generate claude-code --sessions 200 --seed 1 | compaction-bench sessions stats
  $ compaction-bench sessions generate codex --sessions 50 --out sessions/
  $ compaction-bench sessions generate --fit ~/.claude/projects --sessions 100 --out sessions/
  $ compaction-bench list workloads`;

const NAME = 'fitted';
const OTHERS = ['codex', 'pi', 'opencode'];
const DISTANCE_DIGITS = 3;
const COLUMNS: readonly Column[] = [
  { title: 'Figure' },
  { title: 'n', rank: 5 },
  { title: 'workload n', rank: 6 },
  { title: 'Distance' },
  { title: 'Chance' },
  { title: 'p50', rank: 1 },
  { title: 'workload p50', rank: 2 },
  { title: 'p90', rank: 3 },
  { title: 'workload p90', rank: 4 },
];
const HIT_COLUMNS: readonly Column[] = [
  { title: 'Threshold hits' },
  { title: 'per session' },
  { title: 'workload per session', rank: 1 },
  { title: 'per 1,000 steps', rank: 2 },
  { title: 'workload per 1,000 steps', rank: 3 },
];
const PUBLISHED_COLUMNS: readonly Column[] = [
  { title: 'Published figure' },
  { title: 'published' },
  { title: 'generated' },
  { title: 'interval', name: 'interval of 95 %', rank: 1 },
  { title: 'verdict', holds: 'words' },
];

export const generateRenderers = {
  table: renderTable,
  json: (report) => jsonText(report),
} satisfies Record<string, (report: GenerateReport, terminal: Terminal) => string>;

export const generateCommand = defineCommand({
  name: 'generate',
  describe: 'Generate sessions like those of an agent, or like your own.',
  arguments: {
    '[workload]': 'what they should be like; with --fit, only where your sessions say nothing',
  },
  options: {
    sessions: option('--sessions <number>', 'how many to generate', '10'),
    seed: option('--seed <number>', 'seed of everything random', '1'),
    bank: option(
      '--bank <name>',
      `planted sentences: ${BANKS.join(' or ')} (default: that of the workload; evaluation is in English)`,
    ),
    fit: variadic('--fit <inputs...>', 'files, folders or patterns of sessions to imitate'),
    folder: option(
      '--out <folder>',
      'write one file per session (default: all to standard output)',
    ),
    out: option(
      '--report <path>',
      'write how close they come to that file (with --out: to standard output)',
    ),
    format: option(
      '--format <name>',
      `of the report: ${formatHelp(generateRenderers, '--report')}`,
    ),
  },
  examples: EXAMPLES,
  run: async ({ workload: name }, options, { io, openReport }) => {
    const { folder, out: reportPath, format } = options;
    const out = openReport(generateRenderers, 'report format');
    const sessions = parseWhole('--sessions', options.sessions, { most: MOST_SESSIONS });
    const seed = parseSeed(options.seed);
    const store = folder === undefined ? undefined : createSessionStore(folder);
    const fitted = options.fit === undefined ? undefined : findInputs(options.fit);
    out.checkInputs(fitted?.files ?? []);
    const found = await resolveWorkload(name, fitted, io);
    if (found === undefined) return undefined;
    const { isWhole } = found;
    const workload = withBank(found.workload, options.bank);

    const isSampled = folder !== undefined || reportPath !== undefined;
    if (!isSampled && format !== undefined) printNotes(io, [WITHOUT_REPORT]);
    const samples: SessionSample[] = [];
    const indexes = Array.from({ length: sessions }, (_, index) => index);
    for (const index of inTurn(indexes, () => workload.name, io)) {
      if (await isStopped(io)) return undefined;
      const session = generateSession(workload, { seed, index });
      if (store === undefined) await writePieces(io, writeSession(session));
      else store.write(`${session.name}.jsonl`, writeSession(session));
      if (isSampled) samples.push(sampleSession(session, charsEstimator));
    }
    if (io.signal.aborted) return undefined;
    if (folder !== undefined) printDone(io, `Sessions: ${shownText(folder)}`);
    const code = isWhole ? EXIT.done : EXIT.failed;
    if (!isSampled) return code;
    const report = toReport(workload, samples, { sessions, seed });
    return out.finish(out.format(report, out.terminal), code);
  },
});

function withBank(workload: Workload, name: string | undefined) {
  if (name === undefined) return workload;
  const bank = BANKS.find((known) => known === name);
  if (bank === undefined) throw badValue('--bank', `one of ${BANKS.join(', ')}`, name);
  return { ...workload, bank };
}

async function resolveWorkload(name: string | undefined, fitted: RunInputs | undefined, io: CliIo) {
  const base = name === undefined ? undefined : findWorkload(name);
  if (fitted === undefined) {
    if (base !== undefined) return { workload: base, isWhole: true };
    throw badOption("Expected a workload or '--fit', got neither. 'list workloads' names them.");
  }
  const read = await gatherFiles(fitted, charsEstimator, io);
  if (read === undefined) return undefined;
  const { gathering, unread } = read;
  const { overall } = toStatistics(gathering, charsEstimator, unread);
  for (const { reason } of unread) printNote(io, reason);
  if (overall.sessions === 0) throw new HarnessError('NO_INPUT', 'No input could be read.');
  const workload = fitWorkload(overall, {
    name: NAME,
    describes: `${countOf(overall.sessions, 'session')} of your own`,
    base:
      base ?? nearestWorkload(overall, [findWorkload('claude-code'), ...OTHERS.map(findWorkload)]),
    samples: countedSamples(gathering),
    own: gathering.own,
    families: gathering.repeats.families,
  });
  return { workload, isWhole: unread.length === 0 };
}

function toReport(
  workload: Workload,
  samples: readonly SessionSample[],
  { sessions, seed }: Pick<GenerateReport, 'sessions' | 'seed'>,
) {
  const { name, describes, source, style, published = [] } = workload;
  const catalog = published.length > 0 ? readCatalog() : undefined;
  const prices = catalog?.models.get(style.model)?.prices;
  return {
    origin: catalog === undefined ? ownOrigin() : originOf(catalog, [], {}),
    workload: { name, describes, source },
    sessions,
    seed,
    figures: compareSamples(samples, workload),
    hits: compareHitRates(toSessionShapes(samples), workload, seed),
    published: judgePublished(samples, published, { seed, prices }),
  };
}

function renderTable(report: GenerateReport, terminal: Terminal) {
  const { figures, hits, published } = report;
  const table = (columns: readonly Column[], rows: readonly (readonly string[])[]) =>
    tableSections({ columns, rows }, terminal, 'json');
  return joinSections([
    ...table(COLUMNS, figures.map(toRow)),
    ...table(HIT_COLUMNS, hits.map(toHitRow)),
    ...(published.length > 0 ? table(PUBLISHED_COLUMNS, published.map(toPublishedRow)) : []),
    fitProse(describe(report), terminal),
  ]);
}

function toRow({ figure, n, workloadN, p50, p90, ...distances }: Nearness) {
  return [
    shownText(figure),
    formatCount(n),
    formatCount(workloadN),
    distances.distance.toFixed(DISTANCE_DIGITS),
    distances.chanceDistance.toFixed(DISTANCE_DIGITS),
    ...toCells(p50),
    ...toCells(p90),
  ];
}

function toCells({ generated, workload }: Pair) {
  return [formatNumber(generated), workload === null ? UNKNOWN : formatNumber(workload)];
}

function formatNumber(value: number, small = 100) {
  return value < small ? value.toFixed(1) : formatCount(Math.round(value));
}

function toHitRow(rate: HitRate) {
  const { generated, workload } = rate;
  const cellsOf = (name: keyof HitRates) => [
    showRate(generated[name]),
    workload === null ? UNKNOWN : showRate(workload[name]),
  ];
  return [nameOf(rate), ...cellsOf('perSession'), ...cellsOf('perThousandSteps')];
}

function showRate({ value, interval }: Estimate) {
  return withEnds(formatRate(value), interval, formatRate);
}

function formatRate(rate: number) {
  return formatFixed(rate, 2);
}

function nameOf({ thresholdTokens }: HitRate) {
  return thresholdTokens === null
    ? 'as the agent compacts'
    : `at ${formatCount(thresholdTokens)} tokens`;
}

function toPublishedRow(judged: JudgedFigure) {
  const { generated, published, isWithin } = judged;
  const { low, high, tolerance } = published;
  const rangeOf = (ends: Interval) =>
    `${formatPublished(ends.low)} … ${formatPublished(ends.high)}`;
  const range = low === high ? formatPublished(low) : rangeOf(published);
  return [
    nameOfPublished(judged),
    tolerance === undefined ? range : `${range} ± ${tolerance}`,
    generated === null ? UNKNOWN : formatPublished(generated.value),
    generated?.interval ? rangeOf(generated.interval) : UNKNOWN,
    isWithin === null ? UNKNOWN : isWithin ? 'within' : 'outside',
  ];
}

function formatPublished(value: number) {
  return formatNumber(value, 1_000);
}

function nameOfPublished({ figure, statistic }: JudgedFigure) {
  return `${figure} ${statistic === 'share' ? '%' : statistic}`;
}

function describe(report: GenerateReport) {
  const { workload, sessions, seed, figures, hits, published } = report;
  const far = figures.filter(({ distance, chanceDistance }) => distance > chanceDistance);
  const lines = [
    `${countOf(sessions, 'session')}, seed ${seed}, drawn from the workload ${shownText(workload.name)} (${shownText(workload.describes)}).`,
    'Distance: largest difference in cumulative share (Kolmogorov-Smirnov) at the known quantiles of the workload; chance: what one in twenty exceeds, at most 1.',
    `Farther than chance (one in twenty), of ${figures.length} figures: ${someOf(far.map(({ figure }) => shownText(figure)))}.`,
    `Threshold hits: with their intervals of 95 %, where ten independent sessions or more tell. ${judgeHits(hits)}`,
    ...describeJudged(published),
    describeOrigin(report.origin),
  ];
  return lines.join('\n');
}

function judgeHits(hits: readonly HitRate[]) {
  const known = hits.filter(({ isWithinNoise }) => isWithinNoise !== null);
  if (known.length === 0) {
    // More sessions would not help where the workload itself tells of few.
    const isTold = hits.some(({ workload }) => (workload?.perSession.interval ?? null) !== null);
    const lacking = isTold ? 'generated sessions are too few' : 'workload tells too little';
    return `The ${lacking} to judge them.`;
  }
  const far = known.filter(({ isWithinNoise }) => isWithinNoise === false);
  return `Farther than noise, of ${known.length}: ${someOf(far.map(nameOf))}.`;
}

function describeJudged(judged: readonly JudgedFigure[]) {
  if (judged.length === 0) return [];
  const outside = judged.filter(({ isWithin }) => isWithin === false);
  return [
    `Published figures: of the source, beside the generated sessions with intervals of 95 % over sessions drawn again. Outside, of ${judged.length}: ${someOf(outside.map(nameOfPublished))}.`,
  ];
}

function someOf(names: readonly string[]) {
  return names.length === 0 ? 'none' : names.join(', ');
}
