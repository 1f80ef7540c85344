import {
  type Message,
  type Move,
  type Policy,
  resolvePolicy,
  viewOf,
} from '../../../engine/index.ts';
import { createRandom } from '../../env.ts';
import { findSummarizer } from '../../summarizer/summarizers.ts';
import { exactMean } from './estimate.ts';
import type { Reader } from '../../metrics/probes/probe.ts';
import type { FactState } from '../../metrics/quality/fact-states.ts';
import { settleUnknown } from '../../metrics/quality/settle-unknown.ts';
import { lossesOf } from '../../metrics/quality/quality-metrics.ts';
import {
  type FactScore,
  type QualityScore,
  scoreText,
  withStates,
} from '../../metrics/quality/score-text.ts';
import { scoreStrings, stringsAfter } from '../../metrics/quality/used-strings.ts';
import { viewText } from '../../metrics/quality/view-text.ts';
import { countEach, groupBy } from '../../lib/collections.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { type AsyncRunOptions, runTrace, runTraceAsync } from '../../replay/run-trace.ts';
import type {
  MissingPivot,
  PivotScore,
  StateCounts,
  SurvivalCount,
} from '../../report/arm-metrics.ts';
import { countOf } from '../../report/numbers.ts';
import type { Fault } from '../../scenario/scenario.ts';
import { refusesRequest } from '../live.ts';
import {
  lastStep,
  type SummaryArm,
  type SummaryCall,
  type SummaryScenario,
  watchSummarizer,
} from './inputs.ts';

