import { sum } from '../../sum.ts';
import { contextsOf } from '../../session/statistics/pool-sessions.ts';
import { countFullCompactions, rereadShareOf } from '../../session/statistics/pool.ts';
import type { ContentKind, SessionSample } from '../../session/statistics/sample.ts';
import { countThresholdHits, withoutShrinking } from './threshold-hits.ts';

/**
 * What belongs together in one session and is drawn together: how long it is, how fast it grows and where it starts
 * depend on each other. What is absent was not recorded; it comes as it happens to.
 */
export interface SessionShape {
  /** What the sessions that share its beginning have in common; absent where it stands alone. */
  readonly family?: string;
  /** Calls of each turn. */
  readonly callsOfTurns: readonly number[];
  readonly steps: number;
  /** Tokens of its prompts, texts, calls and outputs. */
  readonly contentTokens?: number;
  /** Of its first step, as the provider counted them. */
  readonly firstStepTokens?: number;
  /** By how much a step made the context grow on average, compactions and whatever made it shrink left out. */
  readonly stepGrowthTokens?: number;
  /** Share of its reads that are of files that were read before. */
  readonly rereadShare?: number;
  /** The context at which its agent compacts. */
  readonly compactAtTokens?: number;
  /** Share of steps at which the context is smaller than before although nobody compacted. */
  readonly shrinkingShare?: number;
  /** Those of the recording agent that replaced its history. */
  readonly compactions?: number;
  /** How often it would hit each of the thresholds that reports tell of. */
  readonly thresholdHits?: readonly number[];
}

/** What a generator writes itself; what programs put in comes without being asked for. */
const WRITTEN_KINDS: readonly ContentKind[] = [
  'toolOutput',
  'toolCall',
  'reasoning',
  'assistant',
  'user',
];

/** The shapes of recorded sessions, those without a step left out; families are told by the names of sessions. */
export function toSessionShapes(
  samples: readonly SessionSample[],
  families: ReadonlyMap<string, string> = new Map(),
): readonly SessionShape[] {
  const shapes = samples
    .filter(({ steps }) => steps.length > 0)
    .map((sample) => toSessionShape(sample, families.get(sample.name)));
  return shapes.toSorted((a, b) => (a.contentTokens ?? 0) - (b.contentTokens ?? 0));
}

function toSessionShape(sample: SessionSample, family: string | undefined): SessionShape {
  const { turns, steps, tokensByKind, calls } = sample;
  const [firstStepTokens] = contextsOf(sample);
  const growth = steps.flatMap(({ growthTokens }) => growthTokens ?? []).map(withoutShrinking);
  const thresholdHits = countThresholdHits(sample);
  const rereadShare = rereadShareOf(sample);
  return {
    ...(family !== undefined && { family }),
    callsOfTurns: turns.length > 0 ? turns.map(({ toolCalls }) => toolCalls) : [calls.length],
    steps: steps.length,
    contentTokens: sum(WRITTEN_KINDS.map((kind) => tokensByKind[kind])),
    ...(firstStepTokens !== undefined && { firstStepTokens }),
    ...(growth.length > 0 && { stepGrowthTokens: sum(growth) / growth.length }),
    ...(rereadShare !== null && { rereadShare }),
    compactions: countFullCompactions(sample),
    ...(thresholdHits !== undefined && { thresholdHits }),
  };
}
