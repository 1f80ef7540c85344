import {
  afterStepCap,
  checkAfterStep,
  checkBeforeRequest,
  measuredStep,
  NO_USAGE,
} from './checks.ts';
import { inOrder, NOTHING_TO_CUT, viewListOf, viewOf } from './decide.ts';
import { type List, toArray } from './history.ts';
import type { Move } from './invariants/check.ts';
import { readLatest } from './latest.ts';
import type { AssistantMessage, Message, Part } from './message.ts';
import {
  checkOverflow,
  explainOverflow,
  type OverflowCheck,
  type OverflowExplanation,
} from './overflow.ts';
import { canCut } from './pivot/cut.ts';
import type { Policy } from './policy.ts';
import type { CleanupName, EvictionName } from './prune-policy.ts';
import { planPrune, type RankKnowledge, type RankRules } from './prune/prune.ts';
import { planCleanup } from './prune/cleanups.ts';
import { KEEP_ALL } from './prune/keep-last.ts';
import { applyPrune, type Judgement } from './prune/plan.ts';
import {
  type EngineEvent,
  type LoopState,
  type PassPlan,
  type PrunePlan,
  type Transition,
  changeState,
} from './state.ts';

/** One check of a transition, whether or not it found an overflow. */
export interface CheckExplanation extends OverflowExplanation {
  readonly path: 'after-step' | 'before-request';
  /** The step whose usage was looked at. */
  readonly messageId: string;
}

/** The comparisons and choices of a transition. */
export interface MoveExplanation {
  readonly checks: readonly CheckExplanation[];
  /** Clean-ups that found anything; absent where none did. */
  readonly cleanups?: readonly CleanupExplanation[];
  /** Absent where no pass ran. */
  readonly prune?: PruneExplanation;
  /** Why nothing was done about an overflow; absent where something was, or where there was none. */
  readonly inaction?: Inaction;
  /** A summary beside the loop: asked for in this move, or waiting although the session is over its limit. */
  readonly background?: 'started' | 'waiting';
}

interface FoundCheck {
  readonly state: LoopState;
  readonly step: AssistantMessage;
  readonly check: OverflowCheck;
}

/** Why nothing was done about an overflow. */
export type Inaction =
  /** A summary could stand for nothing but what the policy keeps. */
  | 'nothing-to-cut'
  /** The policy keeps everything. */
  | 'never-pivots'
  /** All of the view are newest messages, which stay. */
  | 'nothing-to-move';

/** A prune plan with the judgement of every output. */
export interface PruneExplanation {
  readonly plan: PrunePlan;
  /** Every tool output of the history, newest first, and the place at which a scan by age ended. */
  readonly judgements: readonly Judgement[];
  /** Tokens of the outputs that were weighed: chosen or protected. */
  readonly weighedTokens: number;
  /** A saving must be larger than this; absent where any is enough. */
  readonly minimumTokens?: number;
  /** How much is always kept; absent where nothing is. */
  readonly protectTokens?: number;
  /** How many newest outputs are always kept; absent where they are not counted. */
  readonly keptOutputs?: number;
  /** In whose order outputs went; absent where the pass chose them itself. */
  readonly evicts?: EvictionName;
}

/** The parts that a clean-up found useless. */
export interface CleanupExplanation {
  readonly pass: CleanupName;
  readonly estimatedTokens: number;
  readonly parts: readonly Part[];
}

/** Explains a transition with the functions that made it. Pure. */
export function explainMove(move: Move): MoveExplanation {
  const { before, next, uses } = move;
  const { policy, baseCleared } = before;
  const checks = [afterStep(move), beforeRequest(move)].filter((check) => check !== undefined);
  const inaction = inactionIn(next);
  const background = backgroundIn(next, checks);
  const passes = next.events.flatMap((event): readonly PassPlan[] =>
    event.type === 'pruned' ? (event.byPass ?? [{ pass: policy.prune.pass, ...event.plan }]) : [],
  );
  return {
    checks,
    ...(inaction && { inaction }),
    ...(background && { background }),
    ...explainPasses(policy, historyOf(move), { passes, baseCleared, uses }),
  };
}

/** Explains the prune of a policy over a history: the plan that is carried out, and by a scan of all outputs why each stays or goes. Pure. */
export function explainPrune(
  policy: RankRules,
  history: readonly Message[],
  knowledge: RankKnowledge = {},
): PruneExplanation {
  const { plan, judge } = planPrune(policy, history, knowledge);
  const { pass, evicts, byAge, keepLast = KEEP_ALL } = policy.prune;
  const judgements = [...judge()];
  const weighedTokens = judgements.reduce(
    (total, one) => total + (one.type === 'output' ? (one.tokens ?? 0) : 0),
    0,
  );
  const { minimumTokens, protectTokens } = byAge;
  const isOwn = evicts === undefined;
  const { outputs: keptOutputs, leastTokens } = keepLast;
  return {
    plan,
    weighedTokens,
    ...(pass === 'by-age' && { minimumTokens }),
    ...(evicts !== undefined && { evicts }),
    ...(pass === 'by-age' && isOwn && { protectTokens }),
    ...(pass === 'keep-last' && isOwn && { keptOutputs }),
    ...(pass === 'keep-last' && isOwn && leastTokens && { minimumTokens: leastTokens }),
    judgements,
  };
}

