/** The course of a run as its compactions tell it, read off its events; `diagnosis.ts` finds causes in it. */

import type { BilledPrices, RequestPrices, RunEvent, RunState } from '../events.ts';
import { PICO_PER_NANO } from '../lib/units.ts';
import { pricesFor } from '../provider/prices.ts';
import type { TextFaults } from '../replay/recording-faults.ts';
import type { Setup } from '../setup/setup.ts';

/** Knowledge of a run besides its events. */
export interface CourseSources {
  /** True tokens of the media of a message, and of the prompt of a turn. */
  readonly mediaOf?: ((of: string | number) => number) | undefined;
  /** Where a recorded agent compacts; its events do not tell. */
  readonly usableTokens?: number | undefined;
  readonly setup?: Setup | undefined;
  readonly textFaults?: TextFaults | undefined;
}

interface Growth {
  readonly messageId: string;
  readonly step: number;
  readonly tokens: number;
}

/** A summary that took the place of history, and what led to it. */
export interface Compaction {
  /** The newest step before it. */
  readonly step: number;
  readonly auto: boolean;
  readonly beforeTokens: number | undefined;
  readonly afterTokens: number | undefined;
  readonly limitTokens: number | undefined;
  readonly summaryTokens: number | undefined;
  readonly largest: Growth | undefined;
  readonly mediaTokens: number;
  readonly addedTokens: number;
  /** Steps before it with more than where the agent compacts. */
  readonly above: number;
  /** Of its summary calls, and of writing the cache anew behind it. */
  nanoUsd: number;
}

/** Sums and events of a run that causes are read off. */
export type RunCourse = Readonly<Reading> & { readonly isPriced: boolean };

/** The compactions or steps that a cause hits. */
export interface Found {
  /** Compactions that it hit, or steps, of how many. */
  readonly hits: number;
  readonly of: number;
  readonly fromStep: number;
  /** The bill of the hits; `null` where unknown. */
  readonly costUsd: number | null;
}

/** A step whose request no longer began as the cache did. */
export interface Break {
  readonly step: number;
  /** Of a recorded run nobody knows it, unless outputs were cleared. */
  readonly rule: 'prune' | 'window' | 'unknown';
  readonly partId: string | undefined;
  readonly lostTokens: number;
  readonly nanoUsd: number;
}

type Reading = ReturnType<typeof startReading>;

interface Stretch {
  /** Steps since the newest compaction that hold more than where the agent compacts. */
  above: number;
  mediaTokens: number;
  isAfterPivot: boolean;
  summaryNanoUsd: number;
  summaryTokens: number | undefined;
  largest: Growth | undefined;
  limit: { readonly usableTokens?: number; readonly countTokens?: number } | undefined;
}

const NEW_STRETCH: Stretch = {
  above: 0,
  mediaTokens: 0,
  isAfterPivot: true,
  summaryNanoUsd: 0,
  summaryTokens: undefined,
  largest: undefined,
  limit: undefined,
};

/** A policy that counts less of a request leaves something out. */
const COUNTED_SHARE = 0.9;
const RECORDED_LOSS = 0.2;

/** Reads the course of a run. */
export function readCourse(events: Iterable<RunEvent>, sources: CourseSources): RunCourse {
  const { mediaOf = () => 0 } = sources;
  const reading = startReading(sources);
  for (const event of events) {
    switch (event.type) {
      case 'run-start':
        reading.overheadTokens = event.basis.overheadTokens;
        reading.prices = event.prices;
        reading.isRecorded = event.recording !== undefined;
        reading.startTokens = event.basis.overheadTokens;
        break;
      case 'turn-start':
        reading.mediaTokens += mediaOf(event.turn);
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
        if (event.verifies) break;
        reading.summaries += 1;
        if (event.state === 'failed') reading.failures.push(event.reason ?? 'unknown');
        break;
      case 'summary-rejected':
        reading.failures.push(event.reason);
        break;
      case 'prune-end':
        if (event.state === 'fired') reading.changed = { rule: 'prune', partId: event.partIds[0] };
        break;
      case 'eviction':
        if (event.by === 'window') reading.changed = { rule: 'window', partId: undefined };
        break;
      case 'step-end':
        addStep(reading, event);
        reading.mediaTokens += mediaOf(event.messageId);
        break;
      case 'pivot':
        addPivot(reading, event);
        break;
      case 'run-end':
        reading.state = event.state;
        break;
      default:
    }
  }
  return { ...reading, isPriced: reading.prices !== undefined };
}

function startReading(sources: CourseSources) {
  return {
    ...NEW_STRETCH,
    isAfterPivot: false,
    sources,
    compactions: [] as Compaction[],
    failures: [] as string[],
    breaks: [] as Break[],
    inputTokens: 0,
    largestOfAll: undefined as Growth | undefined,
    summaries: 0,
    /** Steps whose cache could be broken by a rule: neither the first nor behind a compaction. */
    warmSteps: 0,
    largestTokens: 0,
    isRecorded: false,
    changed: undefined as Pick<Break, 'rule' | 'partId'> | undefined,
    startTokens: 0,
    steps: 0,
    overheadTokens: 0,
    state: undefined as RunState | undefined,
    prices: undefined as BilledPrices | undefined,
    newestId: '',
    contextTokens: 0,
  };
}

