import { NANO_USD_PER_USD } from '../lib/units.ts';
import type { RunTotals, StepTotals } from './totals.ts';

type ValueOf = (totals: RunTotals) => number | undefined;

/** A run that savings are measured against: as it was recorded, or that which never compacts. */
export interface Baseline {
  readonly name: 'recorded' | 'none';
  readonly totals: RunTotals;
}

/** A run's sums beside those that it is measured against: the baseline of savings, and a prune that knows the future. */
export interface MetricInput {
  readonly run: RunTotals;
  /** Absent where there is none: without recorded usage, a run that never compacts and exceeds the window cannot exist. */
  readonly baseline?: Baseline | undefined;
  /** Of the same policy with a prune that knows the future, and with its own; absent where they are not known. */
  readonly bounds?: readonly RunTotals[] | undefined;
}

interface Description {
  readonly label: string;
  /** Absent where neither direction is better by itself. */
  readonly better?: 'higher' | 'lower';
  readonly describes: string;
}

/** One number about a run: its title, its measure, and the better direction. */
export type Metric = Counted | Share;

/** A number that is read off the sums of a run. */
export interface Counted extends Description {
  readonly unit: 'tokens' | 'count' | 'usd' | 'ms';
  /** The largest value of several runs, instead of their sum. */
  readonly ofSeveral?: 'largest';
  /** The contribution of a run without a fired prune and without this number: another metric's value, or 0. */
  readonly withoutPrune?: string | 0;
  /** `undefined` where it is unknown. */
  of(input: MetricInput): number | undefined;
}

/** A number that is one counted metric divided by another, of one run or of several taken together. */
export interface Share extends Description {
  /** A share is shown in percent; a value that may exceed the whole, as a factor. */
  readonly unit: 'ratio' | 'factor';
  readonly shareOf: readonly [part: string, whole: string];
}

/** A metric as a table lists it: without a unit a count, and without `of` the sum of its name. */
export type MetricRow =
  | Share
  | (Omit<Counted, 'of' | 'unit'> & Partial<Pick<Counted, 'of' | 'unit'>>);

type More = Partial<Omit<Counted, keyof Description>> | Omit<Share, keyof Description>;

/** Shares are rounded, so that they print the same everywhere. */
const SHARE_STEPS = 1_000_000;

const TOKENS = { unit: 'tokens' } as const;

const tokenMetrics = {
  steps: plain('Steps', 'Model requests: the recorded ones and those that a closed loop adds.'),
  turns: plain('Turns', 'User messages that began a turn.'),
  inputTokens: lower(
    'Input tokens',
    'Sum of the context sizes of all steps, without summary calls.',
    TOKENS,
  ),
  outputTokens: plain('Output tokens', 'Tokens that the steps wrote.', TOKENS),
  // A run without steps, which has none, leaves those of others as they are.
  peakContextTokens: lower('Peak context', 'Largest context of any step that was answered.', {
    unit: 'tokens',
    ofSeveral: 'largest',
    withoutPrune: 0,
    of: ({ run }) => (run.steps === 0 ? undefined : run.peakContextTokens),
  }),
  unrecordedRequests: plain(
    'Requests not recorded',
    'Steps and summary calls of the run as recorded whose usage the recording lacks; its sums leave them out.',
    {
      of: ({ run: { recording, steps } }) =>
        recording === undefined ? 0 : recording.steps - steps + recording.unknownCalls,
    },
  ),
  overflows: lower('Overflows', 'Times the session was found over its limit, by any path.', {
    of: ({ run }) => run.overflowsAfterStep + run.overflowsBeforeRequest + run.refusals,
  }),
  overflowsAfterStep: lower('after step', 'Overflows found by the check after a step.'),
  overflowsBeforeRequest: lower('before request', 'Overflows found by the check before a request.'),
  refusals: lower('Refusals', 'Requests that the provider refused.'),
  truncations: lower(
    'Silent cuts',
    'Requests, including summary requests, that the provider silently cut to fit its window; a simulated summarizer still reads them whole.',
  ),
  compactions: lower('Compactions', 'Pivots that took effect.'),
  ineffectiveCompactions: lower('ineffective', 'Pivots that left at least 95 % of the context.'),
  failedCompactions: lower('failed', 'Summary attempts that failed.'),
  recordedCompactions: plain(
    'recorded',
    'Compactions by the recording agent, left out of the replay.',
  ),
  prunes: plain('Prunes', 'Prune passes that cleared outputs.'),
  prunesBelowMinimum: plain('below minimum', 'Prune passes that found too little worth clearing.'),
  prunesThatAdded: lower(
    'that added',
    'Prune passes whose placeholders were longer than what they cleared.',
  ),
  prunedTokens: higher(
    'Pruned tokens',
    'True tokens that prunes removed from the view; below 0 where they added some.',
    TOKENS,
  ),
  prunedTokensEstimated: plain(
    'Pruned, as estimated',
    'Tokens that the policy believed its prunes removed; below 0 where they added some.',
    TOKENS,
  ),
  summaryInputTokens: lower(
    'Summary input',
    'True tokens of all answered summary requests; failed ones are not charged.',
    TOKENS,
  ),
  summaryCacheReadTokens: higher(
    'of it cached',
    'True tokens of those requests that were read from the prompt cache.',
    TOKENS,
  ),
  summaryOutputTokens: lower('Summary output', 'True tokens of all summaries.', TOKENS),
  finalContextTokens: lower(
    'Final context',
    'What the next request would hold at the end of the run.',
    { unit: 'tokens', ofSeveral: 'largest' },
  ),
  tokensSaved: higher(
    'Tokens saved',
    "Tokens of the baseline minus this run's, over the steps that both have, with summary calls; the baseline is the run as recorded, else one that never compacts.",
    {
      unit: 'tokens',
      of: (input) => savedOf(input, (step) => [step.contextTokens, step.summaryTokens]),
    },
  ),
} satisfies Record<string, MetricRow>;

