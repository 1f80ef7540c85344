import { linearRegression } from 'simple-statistics';
import { groupBy, sum } from '../../lib/collections.ts';
import {
  byTextKind,
  type CallSample,
  type CompactionSample,
  CONTENT_KINDS,
  type ContentKind,
  type EstimatorName,
  type GapSample,
  type GrowthSample,
  type SessionSample,
  type StepSample,
  type TextKind,
  type TurnSample,
  type Weight,
} from './sample.ts';
import {
  type CharactersPerToken,
  distribute,
  type Distribution,
  type ToolStatistics,
  type WorkloadStatistics,
} from './workload.ts';

interface Output extends Weight {
  readonly tool: string;
}

/** A row of figures of one session; unknown ones are `null`. */
export interface SessionFigures {
  readonly session: string;
  readonly format: string;
  readonly isSide: boolean;
  readonly messages: number;
  readonly turns: number;
  readonly steps: number;
  readonly toolOutputs: number;
  readonly contentTokens: number;
  readonly toolOutputShare: number | null;
  /** Steps with recorded usage. */
  readonly recordedSteps: number;
  readonly recordedMaxContextTokens: number | null;
  readonly compactions: number;
}

/** Shorter outputs, such as acknowledgements, repeat without meaning. */
const MIN_DUPLICATE_CHARACTERS = 200;

/** Below this, the share of outputs in a session says little. */
const MIN_OUTPUTS = 5;

/** Below this, a line through the steps says little. */
const MIN_STEPS = 3;

/**
 * Statistics of several sessions. `own`, in the same order, is the content that no other session holds: content is counted there,
 * whole sessions in `samples`.
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

/** Counts compactions that replaced history by a summary. */
export function countFullCompactions({ compactions }: SessionSample): number {
  return compactions.filter(({ kind }) => kind === 'full').length;
}

