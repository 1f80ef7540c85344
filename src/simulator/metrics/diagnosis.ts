/**
 * Causes of what is wrong with a run, read off its events. A new cause is three things that the compiler asks for: its numbers in
 * `CauseNumbers`, a function in `FINDERS` that reads them off `RunStory`, and its two sentences in `report/diagnosis.ts`.
 */

import { isIneffective } from '../../engine/index.ts';
import type { BilledPrices, RequestPrices, RunEvent, RunState } from '../events.ts';
import { known, sum } from '../lib/collections.ts';
import { NANO_USD_PER_USD, PICO_PER_NANO } from '../lib/units.ts';
import { pricesFor } from '../provider/prices.ts';

/** The numbers of each cause; tokens are true tokens. */
export interface CauseNumbers {
  /** Compactions that gain little, since what stays fills most of the room. */
  readonly floor: {
    readonly part: 'overhead' | 'summary' | 'tail';
    readonly partTokens: number;
    readonly limitTokens: number;
    readonly ineffective: number;
    readonly steps: number;
    /** Steps from a compaction to the next; absent where there was no other. */
    readonly least?: number;
    readonly most?: number;
  };
  /** Compactions with room that was filled at once. */
  readonly refilled: {
    /** The step whose content filled most of it, and that content. */
    readonly messageId: string;
    readonly step: number;
    readonly tokens: number;
    readonly roomTokens: number;
  };
}

export type Cause = keyof CauseNumbers;

interface Found {
  /** Compactions that it hit, or steps, of how many. */
  readonly hits: number;
  readonly of: number;
  readonly fromStep: number;
  /** The bill of the hits; `null` where unknown. */
  readonly costUsd: number | null;
}

/** A cause with its numbers: ids and amounts, never texts of a session. */
export type Finding = {
  readonly [Name in Cause]: { readonly cause: Name } & Found &
    CauseNumbers[Name] & {
      /** Of a run that is dearer than the same one without compaction. */
      readonly dearer?: { readonly costUsd: number; readonly neverUsd: number };
    };
}[Cause];

/** Knowledge of a run besides its events. */
export interface DiagnosisSources {
  /** Where a recorded agent compacts; its events do not tell. */
  readonly usableTokens?: number | undefined;
  /** All that the run cost, and the same run without compaction, in dollars; absent where unknown. */
  readonly costUsd?: number | undefined;
  readonly neverUsd?: number | undefined;
}

interface Growth {
  readonly messageId: string;
  readonly step: number;
  readonly tokens: number;
}

/** A summary that took the place of history, and what led to it. */
interface Compaction {
  /** The newest step before it. */
  readonly step: number;
  readonly auto: boolean;
  readonly beforeTokens: number | undefined;
  readonly afterTokens: number | undefined;
  /** The tokens at which it had to act. */
  readonly limitTokens: number | undefined;
  readonly summaryTokens: number | undefined;
  /** The most that one step added since the compaction before. */
  readonly largest: Growth | undefined;
  /** Of its summary calls, and of writing the cache anew behind it. */
  nanoUsd: number;
}

interface RunStory {
  readonly compactions: readonly Compaction[];
  readonly steps: number;
  readonly overheadTokens: number;
  readonly state: RunState | undefined;
  readonly isPriced: boolean;
}

interface Reading extends Omit<RunStory, 'isPriced'> {
  readonly compactions: Compaction[];
  steps: number;
  overheadTokens: number;
  state: RunState | undefined;
  prices: BilledPrices | undefined;
  newestId: string;
  contextTokens: number;
  isAfterPivot: boolean;
  summaryNanoUsd: number;
  summaryTokens: number | undefined;
  largest: Growth | undefined;
  limit: { readonly usableTokens?: number; readonly countTokens?: number } | undefined;
}

/** Read from one compaction to the next. */
const NEW_STRETCH = {
  isAfterPivot: true,
  summaryNanoUsd: 0,
  summaryTokens: undefined,
  largest: undefined,
  limit: undefined,
};
const UNREAD = {
  ...NEW_STRETCH,
  isAfterPivot: false,
  steps: 0,
  overheadTokens: 0,
  state: undefined,
  prices: undefined,
  newestId: '',
  contextTokens: 0,
};

/** Of the room up to the limit, so much has to be free after a compaction: a fifth is two or three usual steps of 10,000 tokens. */
const LITTLE_ROOM = 0.8;
/** Compactions that are no further apart are right after each other. */
const CLOSE_STEPS = 5;
/** As Claude Code's breaker counts it. */
const REFILL_STEPS = 3;
/** A policy that counts less of a request leaves something out. */
const COUNTED_SHARE = 0.9;
/** A dearer run within it is as dear. */
const SAME_SHARE = 0.01;

const STOPPED: ReadonlySet<RunState | undefined> = new Set([
  'refused',
  'irreducible',
  'breaker',
  'loop',
]);

const FINDERS: {
  readonly [Name in Cause]: (story: RunStory) => (Found & CauseNumbers[Name]) | undefined;
} = { floor: findFloor, refilled: findRefilled };

