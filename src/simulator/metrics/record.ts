import type { RunEvent, RunMode, RunState } from '../events.ts';
import { countEach, known, perKey, sum } from '../lib/collections.ts';
import type { AsyncRunOptions } from '../replay/run-trace.ts';
import type { Trace } from '../replay/trace.ts';
import type { Setup } from '../setup/setup.ts';
import {
  type Finding,
  worstFirst,
  type Cause,
  type CauseNumbers,
  findWindow,
} from './diagnosis.ts';
import { addRegret, costOf, foldRun, type RunBounds } from './fold.ts';
import { measure, type MetricValues, UNKNOWN_METRICS } from './metrics.ts';
import { type Baseline, toUsd } from './metric-rows.ts';
import { type Payback, recordedSteps, type RunTotals } from './totals.ts';
import { type Message, type Part, renderPart, isIneffective } from '../../engine/index.ts';
import { countContent, countPart, RECORDED } from '../replay/count.ts';
import {
  type CourseSources,
  type Compaction,
  type Found,
  readCourse,
  type RunCourse,
} from './run-course.ts';
import { NANO_USD_PER_USD } from '../lib/units.ts';

/** Identity of a run. */
export interface RunKey {
  readonly session: string;
  /** Name of the first session that shares this one's beginning; such sessions are not independent. Absent where it is the only one. */
  readonly family?: string;
  readonly policy: string;
  readonly model: string;
  readonly summarizer: string;
  readonly seed: number;
  /** Absent in an open loop; the two never stand in one table. */
  readonly mode?: RunMode;
}

/** One run as a row: its identity, its end and its metrics. */
export interface RunRecord extends RunKey {
  readonly state: RunState;
  readonly reason?: string;
  /** Why no such run can exist, though it was simulated to its end; absent where it can. */
  readonly impossible?: string;
  /** The run that its savings are measured against; absent where they are unknown. */
  readonly baseline?: Baseline['name'];
  readonly metrics: MetricValues;
  /** The tokens at which its policy compacts; absent where it did, and where it never does. */
  readonly edgeTokens?: number;
  /** Of the run as recorded: its automatic compactions beside those of its own preset, by the steps before; absent where unknown. */
  readonly fit?: readonly {
    readonly recorded: number | null;
    readonly predicted: number | null;
  }[];
  /** Costs and gains of each prune and pivot; absent for a session that was not run, and of a recorded run. */
  readonly paybacks?: readonly Payback[];
  /** Causes of what is wrong with it, the worst first; absent where nothing is. */
  readonly findings?: readonly Finding[];
}

/** Baselines of a run. */
export interface Against {
  /** Of its savings; absent where there is none. */
  readonly baseline?: Baseline | undefined;
  /** Absent where the bounds cannot be run. */
  readonly runBounds?: RunBounds | undefined;
  /** Tells of media; absent where nobody asks. */
  readonly trace?: Trace | undefined;
  /** Where the agent of a recorded run compacts; absent where unknown. */
  readonly usableTokens?: number | undefined;
  readonly setup?: Setup | undefined;
}

export type CountedState = RunState | 'impossible';

/** A reason with how often it was given. */
export interface CountedReason {
  readonly reason: string;
  readonly times: number;
}

/** Of the room up to the limit, so much has to be free after a compaction: a fifth is two or three usual steps of 10,000 tokens. */
const LITTLE_ROOM = 0.8;

const CLOSE_STEPS = 5;

/** Of a kept tail, in one message. */
const GIANT_SHARE = 0.5;

const REFILL_STEPS = 3;

/** Of what was added since the last compaction. */
const MEDIA_SHARE = 0.5;

/** Of the steps that could be, under a known rule since it began. */
const BROKEN_SHARE = 0.5;

const LEAST_BREAKS = 5;

/** Of all input; clearing the last few outputs costs less than they do. */
const LEAST_LOSS = 0.02;

const SAME_SHARE = 0.01;

const STOPPED: ReadonlySet<RunState | undefined> = new Set([
  'refused',
  'irreducible',
  'breaker',
  'loop',
]);