function afterStep(move: Move): CheckExplanation | undefined {
  const { before, input } = move;
  if (input.type !== 'step-finished' || before.phase.state === 'summarising') return undefined;
  const { check } = checkAfterStep({ ...before, history: historyOf(move) }, input.message);
  return check && explainCheck('after-step', { state: before, step: input.message, check });
}

function historyOf({ before, input }: Move): readonly Message[] {
  const { history, phase } = before;
  if (input.type === 'user-message') return [...history, input.message];
  if (input.type !== 'step-finished') return history;
  const index = phase.state === 'requested' ? phase.insertAt : history.length;
  return history.toSpliced(index, 0, input.message);
}

function explainCheck(path: CheckExplanation['path'], { state, step, check }: FoundCheck) {
  const { policy, limits } = state;
  const { overflow: rule, anyOf, counted } = policy.trigger;
  // The step's own usage, or what the policy counted in its place.
  const usage =
    counted === undefined
      ? (step.usage ?? (anyOf && NO_USAGE))
      : { ...NO_USAGE, input: check.countTokens };
  if (usage === undefined) return undefined;
  const outputCapTokens =
    path === 'after-step' ? afterStepCap(policy.trigger) : policy.trigger.outputCapTokens;
  const options = { ...policy.trigger, rule, outputCapTokens };
  const newerTokens = check.countTokens - checkOverflow(usage, limits, options).countTokens;
  const explained = explainOverflow(usage, limits, { ...options, newerTokens });
  return { path, messageId: step.id, ...explained, check };
}

function beforeRequest(move: Move): CheckExplanation | undefined {
  const { before, next } = move;
  const isPivoted = next.events.some(({ type }) => type === 'compacted');
  // Without a pivot, the request goes out that was checked before its summary was asked for.
  if (before.phase.state === 'summarising' && !isPivoted) return undefined;
  const overflow = next.events.find((event) => event.type === 'overflow');
  const hasRequest = next.commands.some(({ type }) => type === 'request');
  if (overflow === undefined ? !hasRequest : overflow.path !== 'before-request') return undefined;
  // A pivot that nobody was asked for stands behind the check in the same move.
  const isUnasked = overflow !== undefined && isPivoted;
  const state = isUnasked ? changeState(before, { history: historyOf(move) }) : next.state;
  const view = viewListOf(state);
  const latest = readLatest(inOrder(view, state));
  const step = measuredStep(state, view, latest);
  if (step === undefined) return undefined;
  const check = overflow?.check ?? checkBeforeRequest(state, view, latest).check;
  return check && explainCheck('before-request', { state, step, check });
}

function inactionIn({ events, state, commands }: Transition): Inaction | undefined {
  const isStopped = commands.some(
    (command) =>
      command.type === 'stop' && command.reason !== 'finished' && command.detail !== NOTHING_TO_CUT,
  );
  if (!events.some(({ type }) => type === 'overflow')) return undefined;
  if (isStopped || events.some(isAction)) return undefined;
  if (events.some(({ type }) => type === 'moved-out')) return 'nothing-to-move';
  if (state.policy.cut.keep === 'everything') return 'never-pivots';
  return canCut(viewOf(state), state.policy, state.limits) ? undefined : 'nothing-to-cut';
}

function backgroundIn({ events, state }: Transition, checks: readonly CheckExplanation[]) {
  if (events.some(({ type }) => type === 'background-started')) return 'started';
  const isOver = checks.some(({ check }) => check.isOverflow);
  return isOver && state.background !== undefined ? 'waiting' : undefined;
}

function isAction(event: EngineEvent): boolean {
  if (event.type === 'pruned') return event.plan.state === 'fire';
  if (event.type === 'moved-out') return event.messageIds.length > 0;
  return event.type === 'marker-queued' || event.type === 'background-started';
}

function explainPasses(
  policy: Policy,
  history: readonly Message[],
  { passes, ...knowledge }: RankKnowledge & { readonly passes: readonly PassPlan[] },
): Pick<MoveExplanation, 'cleanups' | 'prune'> {
  const cleanups: CleanupExplanation[] = [];
  let prune: PruneExplanation | undefined;
  let left: List<Message> = history;
  for (const { pass } of passes) {
    const rules = policy.prune.cleanups?.find((one) => one.pass === pass);
    if (rules === undefined) {
      prune = explainPrune(policy, toArray(left), knowledge);
      left = applyPrune(toArray(left), prune.plan, 0);
      continue;
    }
    const { plan, messages } = planCleanup(left, { rules, policy, now: 0 });
    const { state, partIds, estimatedTokens } = plan;
    if (state === 'fire') {
      const parts = new Map(
        toArray(left).flatMap((one) => one.parts.map((part) => [part.id, part])),
      );
      cleanups.push({
        pass: rules.pass,
        estimatedTokens,
        parts: partIds.flatMap((id) => parts.get(id) ?? []),
      });
    }
    left = messages;
  }
  return { ...(cleanups.length > 0 && { cleanups }), ...(prune && { prune }) };
}