function addStep(reading: Reading, event: RunEvent & { readonly type: 'step-end' }): void {
  addBreak(reading, event);
  const { contextTokens } = event;
  grow(reading, contextTokens);
  reading.inputTokens += contextTokens;
  reading.largestTokens = Math.max(reading.largestTokens, contextTokens);
  if (contextTokens > (reading.sources.usableTokens ?? Infinity)) reading.above += 1;
  const last = reading.compactions.at(-1);
  if (reading.isAfterPivot && last && reading.prices)
    last.nanoUsd += rewriteNanoUsd(event, reading.prices);
  reading.isAfterPivot = false;
  reading.steps += 1;
  reading.newestId = event.messageId;
}

function addPivot(reading: Reading, event: RunEvent & { readonly type: 'pivot' }): void {
  const { auto, contextBeforeTokens: beforeTokens, contextAfterTokens: afterTokens } = event;
  grow(reading, beforeTokens);
  const { steps: step, above, largest, mediaTokens, summaryNanoUsd: nanoUsd } = reading;
  const { summaryTokens = reading.summaryTokens } = event;
  const addedTokens = (beforeTokens ?? reading.contextTokens) - reading.startTokens;
  const limitTokens = limitOf(reading, beforeTokens) ?? reading.sources.usableTokens;
  const sizes = { beforeTokens, afterTokens, limitTokens, summaryTokens };
  const grown = { largest, mediaTokens, addedTokens, above };
  reading.compactions.push({ step, auto, ...sizes, ...grown, nanoUsd });
  const contextTokens = afterTokens ?? 0;
  Object.assign(reading, { ...NEW_STRETCH, contextTokens, startTokens: contextTokens });
}

/** Behind a compaction, and where an entry has run out, no rule is to blame. */
function addBreak(reading: Reading, event: RunEvent & { readonly type: 'step-end' }): void {
  const { changed, isRecorded, isAfterPivot, steps, prices, contextTokens } = reading;
  reading.changed = undefined;
  const isCold = event.isCold || (isRecorded && event.opensTurn);
  if (isAfterPivot || isCold || steps === 0) return;
  reading.warmSteps += 1;
  const { cacheReadTokens: read, cacheWriteTokens: written } = event;
  const shared = Math.min(contextTokens, event.contextTokens);
  const missed = read + written > 0 ? shared - read : 0;
  const isMissed = isRecorded && missed >= RECORDED_LOSS * shared;
  const lostTokens = isMissed ? missed : (event.lostTokens ?? 0);
  if (lostTokens <= 0) return;
  const billed = { ...event, cacheWriteTokens: lostTokens, freshTokens: 0 };
  const nanoUsd = prices ? rewriteNanoUsd(billed, prices) : 0;
  const { rule = 'unknown', partId } = changed ?? {};
  reading.breaks.push({ step: event.step, rule, partId, lostTokens, nanoUsd });
}

/** Content that came since a step is of that step. */
function grow(reading: Reading, contextTokens = reading.contextTokens): void {
  const { newestId: messageId, steps: step, largest } = reading;
  const tokens = contextTokens - reading.contextTokens;
  reading.contextTokens = contextTokens;
  if (messageId !== '' && tokens > (largest?.tokens ?? 0))
    reading.largest = { messageId, step, tokens };
  const { largest: newest, largestOfAll } = reading;
  if ((newest?.tokens ?? 0) > (largestOfAll?.tokens ?? 0)) reading.largestOfAll = newest;
}

/** In true tokens, with what a policy does not count. */
function limitOf({ limit }: Reading, beforeTokens = 0) {
  if (limit?.usableTokens === undefined) return undefined;
  const { usableTokens, countTokens = beforeTokens } = limit;
  const isWhole = countTokens >= COUNTED_SHARE * beforeTokens;
  return isWhole ? usableTokens : usableTokens + beforeTokens - countTokens;
}

function rewriteNanoUsd(
  event: Readonly<Record<'contextTokens' | 'cacheWriteTokens' | 'freshTokens', number>>,
  prices: BilledPrices,
) {
  const { contextTokens, cacheWriteTokens, freshTokens } = event;
  const { inputPicoUsd, cacheReadPicoUsd, cacheWritePicoUsd } = pricesFor<RequestPrices>(
    prices,
    contextTokens,
  );
  const written = cacheWriteTokens * (cacheWritePicoUsd - cacheReadPicoUsd);
  return (written + freshTokens * (inputPicoUsd - cacheReadPicoUsd)) / PICO_PER_NANO;
}
