import { type Move, type Policy, resolvePolicy } from '../../../engine/index.ts';
import { lossesOf } from '../../metrics/quality/repeated.ts';
import type {
  MissingPivot,
  PivotScore,
  SurvivalCount,
} from '../../report/summarizers/summary-row.ts';
import { countOf } from '../../report/numbers.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { type AsyncRunOptions, runTrace, runTraceAsync } from '../../replay/run-trace.ts';
import type { Fault } from '../../scenario/fault.ts';
import { refusesRequest } from '../live/require-answers.ts';
import { type SummaryArm, type SummaryCall, watchSummarizer } from './arm.ts';
import type { SummaryScenario } from './scenario.ts';
import { scorePivot } from './score-pivot.ts';
import { type PivotOutcome, pivotOutcomeOf } from './watch-pivots.ts';

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

/** What a trial came to. */
export interface TrialResult {
  readonly pivots: readonly PivotScore[];
  readonly survival: readonly SurvivalCount[];
  readonly viewSurvival: readonly SurvivalCount[];
  readonly missing?: MissingPivot | undefined;
  /** The model that answered, as its provider named it. */
  readonly model?: string | undefined;
  /** What the model saw after each pivot. */
  readonly outcomes: readonly PivotOutcome[];
  /** Whether chance had any part in it: where not, every repetition is the same. */
  readonly isRandom: boolean;
}

/** What became of a pivot, and what was asked for it. */
interface Watched {
  readonly outcome: PivotOutcome;
  readonly calls: readonly SummaryCall[];
}

/** Replays a session until it has been compacted as often as wanted, or that has failed. */
export async function runTrial(
  scenario: SummaryScenario,
  arm: SummaryArm,
  { repeat, ...context }: TrialContext & { readonly repeat: number },
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
  const scored = outcomes.flatMap(({ outcome, calls: own }) =>
    outcome.state === 'compacted' ? [scorePivot(scenario, outcome, own)] : [],
  );
  return {
    pivots: scored.map(({ pivot }) => pivot),
    survival: lossesOf(scored.map(({ summary }) => summary)),
    viewSurvival: lossesOf(scored.map(({ view }) => view)),
    missing: missingOf(outcomes, context.pivots),
    model: outcomes.flatMap(({ calls: own }) => own.flatMap(modelOf)).at(0),
    outcomes: outcomes.map(({ outcome }) => outcome),
    isRandom: chance.isRandom(),
  };
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
