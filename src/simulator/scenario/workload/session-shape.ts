import { known, sum } from '../../lib/collections.ts';
import { contextsOf, countFullCompactions, rereadShareOf } from '../../session/statistics/pool.ts';
import type { ContentKind } from '../../session/statistics/sample.ts';
import type { SessionSample } from '../../session/statistics/sample-session.ts';
import type { SessionShape } from './workload.ts';

/** Injected content is not drawn. */
const WRITTEN_KINDS: readonly ContentKind[] = [
  'toolOutput',
  'toolCall',
  'reasoning',
  'assistant',
  'user',
];

/** Contexts of full sessions in tokens: what is usable of windows from 80k to 200k. */
export const HIT_THRESHOLDS = [60_000, 80_000, 120_000, 160_000] as const;
const SUMMARY_TOKENS = 4_000;

/** The shapes of recorded sessions with steps; families are told by the names of sessions. */
export function toSessionShapes(
  samples: readonly SessionSample[],
  families: ReadonlyMap<string, string> = new Map(),
): readonly SessionShape[] {
  const shapes = samples
    .filter(({ steps }) => steps.length > 0)
    .map((sample) => toSessionShape(sample, families.get(sample.name)));
  return shapes.toSorted((a, b) => (a.contentTokens ?? 0) - (b.contentTokens ?? 0));
}

/** Hits of each threshold if each left the first request and a summary; absent without usage. */
export function countThresholdHits(sample: SessionSample): readonly number[] | undefined {
  const [first] = contextsOf(sample);
  if (first === undefined) return undefined;
  const growth = sample.steps.map(({ growthTokens }) => withoutShrinking(growthTokens ?? 0));
  return HIT_THRESHOLDS.map((threshold) => {
    let [context, hits] = [first, 0];
    for (const tokens of growth) {
      context += tokens;
      if (context < threshold) continue;
      hits += 1;
      context = Math.min(context, first + SUMMARY_TOKENS);
    }
    return hits;
  });
}

function toSessionShape(sample: SessionSample, family: string | undefined) {
  const { turns, steps, tokensByKind, calls } = sample;
  const [firstStepTokens] = contextsOf(sample);
  const growth = steps.flatMap(({ growthTokens }) => growthTokens ?? []).map(withoutShrinking);
  const rereadShare = rereadShareOf(sample) ?? undefined;
  return {
    ...known({ family }),
    callsOfTurns: turns.length > 0 ? turns.map(({ toolCalls }) => toolCalls) : [calls.length],
    steps: steps.length,
    contentTokens: sum(WRITTEN_KINDS.map((kind) => tokensByKind[kind])),
    ...known({ firstStepTokens }),
    ...(growth.length > 0 && { stepGrowthTokens: sum(growth) / growth.length }),
    ...known({ rereadShare }),
    compactions: countFullCompactions(sample),
    ...known({ thresholdHits: countThresholdHits(sample) }),
  };
}

/** Growth of a context, 0 for shrinking: another policy would not have shrunk it. */
function withoutShrinking(growthTokens: number) {
  return Math.max(0, growthTokens);
}
