import { sum } from '../../lib/collections.ts';
import type { TokenPrices } from '../../provider/prices.ts';
import type { PublishedShare } from '../../scenario/workload/workload.ts';
import { countFullCompactions } from '../../session/statistics/pool.ts';
import type { SessionSample } from '../../session/statistics/sample.ts';
import { appendedTokensOf, cachedOf } from './numbers.ts';
import { compactionTriggers, type Trigger, triggeredSteps } from './steps-by-trigger.ts';

/** A part, and what it is a part of, in one session. */
export interface PartOf {
  readonly part: number;
  readonly whole: number;
}

/** What a share is worked out from. */
export interface Priced {
  readonly sample: SessionSample;
  /** Of the model of the workload; absent where the catalog has none. */
  readonly prices: TokenPrices | undefined;
}

const FIVE_MINUTES = 300;
const HOUR = 3_600;

/** What each published share is a share of, as one session has it. */
export const partsOf: Readonly<Record<PublishedShare, (priced: Priced) => PartOf>> = {
  compactingSessions: ({ sample }) => ({
    part: Math.min(1, countFullCompactions(sample)),
    whole: 1,
  }),
  compactionsAmongTools: ({ sample }) =>
    counted(compactionTriggers(sample), (trigger) => trigger === 'tools'),
  shrinkingSteps: ({ sample }) => shrinkingOf(sample),
  cacheRead: ({ sample }) => toPart(cachedOf(sample.steps)),
  cacheReadBehindUser: ({ sample }) => cachedBehind(sample, 'user'),
  cacheReadBehindTools: ({ sample }) => cachedBehind(sample, 'tools'),
  waitsUpToFiveMinutes: ({ sample }) =>
    counted(sample.gaps.beforeUser, (seconds) => seconds <= FIVE_MINUTES),
  waitsUpToAnHour: ({ sample }) => counted(sample.gaps.beforeUser, (seconds) => seconds <= HOUR),
  spentOnPrefix: (priced) => spentOn('prefix', priced),
  spentOnAppended: (priced) => spentOn('appended', priced),
  spentOnOutput: (priced) => spentOn('output', priced),
};

function counted<Thing>(things: readonly Thing[], isPart: (thing: Thing) => boolean): PartOf {
  return { part: things.filter(isPart).length, whole: things.length };
}

/** A compaction makes the context shrink as well. */
function shrinkingOf(sample: SessionSample): PartOf {
  const shrinking = sample.steps.filter(({ growthTokens = 0 }) => growthTokens < 0).length;
  return { part: shrinking + countFullCompactions(sample), whole: sample.steps.length };
}

function cachedBehind(sample: SessionSample, wanted: Trigger): PartOf {
  return toPart(cachedOf(triggeredSteps(sample).filter(({ trigger }) => trigger === wanted)));
}

function toPart({ read, context }: ReturnType<typeof cachedOf>): PartOf {
  return { part: read, whole: context };
}

function spentOn(what: 'prefix' | 'appended' | 'output', { sample, prices }: Priced): PartOf {
  if (prices === undefined) return { part: 0, whole: 0 };
  const { inputPicoUsd, outputPicoUsd } = prices;
  const { cacheReadPicoUsd = inputPicoUsd, cacheWritePicoUsd = inputPicoUsd } = prices;
  const spent = {
    prefix: cachedOf(sample.steps).read * cacheReadPicoUsd,
    appended: sum(sample.steps.map((step) => appendedTokensOf(step) ?? 0)) * cacheWritePicoUsd,
    output: sum(sample.steps.map(({ outputTokens = 0 }) => outputTokens)) * outputPicoUsd,
  };
  return { part: spent[what], whole: sum(Object.values(spent)) };
}