/** Causes of what is wrong with a run, the worst first; none of a healthy one. */
export function diagnose(
  events: Iterable<RunEvent>,
  sources: DiagnosisSources = {},
): readonly Finding[] {
  const story = readStory(events, sources);
  const { costUsd, neverUsd } = sources;
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

function findFloor({ compactions, steps, overheadTokens, state, isPriced }: RunStory) {
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
  const [part, partTokens] = Object.entries(parts).toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return {
    ...foundIn(hits, compactions, isPriced),
    part: part as keyof typeof parts,
    partTokens: partTokens ?? 0,
    limitTokens: last.limitTokens ?? last.beforeTokens ?? 0,
    ineffective: hits.filter(isIneffectual).length,
    steps,
    ...(gaps.length > 0 && { least: Math.min(...gaps), most: Math.max(...gaps) }),
  };
}

function findRefilled({ compactions, isPriced }: RunStory) {
  const refills = compactions.flatMap((own, index) => {
    const next = compactions[index + 1];
    const { largest } = next ?? {};
    const isFull = next?.auto && !isShort(own) && next.step - own.step <= REFILL_STEPS;
    return isFull && largest ? [{ own, next, largest }] : [];
  });
  const [worst] = refills.toSorted((a, b) => b.largest.tokens - a.largest.tokens);
  if (worst === undefined) return undefined;
  const { limitTokens = 0, afterTokens = 0 } = worst.own;
  return {
    ...foundIn(
      refills.map(({ next }) => next),
      compactions,
      isPriced,
    ),
    ...worst.largest,
    roomTokens: Math.max(0, limitTokens - afterTokens),
  };
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

function readStory(events: Iterable<RunEvent>, { usableTokens }: DiagnosisSources): RunStory {
  const reading: Reading = { ...UNREAD, compactions: [] };
  for (const event of events) {
    switch (event.type) {
      case 'run-start':
        reading.overheadTokens = event.basis.overheadTokens;
        reading.prices = event.prices;
        break;
      case 'model-changed':
        reading.prices = event.prices ?? reading.prices;
        break;
      case 'overflow':
        if (event.usableTokens !== undefined) reading.limit = event;
        break;
      case 'step-refused':
        reading.limit = { usableTokens: event.windowTokens };
        break;
      case 'summary-end':
        reading.summaryNanoUsd += event.costNanoUsd ?? 0;
        if (event.state === 'answered') reading.summaryTokens = event.outputTokens;
        break;
      case 'step-end':
        addStep(reading, event);
        break;
      case 'pivot':
        addPivot(reading, event, usableTokens);
        break;
      case 'run-end':
        reading.state = event.state;
        break;
      default:
    }
  }
  return { ...reading, isPriced: reading.prices !== undefined };
}

function addStep(reading: Reading, event: RunEvent & { readonly type: 'step-end' }): void {
  grow(reading, event.contextTokens);
  const last = reading.compactions.at(-1);
  if (reading.isAfterPivot && last && reading.prices) {
    last.nanoUsd += rewriteNanoUsd(event, reading.prices);
  }
  reading.isAfterPivot = false;
  reading.steps += 1;
  reading.newestId = event.messageId;
}

function addPivot(
  reading: Reading,
  event: RunEvent & { readonly type: 'pivot' },
  usableTokens: number | undefined,
): void {
  const { auto, contextBeforeTokens: beforeTokens, contextAfterTokens: afterTokens } = event;
  grow(reading, beforeTokens);
  const { steps: step, summaryTokens, largest, summaryNanoUsd: nanoUsd } = reading;
  const limitTokens = limitOf(reading, beforeTokens) ?? usableTokens;
  const sizes = { beforeTokens, afterTokens, limitTokens, summaryTokens };
  reading.compactions.push({ step, auto, ...sizes, largest, nanoUsd });
  Object.assign(reading, { ...NEW_STRETCH, contextTokens: afterTokens ?? 0 });
}

/** Content that came since a step is of that step. */
function grow(reading: Reading, contextTokens = reading.contextTokens): void {
  const { newestId: messageId, steps: step, largest } = reading;
  const tokens = contextTokens - reading.contextTokens;
  reading.contextTokens = contextTokens;
  if (messageId !== '' && tokens > (largest?.tokens ?? 0)) {
    reading.largest = { messageId, step, tokens };
  }
}

/** In true tokens, with what a policy does not count. */
function limitOf({ limit }: Reading, beforeTokens = 0) {
  if (limit?.usableTokens === undefined) return undefined;
  const { usableTokens, countTokens = beforeTokens } = limit;
  const isWhole = countTokens >= COUNTED_SHARE * beforeTokens;
  return isWhole ? usableTokens : usableTokens + beforeTokens - countTokens;
}

function rewriteNanoUsd(
  { contextTokens, cacheWriteTokens, freshTokens }: RunEvent & { readonly type: 'step-end' },
  prices: BilledPrices,
) {
  const { inputPicoUsd, cacheReadPicoUsd, cacheWritePicoUsd } = pricesFor<RequestPrices>(
    prices,
    contextTokens,
  );
  const written = cacheWriteTokens * (cacheWritePicoUsd - cacheReadPicoUsd);
  return (written + freshTokens * (inputPicoUsd - cacheReadPicoUsd)) / PICO_PER_NANO;
}