/** Statistics of whole sessions; sessions without usage are left out of the recorded figures. */
export function poolSessions(samples: readonly SessionSample[]): WorkloadStatistics['perSession'] {
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

/** Calls by tool, the most called first. */
export function poolTools(
  samples: readonly SessionSample[],
): Readonly<Record<string, ToolStatistics>> {
  const calls = samples.flatMap((sample) => sample.calls);
  const totals = { calls: calls.length, outputTokens: sum(outputTokensOf(calls)) };
  const byTool = [...groupBy(calls, ({ tool }) => tool)];
  const mostFirst = byTool.toSorted(([, a], [, b]) => b.length - a.length);
  return Object.fromEntries(mostFirst.map(([tool, own]) => [tool, poolTool(own, totals)]));
}

/** Tokens of each output. */
export function outputTokensOf(calls: readonly CallSample[]): readonly number[] {
  return calls.flatMap(({ output }) => output?.tokens ?? []);
}

/** The figures of a session. */
export function figuresOf(sample: SessionSample): SessionFigures {
  const { name, format, isSide, messages, turns, steps, calls, compactions } = sample;
  return {
    session: name,
    format,
    isSide,
    messages,
    turns: turns.length,
    steps: steps.length,
    toolOutputs: outputTokensOf(calls).length,
    contentTokens: contentTokensOfSample(sample),
    toolOutputShare: toolOutputShareOf(sample),
    recordedSteps: contextsOf(sample).length,
    recordedMaxContextTokens: maxContextTokensOf(sample) ?? null,
    compactions: compactions.length,
  };
}

/** The composition of content; `own` is the content that no other session holds. */
function poolContent(
  samples: readonly SessionSample[],
  own: readonly SessionSample[],
): WorkloadStatistics['content'] {
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

/** Share of tool output in the content of a session; `null` where it has none. */
function toolOutputShareOf(sample: SessionSample): number | null {
  return shareOf(sample.tokensByKind.toolOutput, contentTokensOfSample(sample));
}

/** A ratio; `null` if the whole is zero. */
function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Frequencies of pairs of consecutive tools, most frequent first. */
function poolTransitions(samples: readonly SessionSample[]): WorkloadStatistics['transitions'] {
  const pairs = samples.flatMap(({ calls }) =>
    calls.slice(1).map(({ tool: to }, index) => ({ from: calls[index]?.tool ?? '', to })),
  );
  const counted = [...groupBy(pairs, ({ from, to }) => JSON.stringify([from, to])).values()];
  return counted
    .flatMap((group) => group.slice(0, 1).map((pair) => ({ ...pair, count: group.length })))
    .toSorted((a, b) => b.count - a.count);
}

function poolTurns(turns: readonly TurnSample[]): WorkloadStatistics['perTurn'] {
  const of = (value: (turn: TurnSample) => number) => distribute(turns.map(value));
  return {
    contentTokens: of(({ contentTokens }) => contentTokens),
    toolOutputTokens: of(({ toolOutputTokens }) => toolOutputTokens),
    toolCalls: of(({ toolCalls }) => toolCalls),
    steps: of(({ steps }) => steps),
  };
}

function poolSteps(steps: readonly StepSample[]): WorkloadStatistics['perStep'] {
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

function poolGaps(samples: readonly SessionSample[]): WorkloadStatistics['gapsSeconds'] {
  const of = (kind: keyof GapSample) => distribute(samples.flatMap(({ gaps }) => gaps[kind]));
  return { beforeUser: of('beforeUser'), model: of('model'), toolsAndModel: of('toolsAndModel') };
}

function poolReuse(
  samples: readonly SessionSample[],
  own: readonly SessionSample[],
): WorkloadStatistics['reuse'] {
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
): WorkloadStatistics['compactions'] {
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

/** Characters per token, measured on recorded growth where there is enough, else estimated by the tokenizer. */
function charactersPerToken(
  samples: readonly SessionSample[],
  estimator: EstimatorName,
): WorkloadStatistics['charactersPerToken'] {
  const growth = samples.flatMap((sample) => sample.growth);
  const outputs = estimator === 'chars4' ? [] : samples.flatMap(outputsOf);
  return {
    all: measure(growth) ?? estimate(outputs),
    byTool: Object.fromEntries(
      byKey(
        groupBy(growth, ({ tool }) => tool),
        groupBy(outputs, ({ tool }) => tool),
      ),
    ),
    byScript: Object.fromEntries(
      byKey(
        groupBy(growth, ({ script }) => script),
        groupBy(outputs, ({ script }) => script),
      ),
    ),
  };
}

function outputsOf({ calls }: SessionSample): readonly Output[] {
  return calls.flatMap(({ tool, output }) => (output === undefined ? [] : [{ tool, ...output }]));
}

/** Fits a line through tokens over characters; `null` if it does not rise. */
function measure(growth: readonly GrowthSample[]): CharactersPerToken | null {
  if (growth.length < MIN_STEPS) return null;
  const { m, b } = linearRegression(growth.map(({ characters, tokens }) => [characters, tokens]));
  if (!(m > 0)) return null;
  return { evidence: 'measured', n: growth.length, ratio: 1 / m, fixedTokens: b };
}

function estimate(weights: readonly Weight[]): CharactersPerToken | null {
  const characters = weights.reduce((sum, weight) => sum + weight.characters, 0);
  const tokens = weights.reduce((sum, weight) => sum + weight.tokens, 0);
  if (tokens === 0) return null;
  return {
    evidence: 'estimated',
    n: weights.length,
    ratio: characters / tokens,
    fixedTokens: null,
  };
}

function byKey<Key extends string>(
  growth: ReadonlyMap<Key, readonly GrowthSample[]>,
  outputs: ReadonlyMap<Key, readonly Weight[]>,
): readonly (readonly [Key, CharactersPerToken])[] {
  const keys = [...new Set([...growth.keys(), ...outputs.keys()])];
  return keys.flatMap((key) => {
    const found = measure(growth.get(key) ?? []) ?? estimate(outputs.get(key) ?? []);
    return found === null ? [] : [[key, found] as const];
  });
}

function poolTool(
  calls: readonly CallSample[],
  totals: { readonly calls: number; readonly outputTokens: number },
): ToolStatistics {
  const outputs = calls.filter(({ output }) => output !== undefined);
  const tokens = outputTokensOf(outputs);
  const rateOf = (isCounted: (call: CallSample) => boolean) =>
    shareOf(outputs.filter(isCounted).length, outputs.length);
  return {
    calls: calls.length,
    outputs: outputs.length,
    callShare: shareOf(calls.length, totals.calls) ?? 0,
    outputShare: shareOf(sum(tokens), totals.outputTokens) ?? 0,
    errorRate: rateOf(({ isError }) => isError),
    duplicateRate: rateOf(({ isDuplicate }) => isDuplicate),
    outputTokens: distribute(tokens),
    argumentTokens: distribute(calls.map(({ input }) => input.tokens)),
  };
}