const FINDERS: {
  readonly [Name in Cause]: (story: RunCourse) => (Found & CauseNumbers[Name]) | undefined;
} = {
  floor: findFloor,
  refilled: findRefilled,
  summary: findBadSummaries,
  media: findMedia,
  cache: findBroken,
  window: findWindow,
  rule: ({ compactions, sources }) => findText(compactions, sources.textFaults?.rules),
  invented: ({ compactions, sources }) => findText(compactions, sources.textFaults?.invented),
};

/** True tokens of the media of each message and, by its number, of the prompt of each turn. */
const mediaOf = perKey((trace: Trace): NonNullable<CourseSources['mediaOf']> => {
  const { turns, sizes, basis, count } = trace;
  const mediaIn = (part: Part, role: Message['role']) => {
    const contents = renderPart(part, role, RECORDED);
    const media = contents.flatMap((content) => {
      if (content.type === 'file') return content;
      return content.type === 'tool-result' ? content.attachments : [];
    });
    if (media.length === 0) return 0;
    const counted = sum(
      media.map((file) => countContent({ type: 'file', mime: file.mime, url: '' }, count)),
    );
    const all = countPart(part, role, { count });
    return Math.round((sizes.get(part)?.whole ?? basis.factor * all) * (counted / all));
  };
  const tokensOf = ({ parts, role }: Message) => sum(parts.map((part) => mediaIn(part, role)));
  const known = new Map<string | number, number>();
  for (const [index, { message, steps }] of turns.entries()) {
    known.set(index + 1, tokensOf(message));
    for (const step of steps) known.set(step.message.id, tokensOf(step.message));
  }
  return (of) => known.get(of) ?? 0;
});

export function keyOfRun(
  session: Pick<RunKey, 'session' | 'family'>,
  names: Pick<RunKey, 'policy' | 'summarizer'>,
  { model, seed, mode }: Pick<AsyncRunOptions, 'model' | 'seed' | 'mode'>,
): RunKey {
  const { policy, summarizer } = names;
  const loop = mode === 'closed-loop' ? { mode } : {};
  return { ...session, policy, model: model.id, summarizer, seed, ...loop };
}

export function modeOf({ mode }: Pick<RunKey, 'mode'>): RunMode {
  return mode ?? 'open-loop';
}

/** The record of a run from its events and those of its bounds. */
export function recordRun(
  key: RunKey,
  events: readonly RunEvent[],
  { baseline, runBounds, trace, usableTokens, setup }: Against = {},
): RunRecord {
  const end = events.findLast((event) => event.type === 'run-end');
  const start = events.find((event) => event.type === 'run-start');
  const folded = foldRun(events);
  const run =
    runBounds?.withRegret(folded) ?? addRegret(folded, modeOf(key) === 'closed-loop', undefined);
  const never = baseline?.name === 'none' && !run.isImpossible ? baseline.totals : undefined;
  const costs = { costUsd: toUsd(costOf(run)), neverUsd: toUsd(never && costOf(never)) };
  const recorded = start?.recording && { setup, textFaults: trace?.textFaults };
  const sources = { mediaOf: trace && mediaOf(trace), usableTokens, ...recorded, ...costs };
  const findings = diagnose(events, sources);
  return {
    ...key,
    state: end?.state ?? 'failed',
    ...known({
      reason: end === undefined ? 'the run has no end' : end.reason,
      impossible: end?.impossible,
      baseline: run.isImpossible ? undefined : baseline?.name,
    }),
    metrics: measure({ run, baseline, bounds: findBounds(run, runBounds?.bounds) }),
    ...known({
      edgeTokens: run.compactions > 0 || run.prunes > 0 ? undefined : start?.usableTokens,
      paybacks: run.recording === undefined ? run.paybacks : undefined,
      findings: findings.length > 0 ? findings : undefined,
    }),
  };
}

/** The end and the metrics of a run. */
export function endingOf({
  state,
  reason,
  metrics,
  findings,
}: RunRecord): Pick<RunRecord, 'state' | 'reason' | 'metrics' | 'findings'> {
  return { state, metrics, ...known({ reason, findings }) };
}

/** How a run counts: by its state, or as impossible. */
export function countsAs({
  state,
  impossible,
}: Pick<RunRecord, 'state' | 'impossible'>): CountedState {
  return impossible === undefined ? state : 'impossible';
}

