import { groupBy, sum } from '../../lib/collections.ts';
import { charactersPerToken } from './characters-per-token.ts';
import { distribute, type Distribution } from './distribution.ts';
import type { EstimatorName } from './estimator.ts';
import { outputTokensOf, poolTools, poolTransitions, shareOf } from './pool-calls.ts';
import { poolContent, poolSessions } from './pool-sessions.ts';
import {
  byTextKind,
  type CompactionSample,
  type GapSample,
  type SessionSample,
  type StepSample,
  type TextKind,
  type TurnSample,
} from './sample.ts';
import type {
  CompactionStatistics,
  GapStatistics,
  ReuseStatistics,
  StepStatistics,
  TurnStatistics,
  WorkloadStatistics,
} from './workload.ts';

/** Outputs below this, as acknowledgements, repeat without being worth a thought. */
const MIN_DUPLICATE_CHARACTERS = 200;

/**
 * What some sessions are like together. `own` is what stands in no other of them, of each in the same order: what lies within
 * sessions is counted there, and the sessions themselves whole.
 */
export function poolSamples(
  samples: readonly SessionSample[],
  estimator: EstimatorName,
  own: readonly SessionSample[] = samples,
): WorkloadStatistics {
  return {
    sessions: samples.length,
    content: poolContent(samples, own),
    toolOutputTokens: distribute(own.flatMap(({ calls }) => outputTokensOf(calls))),
    tools: poolTools(own),
    transitions: poolTransitions(own),
    perTurn: poolTurns(own.flatMap(({ turns }) => turns)),
    perSession: poolSessions(samples),
    perStep: poolSteps(own.flatMap(({ steps }) => steps)),
    textTokens: poolTexts(own),
    gapsSeconds: poolGaps(own),
    reuse: poolReuse(samples, own),
    compactions: poolCompactions(samples, own),
    charactersPerToken: charactersPerToken(own, estimator),
  };
}

/** Share of the reads of a session that read a file again; `null` where it reads none. */
export function rereadShareOf({ reuse }: SessionSample): number | null {
  return shareOf(reuse.repeatedReads, reuse.reads);
}

/** Share of the output tokens of a session that repeat an earlier output; `null` where it has none. */
export function duplicateShareOf({ calls }: SessionSample): number | null {
  const repeated = calls.filter(
    ({ isDuplicate, output }) =>
      isDuplicate && (output?.characters ?? 0) >= MIN_DUPLICATE_CHARACTERS,
  );
  return shareOf(sum(outputTokensOf(repeated)), sum(outputTokensOf(calls)));
}

/** Compactions of a session that put a summary in the place of its history. */
export function countFullCompactions({ compactions }: SessionSample): number {
  return compactions.filter(({ kind }) => kind === 'full').length;
}

function poolTurns(turns: readonly TurnSample[]): TurnStatistics {
  const of = (value: (turn: TurnSample) => number) => distribute(turns.map(value));
  return {
    contentTokens: of(({ contentTokens }) => contentTokens),
    toolOutputTokens: of(({ toolOutputTokens }) => toolOutputTokens),
    toolCalls: of(({ toolCalls }) => toolCalls),
    steps: of(({ steps }) => steps),
  };
}

function poolSteps(steps: readonly StepSample[]): StepStatistics {
  const calls = steps.map(({ toolCalls }) => toolCalls).filter((count) => count > 0);
  const growth = steps.flatMap(({ growthTokens }) => growthTokens ?? []);
  const byCalls = [...groupBy(calls, (count) => count)].toSorted(([a], [b]) => a - b);
  return {
    parallelCalls: distribute(calls),
    stepsByCalls: Object.fromEntries(byCalls.map(([count, same]) => [count, same.length])),
    recordedGrowthTokens: distribute(growth.filter((tokens) => tokens > 0)),
    shrankShare: shareOf(growth.filter((tokens) => tokens < 0).length, growth.length),
    recordedOutputTokens: distribute(steps.flatMap(({ outputTokens }) => outputTokens ?? [])),
  };
}

function poolTexts(
  samples: readonly SessionSample[],
): Readonly<Record<TextKind, Distribution | null>> {
  return byTextKind((kind) => distribute(samples.flatMap(({ textTokens }) => textTokens[kind])));
}

function poolGaps(samples: readonly SessionSample[]): GapStatistics {
  const of = (kind: keyof GapSample) => distribute(samples.flatMap(({ gaps }) => gaps[kind]));
  return { beforeUser: of('beforeUser'), model: of('model'), toolsAndModel: of('toolsAndModel') };
}

function poolReuse(
  samples: readonly SessionSample[],
  own: readonly SessionSample[],
): ReuseStatistics {
  return {
    rereadTokens: distribute(own.flatMap(({ reuse }) => reuse.rereads)),
    changeTokens: distribute(own.flatMap(({ reuse }) => reuse.changes)),
    rereadShare: distribute(samples.flatMap((sample) => rereadShareOf(sample) ?? [])),
    duplicateShare: distribute(samples.flatMap((sample) => duplicateShareOf(sample) ?? [])),
  };
}

function poolCompactions(
  samples: readonly SessionSample[],
  own: readonly SessionSample[],
): CompactionStatistics {
  const all = own.flatMap(({ compactions }) => compactions);
  const full = all.filter(({ kind }) => kind === 'full');
  const micro = all.filter(({ kind }) => kind === 'micro');
  const of = (value: (compaction: CompactionSample) => number | undefined) =>
    distribute(full.flatMap((compaction) => value(compaction) ?? []));
  return {
    sessionsWithOne: samples.filter(({ compactions }) => compactions.length > 0).length,
    full: full.length,
    micro: micro.length,
    automatic: all.filter(({ trigger }) => trigger === 'auto').length,
    perSession: distribute(samples.map(countFullCompactions)),
    recordedTokensBefore: of(({ tokensBefore }) => tokensBefore),
    recordedTokensAfter: of(({ tokensAfter }) => tokensAfter),
    summaryTokens: of(({ summaryTokens }) => summaryTokens),
    stepsBefore: of(({ stepsBefore }) => stepsBefore),
    toolOutputsBefore: of(({ toolOutputsBefore }) => toolOutputsBefore),
    recordedTokensCleared: distribute(micro.flatMap(clearedTokensOf)),
  };
}

function clearedTokensOf({ tokensBefore, tokensAfter }: CompactionSample): readonly number[] {
  if (tokensBefore === undefined || tokensAfter === undefined) return [];
  return [tokensBefore - tokensAfter];
}
