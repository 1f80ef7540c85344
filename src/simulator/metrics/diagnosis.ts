/**
 * Causes of what is wrong with a run, read off its events. A new cause is three things that the compiler asks for: its numbers in
 * `CauseNumbers`, a function in `FINDERS` that reads them off `RunCourse`, and its two sentences in `report/diagnosis.ts`.
 */

import { isIneffective } from '../../engine/index.ts';
import type { RunEvent, RunState } from '../events.ts';
import { countEach, known, sum } from '../lib/collections.ts';
import { NANO_USD_PER_USD } from '../lib/units.ts';
import type { TextFaults } from '../replay/recording-faults.ts';
import { isOtherWindow, type Known, mainStretch } from '../setup/setup.ts';
import {
  type Break,
  type Compaction,
  type CourseSources,
  type Found,
  readCourse,
  type RunCourse,
} from './run-course.ts';

/** The numbers of each cause; tokens are true tokens. */
export interface CauseNumbers {
  /** Compactions that gain little, since what stays fills most of the room. */
  readonly floor: {
    readonly part: 'overhead' | 'summary' | 'tail';
    readonly partTokens: number;
    readonly limitTokens: number;
    readonly ineffective: number;
    readonly steps: number;
    /** The step with the largest content, where what is kept is to blame. */
    readonly messageId?: string;
    /** Steps from a compaction to the next; absent where there was no other. */
    readonly least?: number;
    readonly most?: number;
  };
  /** Compactions with room that was filled at once. */
  readonly refilled: {
    readonly messageId: string;
    readonly step: number;
    readonly tokens: number;
    readonly roomTokens: number;
  };
  /** Summaries that fail, or are larger than what they replace. */
  readonly summary: {
    readonly failed: number;
    /** The most frequent one. */
    readonly reason?: string;
    readonly larger: number;
    /** Of the worst of the larger ones. */
    readonly summaryTokens?: number;
    readonly replacedTokens?: number;
  };
  /** Pictures and other media that fill the context. */
  readonly media: { readonly mediaTokens: number; readonly otherTokens: number };
  /** A cache that is broken step by step. */
  readonly cache: {
    readonly rule: Break['rule'];
    /** The first part that was cleared. */
    readonly partId?: string;
    readonly lostTokens: number;
  };
  /** A recording whose agent does not compact where its rule does. */
  readonly window: {
    readonly kind: 'early' | 'late' | 'never';
    /** Sizes at which it compacted; of one that never did, of its largest request. */
    readonly leastTokens: number;
    readonly mostTokens: number;
    readonly edgeTokens: number;
    readonly windowTokens: number;
    readonly otherwise?: Known<number>;
    readonly agent?: string;
  };
  readonly rule: TextFaults['rules'][number];
  readonly invented: TextFaults['invented'][number];
}

export type Cause = keyof CauseNumbers;

/** A cause with its numbers: ids and amounts, never texts of a session. */
export type Finding = {
  readonly [Name in Cause]: { readonly cause: Name } & Found &
    CauseNumbers[Name] & {
      readonly dearer?: { readonly costUsd: number; readonly neverUsd: number };
    };
}[Cause];

/** Names of the content that findings blame, as far as they are known where they are shown. */
export type Blamed = ReadonlyMap<Finding, string>;

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
/** Steps above the edge of an agent; a check may miss one or two. */
const LATE_STEPS = 3;
/** Of the edge; one alone may be by hand. */
const EARLY_SHARE = 0.7;
const LEAST_EARLY = 2;
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

/** Causes of what is wrong with a run, the worst first; none of a healthy one. */
export function diagnose(
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

/** The order of findings: by dollars, then by what they hit. */
export function worstFirst(one: Finding, other: Finding): number {
  return (other.costUsd ?? 0) - (one.costUsd ?? 0) || other.hits - one.hits;
}

/** Compactions far from the edge of an agent's rule; `undefined` where a refusal is all that it waits for. */
export function findWindow({
  sources,
  ...course
}: RunCourse): (Found & CauseNumbers['window']) | undefined {
  const { compactions, steps, above, largestTokens } = course;
  const { setup, usableTokens: edgeTokens } = sources;
  if (setup === undefined || edgeTokens === undefined || setup.isRefusalOnly) return undefined;
  const main = mainStretch(setup);
  const { window, otherwise } = main;
  const common = {
    costUsd: null,
    edgeTokens,
    windowTokens: window.value,
    ...known({ agent: setup.agent }),
  };
  const autos = compactions.filter((one) => one.auto && one.beforeTokens !== undefined);
  if (autos.length === 0) {
    if (above < LATE_STEPS) return undefined;
    const sizes = { leastTokens: largestTokens, mostTokens: largestTokens };
    const found = { hits: above, of: steps, fromStep: steps - above, kind: 'never' } as const;
    return { ...found, ...common, ...sizes };
  }
  const isOther = window.source === 'inferred' && otherwise && isOtherWindow(main);
  const early = autos.filter(({ beforeTokens = 0 }) => beforeTokens < EARLY_SHARE * edgeTokens);
  const isFar = early.length >= Math.max(LEAST_EARLY, autos.length / 2);
  const far = isFar ? early : autos.filter((one) => one.above >= LATE_STEPS);
  const hits = isOther ? autos : far;
  const [first] = hits;
  if (first === undefined) return undefined;
  const sizes = hits.map(({ beforeTokens = 0 }) => beforeTokens);
  const isEarly = isOther ? window.value < otherwise.value : isFar;
  return {
    hits: hits.length,
    of: autos.length,
    fromStep: first.step,
    ...common,
    kind: isEarly ? 'early' : 'late',
    leastTokens: Math.min(...sizes),
    mostTokens: Math.max(...sizes),
    ...(isOther && { otherwise }),
  };
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