/** The record of a session that was not run. */
export function recordUnrun(key: RunKey, state: 'failed' | 'skipped', reason: string): RunRecord {
  return { ...key, state, reason, metrics: UNKNOWN_METRICS };
}

/** Reasons with their counts, the most frequent first. */
export function countReasons(reasons: readonly string[]): readonly CountedReason[] {
  return [...countEach(reasons)]
    .map(([reason, times]) => ({ reason, times }))
    .toSorted((a, b) => b.times - a.times);
}

/** The runs that bound a run; unknown without a fired prune, where parts slid away, or cannot be run as far. */
export function findBounds(
  run: RunTotals,
  runBounds: RunBounds['bounds'] | undefined,
): readonly RunTotals[] | undefined {
  const { misses, hasSlid } = run.regret;
  if (run.prunes === 0) return undefined;
  if (misses === 0) return [];
  if (hasSlid) return undefined;
  const isAsFar = (bound: RunTotals) => recordedSteps(bound) === recordedSteps(run);
  const [first, ...others] = runBounds?.() ?? [];
  return first && isAsFar(first) ? [first, ...others.filter(isAsFar)] : undefined;
}

/** Causes of what is wrong with a run, the worst first; none of a healthy one. */
function diagnose(
  events: Iterable<RunEvent>,
  {
    costUsd,
    neverUsd,
    ...sources
  }: CourseSources & {
    /** Its cost, and that of the same run without compaction, in dollars; absent where unknown. */
    readonly costUsd?: number | undefined;
    readonly neverUsd?: number | undefined;
  } = {},
): readonly Finding[] {
  const story = readCourse(events, sources);
  const isDearer =
    costUsd !== undefined && neverUsd !== undefined && costUsd > neverUsd * (1 + SAME_SHARE);
  const dearer = isDearer ? { costUsd, neverUsd } : undefined;
  const found = Object.entries(FINDERS).flatMap(([cause, find]) => {
    const finding = find(story);
    return finding === undefined ? [] : [{ cause, ...finding, ...known({ dearer }) } as Finding];
  });
  return found.toSorted(worstFirst);
}

function findFloor(course: RunCourse) {
  const { compactions, steps, overheadTokens, state, isPriced, largestOfAll } = course;
  const hits = compactions.filter(isShort);
  const gaps = compactions.flatMap(({ step }, index) => {
    const next = compactions[index + 1];
    return next && hits.includes(next) ? [next.step - step] : [];
  });
  const [first] = hits;
  const isClose = gaps.some((gap) => gap <= CLOSE_STEPS) || STOPPED.has(state);
  const last = hits.at(-1);
  if (first === undefined || last?.afterTokens === undefined || !isClose) return undefined;
  const summaryTokens = last.summaryTokens ?? 0;
  const parts = {
    overhead: overheadTokens,
    summary: summaryTokens,
    tail: last.afterTokens - overheadTokens - summaryTokens,
  };
  const { messageId = '', tokens = 0 } = largestOfAll ?? {};
  const [part, partTokens] = Object.entries(parts).toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return {
    ...foundIn(hits, compactions, isPriced),
    part: part as keyof typeof parts,
    partTokens: partTokens ?? 0,
    limitTokens: last.limitTokens ?? last.beforeTokens ?? 0,
    ineffective: hits.filter(isIneffectual).length,
    steps,
    ...(part === 'tail' && tokens >= GIANT_SHARE * parts.tail && { messageId }),
    ...(gaps.length > 0 && { least: Math.min(...gaps), most: Math.max(...gaps) }),
  };
}

function findRefilled({ compactions, isPriced }: RunCourse) {
  const refills = compactions.flatMap((own, index) => {
    const next = compactions[index + 1];
    const { largest } = next ?? {};
    const isFull = next?.auto && !isShort(own) && next.step - own.step <= REFILL_STEPS;
    return isFull && largest ? [{ own, next, largest }] : [];
  });
  const [worst] = refills.toSorted((a, b) => b.largest.tokens - a.largest.tokens);
  if (worst === undefined) return undefined;
  const { limitTokens = 0, afterTokens = 0 } = worst.own;
  const refilled = refills.map(({ next }) => next);
  return {
    ...foundIn(refilled, compactions, isPriced),
    ...worst.largest,
    roomTokens: Math.max(0, limitTokens - afterTokens),
  };
}

