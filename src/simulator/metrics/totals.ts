/** Sums over the events of one run, from which every metric is read. */

import { isIneffective } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { addToGroup } from '../lib/collections.ts';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

/** The amounts that events add to a sum; true adds 1. */
type Amounts = {
  readonly [Type in RunEvent['type']]?: (event: EventOf<Type>) => number | boolean | undefined;
};

/** Sums over the events of one run; each metric is read off them. */
export interface RunTotals extends Sums<typeof ADDED> {
  peakContextTokens: number;
  finalContextTokens: number;
  /** By the number of the recorded step, which a closed loop's added steps count as; 0 is before the first. */
  readonly byStep: Map<number, StepTotals>;
  /** It holds a request that is larger than the window. */
  isImpossible: boolean;
  /** Of a run as it was recorded; else absent. */
  recording?: RecordingTotals;
  /** Of the first request of each turn, and of all others. */
  readonly afterUser: CacheTotals;
  readonly afterTool: CacheTotals;
  /** Absent where a model that answered has no known price. */
  costs?: CostTotals;
  /** Cost and gain of each prune and pivot, in order. */
  paybacks: readonly Payback[];
  /** The needs that were lost. */
  regret: RegretTotals;
}

/** Sums over the needs that a run lost. */
export interface RegretTotals extends Readonly<Sums<typeof LOST>> {
  /** Sum over all steps of the tokens that a later write had made useless. */
  readonly staleTokens: number;
  /** True if an agent that reacts may take another course. */
  readonly mayReact: boolean;
  /** True if parts left the view without a prune or a pivot: behind a window, or into a memory. */
  readonly hasSlid: boolean;
  /** The cost of the closed loop above that of the open one; absent where a price or one of the two is unknown. */
  readonly regretNanoUsd?: number;
  /** The same in time. */
  readonly regretMs?: number;
}

interface Row {
  readonly index: number;
  readonly amountOf: (event: RunEvent) => unknown;
}

type Sums<Table> = { [Name in keyof Table]: number };

/** Input of some requests, and what of it came from the cache. */
export interface CacheTotals {
  inputTokens: number;
  cacheReadTokens: number;
}

/** Money of one run in nano-dollars. */
export interface CostTotals {
  summariesNanoUsd: number;
  stepsNanoUsd: number;
}

/** The requests of one recorded step, and the summary calls behind it. Nano-dollars are 0 where no price is known. */
export interface StepTotals {
  isAnswered: boolean;
  contextTokens: number;
  nanoUsd: number;
  summaryTokens: number;
  summaryNanoUsd: number;
}

/** How much of a session its recording tells. */
export interface RecordingTotals {
  readonly isCacheUnknown: boolean;
  /** Steps of the session, with usage or without. */
  readonly steps: number;
  /** Summary calls without usage. */
  unknownCalls: number;
}

/** The cost of a prune or a pivot in steps until it is earned back, and the steps that followed. */
export interface Payback {
  readonly kind: 'prune' | 'pivot';
  /** The newest step that was sent before it, 0 before the first; in a closed loop, one that is read again for counts as its step. */
  readonly step: number;
  /** Absent where a model that answered has no known price; `null` where no number of steps would earn it back. */
  readonly breakEvenSteps?: number | null;
  /** Steps until the next pivot rewrote everything, or until the end. */
  readonly realisedSteps: number;
  /** Absent where unknown: without a price, for one that had an effect. */
  readonly isWasted?: boolean;
}

/** Reads of the same content by added steps that make a loop. Source: evaluation design, section 9.3. */
const LOOP_REREADS = 3;
const NONE: readonly Row[] = [];

