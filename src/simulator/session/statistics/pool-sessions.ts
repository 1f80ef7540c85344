import { sum } from '../../lib/collections.ts';
import { distribute } from './distribution.ts';
import { outputTokensOf, shareOf } from './pool-calls.ts';
import { CONTENT_KINDS, type ContentKind, type SessionSample } from './sample.ts';
import type { ContentStatistics, SessionStatistics } from './workload.ts';

/** Outputs below which the share of outputs in a session says little. */
const MIN_OUTPUTS = 5;

/** What the content of sessions consists of; `own` is what stands in no other of them. */
export function poolContent(
  samples: readonly SessionSample[],
  own: readonly SessionSample[],
): ContentStatistics {
  const tokensOf = (kind: ContentKind) => sum(own.map((sample) => sample.tokensByKind[kind]));
  const tokensByKind = {
    toolOutput: tokensOf('toolOutput'),
    toolCall: tokensOf('toolCall'),
    reasoning: tokensOf('reasoning'),
    assistant: tokensOf('assistant'),
    user: tokensOf('user'),
    injected: tokensOf('injected'),
    summary: tokensOf('summary'),
    system: tokensOf('system'),
  };
  const long = samples.filter(({ calls }) => outputTokensOf(calls).length >= MIN_OUTPUTS);
  return {
    tokens: sum(Object.values(tokensByKind)),
    tokensByKind,
    toolOutputShare: distribute(long.flatMap((sample) => toolOutputShareOf(sample) ?? [])),
  };
}

/** Whole sessions, those without usage left out of the recorded figures. */
export function poolSessions(samples: readonly SessionSample[]): SessionStatistics {
  const of = (value: (sample: SessionSample) => number | undefined) =>
    distribute(samples.flatMap((sample) => value(sample) ?? []));
  const recorded = samples.map(contextsOf).filter((contexts) => contexts.length > 0);
  return {
    messages: of(({ messages }) => messages),
    turns: of(({ turns }) => turns.length),
    steps: of(({ steps }) => steps.length),
    toolOutputs: of(({ calls }) => outputTokensOf(calls).length),
    contentTokens: of(contentTokensOfSample),
    recordedSteps: distribute(recorded.map((contexts) => contexts.length)),
    recordedMaxContextTokens: of(maxContextTokensOf),
    recordedFirstStepTokens: distribute(recorded.flatMap((contexts) => contexts.slice(0, 1))),
    recordedCacheReadShare: of(cacheReadShareOf),
  };
}

/** Tokens of everything in a session. */
export function contentTokensOfSample({ tokensByKind }: SessionSample): number {
  return sum(CONTENT_KINDS.map((kind) => tokensByKind[kind]));
}

/** Share of tool output in the content of a session; `null` where it has none. */
export function toolOutputShareOf(sample: SessionSample): number | null {
  return shareOf(sample.tokensByKind.toolOutput, contentTokensOfSample(sample));
}

/** Recorded contexts of steps in order. */
export function contextsOf({ steps }: SessionSample): readonly number[] {
  return steps.flatMap(({ contextTokens }) => contextTokens ?? []);
}

/** The largest recorded context; absent where none was recorded. */
export function maxContextTokensOf(sample: SessionSample): number | undefined {
  const contexts = contextsOf(sample);
  return contexts.length === 0 ? undefined : contexts.reduce((a, b) => Math.max(a, b));
}

/** Share of all recorded input that was read from the prompt cache; absent where no read was recorded. */
export function cacheReadShareOf(sample: SessionSample): number | undefined {
  const reads = sample.steps.flatMap(({ cacheReadTokens }) => cacheReadTokens ?? []);
  if (reads.length === 0) return undefined;
  return shareOf(sum(reads), sum(contextsOf(sample))) ?? undefined;
}