function findBadSummaries({ compactions, summaries, failures, isPriced, sources }: RunCourse) {
  const failed = failures.length + (sources.textFaults?.failed ?? 0);
  const larger = compactions.flatMap((own) => {
    const { beforeTokens, afterTokens, summaryTokens } = own;
    if (beforeTokens === undefined || afterTokens === undefined) return [];
    const added = afterTokens - beforeTokens;
    // A large prompt may come before the next recorded request.
    if (added <= 0 || summaryTokens === undefined || added > summaryTokens) return [];
    return [{ own, summaryTokens, replacedTokens: summaryTokens - added }];
  });
  const hits = larger.length + failed;
  if (hits === 0) return undefined;
  const hit = larger.map(({ own }) => own);
  const [worst] = larger.toSorted((a, b) => b.summaryTokens - a.summaryTokens);
  const [reason] = [...countEach(failures)].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return {
    ...foundIn(hit, compactions, isPriced),
    hits,
    of: Math.max(summaries, compactions.length + failed),
    failed,
    ...known({ reason }),
    larger: larger.length,
    ...known({ summaryTokens: worst?.summaryTokens, replacedTokens: worst?.replacedTokens }),
  };
}

function findMedia({ compactions, isPriced }: RunCourse) {
  const hits = compactions.filter(
    ({ mediaTokens, addedTokens }) => mediaTokens > 0 && mediaTokens >= MEDIA_SHARE * addedTokens,
  );
  const [most] = hits.toSorted((a, b) => b.mediaTokens - a.mediaTokens);
  if (most === undefined) return undefined;
  const { mediaTokens, addedTokens } = most;
  const otherTokens = Math.max(0, addedTokens - mediaTokens);
  return { ...foundIn(hits, compactions, isPriced), mediaTokens, otherTokens };
}

function findBroken({ breaks, warmSteps, steps, inputTokens, isPriced }: RunCourse) {
  const [first] = breaks;
  const could = first && first.rule !== 'unknown' ? steps - first.step : warmSteps;
  const lostTokens = sum(breaks.map((one) => one.lostTokens));
  const isRule = breaks.length >= Math.max(LEAST_BREAKS, BROKEN_SHARE * could);
  if (first === undefined || !isRule || lostTokens < LEAST_LOSS * inputTokens) return undefined;
  const { rule, partId, step: fromStep } = first;
  return {
    hits: breaks.length,
    of: warmSteps,
    fromStep,
    costUsd: isPriced ? sum(breaks.map(({ nanoUsd }) => nanoUsd)) / NANO_USD_PER_USD : null,
    rule,
    ...known({ partId }),
    lostTokens,
  };
}

function findText<Fault extends { readonly step: number; readonly goneStep?: number }>(
  { length: of }: RunCourse['compactions'],
  faults: readonly Fault[] = [],
) {
  const [worst] = faults;
  if (worst === undefined) return undefined;
  const { step, goneStep = step } = worst;
  return { hits: faults.length, of, fromStep: goneStep, costUsd: null, ...worst };
}

/** Leaves little room; by hand, nobody expects it to leave more. */
function isShort(compaction: Compaction) {
  const { auto, afterTokens, beforeTokens, limitTokens = beforeTokens } = compaction;
  if (!auto || afterTokens === undefined || limitTokens === undefined) return false;
  return afterTokens >= LITTLE_ROOM * limitTokens || isIneffectual(compaction);
}

function isIneffectual({ beforeTokens, afterTokens }: Compaction) {
  if (beforeTokens === undefined || afterTokens === undefined) return false;
  return isIneffective({ beforeTokens, afterTokens });
}

function foundIn(
  hits: readonly Compaction[],
  all: readonly Compaction[],
  isPriced: boolean,
): Found {
  return {
    hits: hits.length,
    of: all.length,
    fromStep: hits[0]?.step ?? 0,
    costUsd: isPriced ? sum(hits.map(({ nanoUsd }) => nanoUsd)) / NANO_USD_PER_USD : null,
  };
}