const ADDED = {
  steps: { 'step-end': () => 1 },
  turns: { 'turn-start': () => 1 },
  inputTokens: { 'step-end': ({ contextTokens }) => contextTokens },
  outputTokens: { 'step-end': ({ outputTokens }) => outputTokens },
  overflowsAfterStep: { overflow: ({ path }) => path === 'after-step' },
  overflowsBeforeRequest: { overflow: ({ path }) => path === 'before-request' },
  refusals: { 'step-refused': () => 1 },
  /** Requests that a provider cut without a word. */
  truncations: { 'summary-end': isTruncated, 'step-truncated': isTruncated },
  compactions: { pivot: () => 1 },
  ineffectiveCompactions: { pivot: isIneffectivePivot },
  failedCompactions: {
    'summary-end': ({ state, verifies }) => state === 'failed' && verifies !== true,
    'summary-rejected': () => 1,
  },
  recordedCompactions: { 'run-start': ({ recordedCompactions }) => recordedCompactions },
  prunes: { 'prune-end': isFired },
  prunesBelowMinimum: { 'prune-end': ({ state }) => state === 'below-minimum' },
  prunesThatAdded: { 'prune-end': (event) => isFired(event) && event.prunedTokens < 0 },
  prunedTokens: { 'prune-end': (event) => isFired(event) && event.prunedTokens },
  prunedTokensEstimated: { 'prune-end': (event) => isFired(event) && event.estimatedTokens },
  summaryInputTokens: { 'summary-end': ({ inputTokens }) => inputTokens },
  summaryCacheReadTokens: { 'summary-end': ({ cacheReadTokens }) => cacheReadTokens },
  summaryOutputTokens: { 'summary-end': ({ outputTokens }) => outputTokens },
  cacheReadTokens: { 'step-end': ({ cacheReadTokens }) => cacheReadTokens },
  cacheWriteTokens: { 'step-end': ({ cacheWriteTokens }) => cacheWriteTokens },
  uncachedTokens: { 'step-end': ({ freshTokens }) => freshTokens },
  prefixBreaks: { 'step-end': ({ lostTokens }) => Boolean(lostTokens) },
  coldSteps: { 'step-end': ({ isCold }) => isCold },
  latencyMs: {
    'step-end': ({ latencyMs }) => latencyMs,
    // The session waits for it.
    'summary-end': ({ latencyMs }) => latencyMs,
  },
} satisfies Record<string, Amounts>;

const LOST = {
  /** Needs of content that an action of the agent brings back. */
  references: { reference: ({ isRecoverable }) => isRecoverable },
  /** Losses among them; content that is lost counts once until it is read again. */
  misses: { reference: missOf },
  referencedTokens: { reference: ({ isRecoverable, tokens }) => isRecoverable && tokens },
  missedTokens: { reference: (event) => Math.round(missOf(event) * event.tokens) },
  /** Those of them that the recording read again because its own compaction had removed it, and that it went on from. */
  causedMisses: { reference: (event) => event.use === 'caused' && missOf(event) },
  usedMisses: { reference: (event) => event.use !== 'caused' && missOf(event) },
  /** Content that the view did not show, and that is no loss: read again anyway, told by the recording's summary, or unknown. */
  habitNeeds: { reference: (event) => isGoneFor(event, 'habit') },
  carriedNeeds: { reference: (event) => isGoneFor(event, 'carried') },
  unknownNeeds: { reference: (event) => isGoneFor(event, 'unknown') },
  /** The part of all losses that is an expected value: real summaries carry some of what they replace. */
  expectedMisses: { reference: (event) => lossOf(event) < 1 && lossOf(event) },
  /** Names, phrases and declared facts that steps wrote or needed, and that no action brings back. */
  unrecoverableMisses: { reference: (event) => !event.isRecoverable && lossOf(event) },
  /** Parts of the session that steps can refer to, and that left the view. */
  evictions: { eviction: ({ parts }) => parts },
  fileReads: { standing: atEnd(({ fileReads }) => fileReads), 'step-end': isFileReread },
  /** Reads of files that give what an earlier read gave, with no write in between. */
  fileRereads: { standing: atEnd(({ fileRereads }) => fileRereads), 'step-end': isFileReread },
  /** Contents that were asked for at least three times by the same call, and rows of identical calls that gave anything else. */
  loops: { standing: atEnd(({ callLoops }) => callLoops) },
  /** Steps that only reread lost content. */
  rereadSteps: { 'step-end': ({ reread }) => reread !== undefined },
  /** Recorded steps that were left out: they read again what the view still showed. */
  droppedSteps: { 'step-dropped': () => 1 },
  /** Standing items that the run came by, and those that its last view does not name. */
  constraints: { standing: atEnd(({ constraints }) => constraints) },
  goneConstraints: { standing: atEnd(({ goneConstraints }) => goneConstraints.length) },
  paths: { standing: atEnd(({ paths }) => paths) },
  gonePaths: { standing: atEnd(({ gonePaths }) => gonePaths.length) },
} satisfies Record<string, Amounts>;

