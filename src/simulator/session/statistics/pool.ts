/** Statistics of sessions, as sizes only; a distribution is `null` where nothing was observed. */

import { linearRegression } from 'simple-statistics';
import type { Evidence } from '../../events.ts';
import { groupBy, sum } from '../../lib/collections.ts';
import { distribute } from './distribution.ts';
import { byKind, byTextKind, type EstimatorName, type Weight } from './sample.ts';
import type { CallSample, SessionSample } from './sample-session.ts';

/** Statistics of several sessions. */
export type WorkloadStatistics = ReturnType<typeof poolSamples>;
/** Statistics of the calls of one tool; rates are `null` without outputs. */
export type ToolStatistics = ReturnType<typeof poolTool>;
/** A row of figures of one session; unknown ones are `null`. */
export type SessionFigures = ReturnType<typeof figuresOf>;

/** Characters per token, with the evidence. */
export interface CharactersPerToken {
  readonly evidence: Evidence;
  readonly n: number;
  readonly ratio: number;
  readonly fixedTokens: number | null;
}

/** Shorter outputs, such as acknowledgements, repeat without meaning. */
const MIN_DUPLICATE_CHARACTERS = 200;
const MIN_OUTPUTS = 5;
const MIN_STEPS = 3;

/** Statistics of sessions; content is counted in `own`, which holds of each what no other session does. */
export function poolSamples(
  samples: readonly SessionSample[],
  estimator: EstimatorName,
  own: readonly SessionSample[] = samples,
) {
  const gapsOf = (kind: keyof SessionSample['gaps']) =>
    distribute(own.flatMap(({ gaps }) => gaps[kind]));
  return {
    sessions: samples.length,
    content: poolContent(samples, own),
    toolOutputTokens: distribute(own.flatMap(({ calls }) => outputTokensOf(calls))),
    tools: poolTools(own),
    transitions: poolTransitions(own),
    perTurn: poolTurns(own),
    perSession: poolSessions(samples),
    perStep: poolSteps(own),
    textTokens: byTextKind((kind) => distribute(own.flatMap(({ textTokens }) => textTokens[kind]))),
    /** Recordings have no times of tool results. */
    gapsSeconds: {
      beforeUser: gapsOf('beforeUser'),
      model: gapsOf('model'),
      toolsAndModel: gapsOf('toolsAndModel'),
    },
    reuse: {
      rereadTokens: distribute(own.flatMap(({ reuse }) => reuse.rereads)),
      changeTokens: distribute(own.flatMap(({ reuse }) => reuse.changes)),
      rereadShare: distribute(samples.flatMap((sample) => rereadShareOf(sample) ?? [])),
      duplicateShare: distribute(samples.flatMap((sample) => duplicateShareOf(sample) ?? [])),
    },
    compactions: poolCompactions(samples, own),
    charactersPerToken: poolCharacters(own, estimator),
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
export function poolSessions(samples: readonly SessionSample[]) {
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
  return sum(Object.values(tokensByKind));
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
export function poolTools(samples: readonly SessionSample[]) {
  const calls = samples.flatMap((sample) => sample.calls);
  const byTool = [...groupBy(calls, ({ tool }) => tool)];
  const mostFirst = byTool.toSorted(([, a], [, b]) => b.length - a.length);
  return Object.fromEntries(mostFirst.map(([tool, own]) => [tool, poolTool(own, calls)]));
}

/** Tokens of each output. */
export function outputTokensOf(calls: readonly CallSample[]): readonly number[] {
  return calls.flatMap(({ output }) => output?.tokens ?? []);
}

/** The figures of a session. */
export function figuresOf(sample: SessionSample) {
  const { name, format, labels, isSide, messages, turns, steps, calls, compactions } = sample;
  return {
    session: name,
    format,
    ...(labels && { labels }),
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

function poolContent(samples: readonly SessionSample[], own: readonly SessionSample[]) {
  const tokensByKind = byKind((kind) => sum(own.map((sample) => sample.tokensByKind[kind])));
  const long = samples.filter(({ calls }) => outputTokensOf(calls).length >= MIN_OUTPUTS);
  return {
    tokens: sum(Object.values(tokensByKind)),
    tokensByKind,
    toolOutputShare: distribute(long.flatMap((sample) => toolOutputShareOf(sample) ?? [])),
  };
}

function toolOutputShareOf(sample: SessionSample): number | null {
  return shareOf(sample.tokensByKind.toolOutput, contentTokensOfSample(sample));
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function poolTool(calls: readonly CallSample[], all: readonly CallSample[]) {
  const outputs = calls.filter(({ output }) => output !== undefined);
  const tokens = outputTokensOf(outputs);
  const rateOf = (isCounted: (call: CallSample) => boolean) =>
    shareOf(outputs.filter(isCounted).length, outputs.length);
  return {
    calls: calls.length,
    outputs: outputs.length,
    callShare: shareOf(calls.length, all.length) ?? 0,
    outputShare: shareOf(sum(tokens), sum(outputTokensOf(all))) ?? 0,
    errorRate: rateOf(({ isError }) => isError),
    duplicateRate: rateOf(({ isDuplicate }) => isDuplicate),
    outputTokens: distribute(tokens),
    argumentTokens: distribute(calls.map(({ input }) => input.tokens)),
  };
}

function poolTransitions(samples: readonly SessionSample[]) {
  const pairs = samples.flatMap(({ calls }) =>
    calls.slice(1).map(({ tool: to }, index) => ({ from: calls[index]?.tool ?? '', to })),
  );
  const counted = [...groupBy(pairs, ({ from, to }) => JSON.stringify([from, to])).values()];
  return counted
    .flatMap((group) => group.slice(0, 1).map((pair) => ({ ...pair, count: group.length })))
    .toSorted((a, b) => b.count - a.count);
}

function poolTurns(samples: readonly SessionSample[]) {
  const of = (figure: keyof SessionSample['turns'][number]) =>
    distribute(samples.flatMap(({ turns }) => turns.map((turn) => turn[figure])));
  return {
    contentTokens: of('contentTokens'),
    toolOutputTokens: of('toolOutputTokens'),
    toolCalls: of('toolCalls'),
    steps: of('steps'),
  };
}

function poolSteps(samples: readonly SessionSample[]) {
  const steps = samples.flatMap((sample) => sample.steps);
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

function poolCompactions(samples: readonly SessionSample[], own: readonly SessionSample[]) {
  const all = own.flatMap(({ compactions }) => compactions);
  const full = all.filter(({ kind }) => kind === 'full');
  const micro = all.filter(({ kind }) => kind === 'micro');
  const of = (value: (one: (typeof all)[number]) => number | undefined, some = full) =>
    distribute(some.flatMap((one) => value(one) ?? []));
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
    recordedTokensCleared: of(
      ({ tokensBefore, tokensAfter }) =>
        tokensBefore === undefined || tokensAfter === undefined
          ? undefined
          : tokensBefore - tokensAfter,
      micro,
    ),
  };
}

/** `null` without recorded growth and without a tokenizer. */
function poolCharacters(samples: readonly SessionSample[], estimator: EstimatorName) {
  const growth = samples.flatMap((sample) => sample.growth);
  const calls = estimator === 'chars4' ? [] : samples.flatMap((sample) => sample.calls);
  return { all: measure(growth) ?? estimate(calls.flatMap(({ output }) => output ?? [])) };
}

/** Fits a line through tokens over characters; `null` if it does not rise. */
function measure(growth: readonly SessionSample['growth'][number][]): CharactersPerToken | null {
  if (growth.length < MIN_STEPS) return null;
  const { m, b } = linearRegression(growth.map(({ characters, tokens }) => [characters, tokens]));
  if (!(m > 0)) return null;
  return { evidence: 'measured', n: growth.length, ratio: 1 / m, fixedTokens: b };
}

function estimate(weights: readonly Weight[]): CharactersPerToken | null {
  const characters = sum(weights.map((weight) => weight.characters));
  const tokens = sum(weights.map((weight) => weight.tokens));
  if (tokens === 0) return null;
  const { length: n } = weights;
  return { evidence: 'estimated', n, ratio: characters / tokens, fixedTokens: null };
}