/** Money, cache and time. Definitions: evaluation design, section 9.4. */
const costMetrics = {
  costUsd: lower(
    'Cost',
    'Dollars for all steps and summary calls at list prices: with the simulated cache, or by recorded usage.',
    {
      unit: 'usd',
      of: ({ run }) => toUsd(run.costs && run.costs.stepsNanoUsd + run.costs.summariesNanoUsd),
    },
  ),
  costSummariesUsd: lower('of which summaries', 'Dollars for the summary calls alone.', {
    unit: 'usd',
    of: ({ run }) => toUsd(run.costs?.summariesNanoUsd),
  }),
  costSavedUsd: higher(
    'Dollars saved',
    "Cost of the baseline minus this run's, over the steps that both have, with summary calls.",
    {
      unit: 'usd',
      of: (input) =>
        input.run.costs && input.baseline?.totals.costs
          ? toUsd(savedOf(input, (step) => [step.nanoUsd, step.summaryNanoUsd]))
          : undefined,
    },
  ),
  cacheReadTokens: plain(
    'Cache reads',
    'Input tokens of the steps that were read from the prompt cache.',
    TOKENS,
  ),
  cacheWriteTokens: lower(
    'Cache writes',
    'Input tokens written to the prompt cache and billed as such.',
    TOKENS,
  ),
  uncachedTokens: lower(
    'Uncached',
    'Input tokens of the steps that were neither read from the cache nor billed as cache writes.',
    TOKENS,
  ),
  inputAfterUserTokens: lower(
    'Input after user',
    'Input tokens of the first request of each turn.',
    { unit: 'tokens', of: ({ run }) => run.afterUser.inputTokens },
  ),
  cacheReadAfterUserTokens: plain(
    'Cache reads after user',
    'Cache reads of the first request of each turn.',
    { unit: 'tokens', of: ({ run }) => run.afterUser.cacheReadTokens },
  ),
  inputAfterToolTokens: lower('Input after tool', 'Input tokens of all other requests.', {
    unit: 'tokens',
    of: ({ run }) => run.afterTool.inputTokens,
  }),
  cacheReadAfterToolTokens: plain('Cache reads after tool', 'Cache reads of all other requests.', {
    unit: 'tokens',
    of: ({ run }) => run.afterTool.cacheReadTokens,
  }),
  hitRate: higher(
    'Hit rate',
    "Share of the steps' input tokens that was read from the prompt cache.",
    { unit: 'ratio', shareOf: ['cacheReadTokens', 'inputTokens'] },
  ),
  hitRateAfterUser: higher('after user', 'Hit rate of the first request of each turn.', {
    unit: 'ratio',
    shareOf: ['cacheReadAfterUserTokens', 'inputAfterUserTokens'],
  }),
  hitRateAfterTool: higher('after tool', 'Hit rate of all other requests.', {
    unit: 'ratio',
    shareOf: ['cacheReadAfterToolTokens', 'inputAfterToolTokens'],
  }),
  prefixBreaks: lower('Prefix breaks', 'Steps that broke with the prefix still live in the cache.'),
  prunesPaidBack: higher(
    'Prunes paid back',
    'Prunes followed by enough steps to be cheaper than not pruning.',
    { of: ({ run }) => paidBack(run, 'prune') },
  ),
  compactionsPaidBack: higher(
    'Compactions paid back',
    'Compactions followed by enough steps to be cheaper than none.',
    { of: ({ run }) => paidBack(run, 'pivot') },
  ),
  wastedCompactions: lower(
    'Wasted compactions',
    'Compactions without effect, or followed by too few steps to pay back.',
    {
      of: ({ run }) =>
        run.costs &&
        run.paybacks.filter(({ kind, isWasted }) => kind === 'pivot' && isWasted).length,
    },
  ),
  latencyMs: lower('Latency', 'Estimated time that steps and summary calls take.', { unit: 'ms' }),
} satisfies Record<string, MetricRow>;