/** Starts to add up the sums of a run that a table describes. */
export const startSums = foldOf(ADDED);
const startLosses = foldOf(LOST);

/** The regret of a run that lost nothing. */
export const NO_REGRET = {
  ...startLosses().end(),
  staleTokens: 0,
  mayReact: false,
  hasSlid: false,
};

/** About as large a context as before; false where unknown. */
export function isIneffectivePivot({
  contextBeforeTokens: beforeTokens,
  contextAfterTokens: afterTokens,
}: EventOf<'pivot'>): boolean {
  if (beforeTokens === undefined || afterTokens === undefined) return false;
  return isIneffective({ beforeTokens, afterTokens });
}

export function isTruncated(event: RunEvent): boolean {
  if (event.type === 'summary-end') return event.keptTokens !== undefined;
  return event.type === 'step-truncated';
}

export function recordedSteps({ steps, regret }: Pick<RunTotals, 'steps' | 'regret'>): number {
  return steps - regret.rereadSteps + regret.droppedSteps;
}

/** Sums up what the events of a run tell of lost parts. */
export function createRegretFold() {
  const losses = startLosses();
  const timesReread = new Map<number, number>();
  let [staleNow, staleTokens, rereadLoops] = [0, 0, 0];
  let [mayReact, hasSlid] = [false, false];
  return {
    add: (event: RunEvent): void => {
      losses.add(event);
      if (event.type === 'stale-kept') staleNow = event.tokens;
      if (event.type === 'eviction') hasSlid ||= event.by !== 'prune' && event.by !== 'pivot';
      if (event.type === 'reference') mayReact ||= isOtherCourse(event);
      if (event.type !== 'step-end') return;
      staleTokens += staleNow;
      const { reread } = event;
      if (reread === undefined) return;
      const times = (timesReread.get(reread) ?? 0) + 1;
      timesReread.set(reread, times);
      if (times === LOOP_REREADS) rereadLoops += 1;
    },
    end: (): RegretTotals => {
      const sums = losses.end();
      return { ...sums, loops: sums.loops + rereadLoops, staleTokens, mayReact, hasSlid };
    },
  };
}

function foldOf<Table extends Readonly<Record<string, Amounts>>>(table: Table) {
  const names = Object.keys(table);
  const byType = new Map<string, Row[]>();
  for (const [index, amounts] of Object.values(table).entries()) {
    for (const [type, amountOf] of Object.entries(amounts) as [string, () => unknown][])
      addToGroup(byType, type, { index, amountOf });
  }
  return () => {
    const sums = new Float64Array(names.length);
    return {
      add: (event: RunEvent): void => {
        for (const { index, amountOf } of byType.get(event.type) ?? NONE) {
          const amount = amountOf(event);
          if (amount) sums[index] = (sums[index] ?? 0) + Number(amount);
        }
      },
      end: () => Object.fromEntries(names.map((name, index) => [name, sums[index]])) as Sums<Table>,
    };
  };
}

function isFired({ state }: EventOf<'prune-end'>): boolean {
  return state === 'fired';
}

function lossOf({ missedBy, chance = 1 }: EventOf<'reference'>): number {
  return missedBy === undefined ? 0 : chance;
}

function missOf(event: EventOf<'reference'>): number {
  return event.isRecoverable ? lossOf(event) : 0;
}

function isGoneFor({ isRecoverable, goneBy, use }: EventOf<'reference'>, wanted: typeof use) {
  return isRecoverable && goneBy !== undefined && use === wanted;
}

/** A view that still shows a content need not do what the recording did, which read it again. */
function isOtherCourse({ isRecoverable, use, missedBy, goneBy }: EventOf<'reference'>): boolean {
  const isMissed = missedBy !== undefined;
  return isRecoverable && (use === 'caused' ? !isMissed && goneBy === undefined : isMissed);
}

function isFileReread({ reread, isFileReread: isFile }: EventOf<'step-end'>): boolean {
  return reread !== undefined && isFile === true;
}

function atEnd(amountOf: (event: EventOf<'standing'>) => number) {
  return (event: EventOf<'standing'>) => event.at === 'run-end' && amountOf(event);
}
