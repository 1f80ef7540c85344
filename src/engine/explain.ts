import { afterStepCap, checkAfterStep, checkBeforeRequest, measuredStep } from './checks.ts';
import { inOrder, NOTHING_TO_CUT, viewListOf, viewOf } from './decide.ts';
import { type List, toArray } from './history.ts';
import type { Move } from './invariants/check.ts';
import { readLatest } from './latest.ts';
import type { AssistantMessage, Message, Part, Usage } from './message.ts';
import { explainOverflow, type OverflowExplanation } from './overflow.ts';
import { canCut } from './pivot/cut.ts';
import type { Policy } from './policy.ts';
import type { CleanupName, EvictionName } from './prune-policy.ts';
import { judgeByRank, passes, type RankKnowledge, type RankRules } from './prune/by-rank.ts';
import { planCleanup } from './prune/cleanups.ts';
import { KEEP_ALL } from './prune/keep-last.ts';
import { applyPrune } from './prune/plan.ts';
import { planPrune } from './prune/prune.ts';
import type { Judgement } from './prune/scan.ts';
import {
  type EngineEvent,
  type LoopState,
  type PassPlan,
  type PrunePlan,
  type Transition,
  changeState,
} from './state.ts';
import { type OverflowCheck } from './overflow.ts';

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

type OverflowEvent = EngineEvent & { readonly type: 'overflow' };

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

interface PassesExplanation {
  /** Those of the clean-ups that found anything. */
  readonly cleanups: readonly CleanupExplanation[];
  /** Absent where the pass itself did not run. */
  readonly prune?: PruneExplanation;
}

/** Explains a transition with the functions that made it. Pure. */
export function explainMove(move: Move): MoveExplanation {
  const { before, next, uses } = move;
  const { policy, baseCleared } = before;
  const checks = [afterStep(move), beforeRequest(move)].filter((check) => check !== undefined);
  const inaction = inactionIn(move);
  const background = backgroundIn(move, checks);
  const decided = { checks, ...(inaction && { inaction }), ...(background && { background }) };
  const passes = next.events.flatMap((event): readonly PassPlan[] =>
    event.type === 'pruned' ? (event.byPass ?? [{ pass: policy.prune.pass, ...event.plan }]) : [],
  );
  if (passes.length === 0) return decided;
  const { cleanups, prune } = explainPasses(policy, historyOf(move), {
    passes,
    baseCleared,
    uses,
  });
  return {
    ...decided,
    ...(cleanups.length > 0 && { cleanups }),
    ...(prune && { prune }),
  };
}

/** Explains the prune of a policy over a history: its plan, and why each output stays or goes. Pure. */
export function explainPrune(
  policy: RankRules,
  history: readonly Message[],
  knowledge: RankKnowledge = {},
): PruneExplanation {
  const { plan } = planPrune(policy, history, knowledge);
  const { pass, evicts, byAge, keepLast = KEEP_ALL } = policy.prune;
  const judged =
    evicts === undefined
      ? passes[pass].judge(history, policy, plan)
      : judgeByRank(history, policy, plan);
  const judgements = [...judged];
  const weighedTokens = judgements.reduce(
    (total, one) => total + (one.type === 'output' ? (one.tokens ?? 0) : 0),
    0,
  );
  const explained = { plan, judgements, weighedTokens };
  if (pass === 'by-age') {
    const { minimumTokens, protectTokens } = byAge;
    return evicts === undefined
      ? { ...explained, minimumTokens, protectTokens }
      : { ...explained, minimumTokens, evicts };
  }
  if (evicts !== undefined) return { ...explained, evicts };
  if (pass !== 'keep-last') return explained;
  const { outputs: keptOutputs, leastTokens: minimumTokens } = keepLast;
  return {
    ...explained,
    keptOutputs,
    ...(minimumTokens !== undefined && { minimumTokens }),
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

function explainCheck(
  path: CheckExplanation['path'],
  found: FoundCheck,
): CheckExplanation | undefined {
  const { policy, limits } = found.state;
  const { overflow, reservedTokens, windowShare, anyOf, outputCapTokens } = policy.trigger;
  const { id } = found.step;
  const usage = checkedUsage(found);
  if (usage === undefined) return undefined;
  const isAfterStep = path === 'after-step';
  const options = {
    rule: overflow,
    reservedTokens,
    windowShare,
    anyOf,
    outputCapTokens: isAfterStep ? afterStepCap(policy.trigger) : outputCapTokens,
  };
  const { countTokens } = explainOverflow(usage, limits, options).check;
  const newerTokens = found.check.countTokens - countTokens;
  return {
    path,
    messageId: id,
    ...explainOverflow(usage, limits, { ...options, newerTokens }),
    check: found.check,
  };
}

function checkedUsage({ state, step, check }: FoundCheck): Usage | undefined {
  const { counted, anyOf } = state.policy.trigger;
  const nothing = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  if (counted !== undefined) return { ...nothing, input: check.countTokens };
  return step.usage ?? (anyOf && nothing);
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
  const check = checkOf(overflow) ?? checkBeforeRequest(state, view, latest).check;
  return check && explainCheck('before-request', { state, step, check });
}

function checkOf(event: OverflowEvent | undefined): OverflowCheck | undefined {
  return event?.check;
}

function inactionIn({ next }: Pick<Move, 'next'>): Inaction | undefined {
  const { events, state } = next;
  if (!events.some(({ type }) => type === 'overflow')) return undefined;
  if (isStopped(next) || events.some(isAction)) return undefined;
  if (events.some(({ type }) => type === 'moved-out')) return 'nothing-to-move';
  if (state.policy.cut.keep === 'everything') return 'never-pivots';
  return canCut(viewOf(state), state.policy, state.limits) ? undefined : 'nothing-to-cut';
}

function backgroundIn(
  { next: { events, state } }: Move,
  checks: readonly CheckExplanation[],
): MoveExplanation['background'] {
  if (events.some(({ type }) => type === 'background-started')) return 'started';
  const isOver = checks.some(({ check }) => check.isOverflow);
  return isOver && state.background !== undefined ? 'waiting' : undefined;
}

function isStopped({ commands }: Transition): boolean {
  return commands.some(
    (command) =>
      command.type === 'stop' && command.reason !== 'finished' && command.detail !== NOTHING_TO_CUT,
  );
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
): PassesExplanation {
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
      cleanups.push({ pass: rules.pass, estimatedTokens, parts: partsOf(toArray(left), partIds) });
    }
    left = messages;
  }
  return { cleanups, ...(prune && { prune }) };
}

function partsOf(history: readonly Message[], partIds: readonly string[]): readonly Part[] {
  const parts = new Map(history.flatMap((message) => message.parts).map((part) => [part.id, part]));
  return partIds.flatMap((id) => parts.get(id) ?? []);
}