/** Needs that a run lost. Definitions: evaluation design, section 9.3. */
const regretMetrics = {
  references: plain(
    'References',
    'Needs of earlier content that an action of the agent brings back.',
  ),
  misses: lower(
    'Losses',
    'References to content that nothing in the request showed, as far as the run is charged for them; what is lost counts once until it is read again.',
  ),
  causedMisses: lower(
    'caused',
    'Losses that the session reads again because the compaction of its own agent had removed them, too.',
  ),
  usedMisses: lower('used', 'Losses that the session goes on from without a read.'),
  expectedMisses: plain(
    'expected',
    'The part of all losses, those for good with them, that is an expected value: a real summary tells some of what it replaces.',
  ),
  missRate: lower('per reference', 'Share of the references that were lost.', {
    unit: 'ratio',
    shareOf: ['misses', 'references'],
  }),
  habitNeeds: plain(
    'Read again anyway',
    'Content gone from the view that the session reads again though its own agent still held it; no loss.',
  ),
  carriedNeeds: plain(
    'Carried by its summary',
    'Content gone behind a compaction that the session goes on from though its own agent had lost it, too; no loss.',
  ),
  unknownNeeds: plain(
    'Unknown uses',
    'Content gone from the view of which nobody knows if the session still held it; no loss.',
  ),
  unrecoverableMisses: lower(
    'Losses for good',
    'Steps that wrote names or phrases that nothing in the request showed any more, and lost facts of a generated session that no call brings back.',
  ),
  evictions: plain(
    'Evicted parts',
    'Texts, calls and outputs that prunes, compactions and windows removed from the view.',
  ),
  missesPerEviction: lower('Losses per part removed', 'Losses per part removed from the view.', {
    unit: 'factor',
    shareOf: ['misses', 'evictions'],
  }),
  referencedTokens: plain('Referenced tokens', 'True tokens of all referenced parts.', {
    unit: 'tokens',
  }),
  missedTokens: lower('Lost tokens', 'True tokens of the lost parts.', TOKENS),
  missedTokenRate: lower('of referenced tokens', 'Share of the referenced tokens that were lost.', {
    unit: 'ratio',
    shareOf: ['missedTokens', 'referencedTokens'],
  }),
  regretUsd: lower(
    'Regret',
    'The cost of losing: of the run in a closed loop, where the agent reads again what it lost, minus that in an open loop.',
    { unit: 'usd', of: ({ run }) => toUsd(run.costs && run.regret.regretNanoUsd) },
  ),
  regretMs: lower('Regret in time', 'The same in estimated time.', { unit: 'ms' }),
  fileReads: plain('File reads', 'Calls that read files.'),
  fileRereads: plain(
    'Re-reads',
    'Reads that returned what an earlier read did, with no write in between.',
  ),
  rereadRate: plain('of file reads', 'Share of file reads that were re-reads.', {
    unit: 'ratio',
    shareOf: ['fileRereads', 'fileReads'],
  }),
  loops: lower(
    'Loops',
    'Contents that the same call asked for at least three times, and rows of three identical calls that gave anything else.',
  ),
  rereadSteps: lower('Added steps', 'Steps of a closed loop that only re-read what was lost.'),
  droppedSteps: plain(
    'Dropped steps',
    'Recorded steps that a closed loop leaves out: they read again what the view still shows.',
  ),
  staleTokens: lower(
    'Stale tokens',
    'Tokens of visible outputs that a later write had made obsolete, summed over all steps.',
    TOKENS,
  ),
  constraints: plain(
    'Constraints',
    'Constraints that the user gave, or that an output of a generated session declares.',
  ),
  goneConstraints: lower(
    'Constraints gone',
    'Constraints that no visible message, call or summary names at the end; outputs are searched only if they declare one.',
  ),
  paths: plain('Paths', 'Files that the steps read or changed.'),
  gonePaths: lower(
    'Paths gone',
    'Paths that no visible message, call or summary names at the end; outputs are not searched.',
  ),
  gonePathRate: lower('of paths', 'Share of the paths that are gone.', {
    unit: 'ratio',
    shareOf: ['gonePaths', 'paths'],
  }),
} satisfies Record<string, MetricRow>;