/** Against what sessions are replayed until they have been compacted. */
export interface TrialContext {
  readonly policy: Policy;
  readonly model: ModelProfile;
  readonly seed: number;
  /** How often each session is compacted. */
  readonly pivots: number;
  /** Where in the session somebody compacts, as shares of its steps; absent where the policy itself decides. */
  readonly compactAt?: readonly number[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One trial of several. */
interface TrialOptions extends TrialContext {
  /** Which repetition it is, from 1. */
  readonly repeat: number;
  /** Decides what rules leave in doubt. */
  readonly judge?: Reader | undefined;
}

/** The result of a trial. */
export interface TrialResult {
  readonly pivots: readonly PivotScore[];
  readonly survival: readonly SurvivalCount[];
  readonly missing?: MissingPivot | undefined;
  /** The model that answered, as its provider named it. */
  readonly model?: string | undefined;
  /** The view after each pivot. */
  readonly outcomes: readonly PivotOutcome[];
  /** True if chance had a part in it; otherwise all repetitions are equal. */
  readonly isRandom: boolean;
}

/** A pivot's fate, and its requests. */
interface Watched {
  readonly outcome: PivotOutcome;
  readonly calls: readonly SummaryCall[];
}

/** A pivot with its score, and that of its summary in full. */
interface ScoredPivot {
  readonly pivot: PivotScore;
  readonly score: QualityScore;
}

/** The material by which a pivot is scored. */
interface PivotInput extends Pick<TrialOptions, 'judge'> {
  readonly calls: readonly SummaryCall[];
  readonly seed: number;
}

interface DoubtfulText {
  readonly summaryText: string;
  readonly judge: Reader;
}

/** How random lines are drawn. */
interface RandomLinesOptions {
  readonly countTokens: (text: string) => number;
  readonly maxTokens: number;
  readonly seed: number;
}

/** The result of an attempt to compact. */
type PivotOutcome =
  | {
      readonly state: 'compacted';
      readonly view: readonly Message[];
      readonly history: readonly Message[];
    }
  | { readonly state: 'failed'; readonly reason: string };

/** Draws of random lines for each summary. */
const DRAWS = 5;
const RANDOM_LINES = findSummarizer('random');
const CUT = 'length';

/** Replays a session until it has been compacted as often as wanted, or that has failed. */
export async function runTrial(
  scenario: SummaryScenario,
  arm: SummaryArm,
  { repeat, judge, ...context }: TrialOptions,
): Promise<TrialResult> {
  const calls: SummaryCall[] = [];
  const outcomes: Watched[] = [];
  const options: AsyncRunOptions = {
    ...settingOf(scenario, arm, context),
    summarizer: watchSummarizer(arm, (call) => calls.push(call)),
    seed: context.seed + repeat - 1,
    signal: context.signal,
    repeat,
    onTransition: (move: Move) => {
      const outcome = pivotOutcomeOf(move);
      if (outcome !== undefined) outcomes.push({ outcome, calls: calls.splice(0) });
    },
  };
  const isOver = () =>
    outcomes.length >= context.pivots || outcomes.some(({ outcome }) => outcome.state === 'failed');
  const chance = watchChance(options);
  await replay(scenario, chance.options, isOver);
  const scored: ScoredPivot[] = [];
  for (const { outcome, calls: own } of outcomes) {
    if (outcome.state !== 'compacted') continue;
    const pivot = { calls: own, seed: options.seed, judge };
    scored.push(await scorePivot(scenario, outcome, pivot));
  }
  return {
    pivots: scored.map(({ pivot }) => pivot),
    survival: lossesOf(scored.map(({ score }) => score)),
    missing: missingOf(outcomes, context.pivots),
    model: outcomes.flatMap(({ calls: own }) => own.flatMap(modelOf)).at(0),
    outcomes: outcomes.map(({ outcome }) => outcome),
    isRandom: chance.isRandom(),
  };
}

/** Where somebody else decides, neither policy nor model know a limit, so that all arms are compacted at the same steps. */
function settingOf(
  { steps }: SummaryScenario,
  { summaryModel }: SummaryArm,
  { policy, model, compactAt }: TrialContext,
) {
  if (compactAt === undefined) return { policy, model, summaryModel };
  const faults: Fault[] = compactAt.map((share) => ({
    on: 'compact',
    step: Math.max(2, Math.ceil(share * steps)),
  }));
  const limits = { contextTokens: 0 };
  return {
    policy: resolvePolicy(policy, { trigger: { auto: false } }),
    model: { ...model, limits, trueLimits: limits },
    summaryModel,
    faults,
  };
}

/** The attempt that a move of the engine ended; absent where it ended none. */
function pivotOutcomeOf({ before, input, next }: Move): PivotOutcome | undefined {
  for (const event of next.events) {
    if (event.type === 'summary-failed') return failed(event.error.message ?? event.error.name);
    if (event.type === 'summary-rejected') return failed(event.reason);
    if (event.type !== 'compacted') continue;
    return { state: 'compacted', view: viewOf(next.state), history: next.state.history };
  }
  const isAborted = input.type === 'aborted' && before.phase.state === 'summarising';
  return isAborted ? failed('aborted') : undefined;
}

function failed(reason: string): PivotOutcome {
  return { state: 'failed', reason };
}

/** A run whose summarizer tells whether it drew anything; what makes others wait may differ in any case. */
function watchChance(options: AsyncRunOptions) {
  const { summarizer } = options;
  let isRandom = summarizer.isAsync === true;
  if (summarizer.isAsync === true) return { options, isRandom: () => isRandom };
  const watched: AsyncRunOptions = {
    ...options,
    summarizer: {
      ...summarizer,
      summarise: (request, tools) =>
        summarizer.summarise(request, {
          ...tools,
          random: () => {
            isRandom = true;
            return tools.random();
          },
        }),
    },
  };
  return { options: watched, isRandom: () => isRandom };
}

async function replay(
  { trace }: SummaryScenario,
  options: AsyncRunOptions,
  isOver: () => boolean,
): Promise<void> {
  const { summarizer } = options;
  if (summarizer.isAsync === true) {
    for await (const _ of runTraceAsync(trace, options)) if (isOver()) return;
    return;
  }
  for (const _ of runTrace(trace, { ...options, summarizer })) if (isOver()) return;
}

async function scorePivot(
  scenario: SummaryScenario,
  { view }: PivotOutcome & { readonly state: 'compacted' },
  { calls, seed, judge }: PivotInput,
): Promise<ScoredPivot> {
  const { count } = scenario.trace;
  const { request, answer } = calls.at(-1) ?? {};
  const head = request?.messages ?? [];
  // Some policies put files beside the summary, which no summarizer wrote.
  const summaryText = answer?.state === 'finished' ? answer.text : '';
  const atStep = lastStep(scenario, head);
  const strings = stringsAfter(scenario.strings, atStep);
  const byRules = scoreText({ text: summaryText, facts: scenario.facts, atStep, strings });
  const score =
    judge === undefined ? byRules : await settle(byRules, { ...scenario, summaryText, judge });
  const summaryTokens = count(summaryText);
  const random = { countTokens: count, maxTokens: summaryTokens, seed };
  const pivot = {
    kinds: countKinds(score.facts),
    mustFacts: score.must.facts,
    mustDropped: score.must.facts - score.must.kept,
    strings: strings.length,
    stringsKept: score.strings.kept,
    stringsInRandomLines: countInRandomLines(head, strings, random),
    headTokens: count(viewText(head)),
    summaryTokens,
    viewTokens: count(viewText(view)),
    ...callsOf(calls),
  };
  return { pivot, score };
}

/** Lets a model decide what rules leave in doubt; what it does not answer stays so. */
async function settle(
  score: QualityScore,
  { facts, summaryText: text, judge }: Pick<SummaryScenario, 'facts'> & DoubtfulText,
): Promise<QualityScore> {
  const doubtful = new Set(
    score.facts.filter(({ state }) => state === 'unknown').map(({ id }) => id),
  );
  const states = new Map<string, FactState>();
  for (const fact of facts.filter(({ id }) => doubtful.has(id))) {
    const settled = await settleUnknown(judge, { text, fact });
    if (settled.state === 'settled') states.set(fact.id, settled.is);
  }
  return withStates(score, states);
}

function countKinds(facts: readonly FactScore[]): PivotScore['kinds'] {
  const byKind = [...groupBy(facts, ({ kind }) => kind)];
  return Object.fromEntries(
    byKind.map(([kind, own]) => [
      kind,
      Object.fromEntries(countEach(own.map(({ state }) => state))) as StateCounts,
    ]),
  );
}

/** How many strings stand in random lines of a head that are as long as a summary; the mean of some draws. */
function countInRandomLines(
  head: readonly Message[],
  strings: readonly string[],
  { countTokens, maxTokens, seed }: RandomLinesOptions,
): number {
  const request = { system: '', messages: head, prompt: '', outputCapTokens: maxTokens };
  const asked = { ...request, targetTokens: maxTokens };
  const tools = { countTokens, random: createRandom(seed) };
  const draws = Array.from({ length: DRAWS }, () => RANDOM_LINES.summarise(asked, tools));
  return exactMean(
    draws.map((draw) => (draw.state === 'failed' ? 0 : scoreStrings(draw.text, strings).kept)),
  );
}

/** A sum of which a part is unknown is unknown. */
function callsOf(calls: readonly SummaryCall[]) {
  const costNanoUsd = sumKnown(calls.map(({ answer }) => answer.call?.costNanoUsd));
  const latencyMs = sumKnown(calls.map(({ answer }) => answer.call?.latencyMs));
  return {
    calls: calls.length,
    ...(costNanoUsd !== undefined && { costNanoUsd }),
    ...(latencyMs !== undefined && { latencyMs }),
    isCut: calls.some(({ answer }) => answer.state === 'finished' && answer.finish === CUT),
  };
}

function sumKnown(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce<number | undefined>(
    (total, value) => (total === undefined || value === undefined ? undefined : total + value),
    0,
  );
}

function missingOf(outcomes: readonly Watched[], wanted: number): MissingPivot | undefined {
  const index = outcomes.findIndex(({ outcome }) => outcome.state === 'failed');
  const { outcome, calls = [] } = outcomes[index] ?? {};
  if (outcome?.state === 'failed') {
    const isUnanswered = hasNoAnswer(calls.at(-1));
    const told = { pivot: index + 1, state: 'failed', reason: outcome.reason } as const;
    return { ...told, ...(isUnanswered && { isUnanswered }) };
  }
  if (outcomes.length >= wanted) return undefined;
  const reason = `compacted ${countOf(outcomes.length, 'time')} before the session ended`;
  return { pivot: outcomes.length + 1, state: 'unreached', reason };
}

function hasNoAnswer(call: SummaryCall | undefined): boolean {
  return call?.answer.state === 'failed' && !refusesRequest(call.answer);
}

function modelOf({ answer }: SummaryCall): readonly string[] {
  return answer.call?.model === undefined ? [] : [answer.call.model];
}