/** The least that is known to be possible. Bounds: a prune that knows the future, or the base's order. */
const boundMetrics = {
  boundMisses: lower(
    "Bound's losses",
    'Fewest losses known with the same compactions: by a prune that knows the future, or by the run itself; unknown where no prune fired.',
    { of: (input) => leastOf(input, ({ regret }) => regret.misses), withoutPrune: 'misses' },
  ),
  boundRegretUsd: lower("Bound's regret", 'Least regret known with the same compactions.', {
    unit: 'usd',
    of: (input) => toUsd(leastOf(input, ({ costs, regret }) => costs && regret.regretNanoUsd)),
    withoutPrune: 'regretUsd',
  }),
} satisfies Record<string, MetricRow>;

export const metricRows = { ...tokenMetrics, ...costMetrics, ...regretMetrics, ...boundMetrics };

/** Tests if a metric is the ratio of two others. */
export function isShare(metric: Metric): metric is Share {
  return 'shareOf' in metric;
}

/** A share; of nothing it is unknown. */
export function shareOf(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null || whole === 0) return null;
  return Math.round((part / whole) * SHARE_STEPS) / SHARE_STEPS;
}

/** The sum of two amounts in dollars, exact to the nano-dollar. */
export function addUsd(some: number, more: number): number {
  return Math.round((some + more) * NANO_USD_PER_USD) / NANO_USD_PER_USD;
}

/** Dollars; unknown where the nano-dollars are. */
export function toUsd(nanoUsd: number | undefined): number | undefined {
  return nanoUsd === undefined ? undefined : nanoUsd / NANO_USD_PER_USD;
}

function paidBack({ paybacks, costs }: RunTotals, of: 'prune' | 'pivot'): number | undefined {
  return costs && paybacks.filter(({ kind, isWasted }) => kind === of && !isWasted).length;
}

function leastOf({ run, bounds }: MetricInput, valueOf: ValueOf): number | undefined {
  if (bounds === undefined) return undefined;
  const values = [run, ...bounds].map(valueOf);
  const known = values.filter((value) => value !== undefined);
  return known.length < values.length ? undefined : Math.min(...known);
}

function plain(label: string, describes: string, more: More = {}): MetricRow {
  return { label, describes, ...more };
}

function lower(label: string, describes: string, more: More = {}): MetricRow {
  return { label, better: 'lower', describes, ...more };
}

function higher(label: string, describes: string, more: More = {}): MetricRow {
  return { label, better: 'higher', describes, ...more };
}

/** Over common steps and the summary calls up to the run's last; unknown without a common step. */
function savedOf(
  { run, baseline }: MetricInput,
  spentOn: (step: StepTotals) => readonly [ofStep: number, ofSummaries: number],
): number | undefined {
  if (baseline === undefined || run.isImpossible) return undefined;
  let isShared = run.steps === 0;
  let saved = 0;
  for (const [step, own] of run.byStep) {
    const other = baseline.totals.byStep.get(step);
    const [ofStep, ofSummaries] = spentOn(own);
    const [otherStep, otherSummaries] = other ? spentOn(other) : [0, 0];
    saved += otherSummaries - ofSummaries;
    if (!other?.isAnswered || !own.isAnswered) continue;
    isShared = true;
    saved += otherStep - ofStep;
  }
  return isShared ? saved : undefined;
}
