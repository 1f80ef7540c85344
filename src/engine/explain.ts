import {
  afterStepCap,
  checkAfterStep,
  checkBeforeRequest,
  measuredStep,
} from './overflow/checks.ts';
import { inOrder, viewListOf } from './loop/decide.ts';
import { type Inaction, inactionIn } from './inaction.ts';
import type { Move } from './invariants/run.ts';
import { readLatest } from './view/latest.ts';
import type { AssistantMessage, Message } from './message.ts';
import type { EngineEvent, LoopState, OverflowCheck, PassPlan } from './state.ts';
import { explainOverflow, type OverflowExplanation } from './overflow/explain.ts';
import type { PruneExplanation } from './prune/explain.ts';
import { type CleanupExplanation, explainPasses } from './prune/explain-passes.ts';

/** One check of a transition, whether or not it found an overflow. */
export interface CheckExplanation extends OverflowExplanation {
  readonly path: 'after-step' | 'before-request';
  /** The step whose usage was looked at. */
  readonly messageId: string;
}

/** What a transition compared and chose. */
export interface MoveExplanation {
  readonly checks: readonly CheckExplanation[];
  /** Clean-ups that found anything; absent where none did. */
  readonly cleanups?: readonly CleanupExplanation[];
  /** Absent where no pass ran. */
  readonly prune?: PruneExplanation;
  /** Why nothing was done about an overflow; absent where something was, or where there was none. */
  readonly inaction?: Inaction;
}

type OverflowEvent = EngineEvent & { readonly type: 'overflow' };

/** Explains a transition with the functions that made it. Pure. */
export function explainMove(move: Move): MoveExplanation {
  const { before, next, uses } = move;
  const { policy, baseCleared } = before;
  const checks = [afterStep(move), beforeRequest(move)].filter((check) => check !== undefined);
  const inaction = inactionIn(move);
  const decided = { checks, ...(inaction && { inaction }) };
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

function afterStep(move: Move): CheckExplanation | undefined {
  const { before, input } = move;
  if (input.type !== 'step-finished' || before.phase.state === 'summarising') return undefined;
  const { check } = checkAfterStep({ ...before, history: historyOf(move) }, input.message);
  return check && explainCheck('after-step', { state: before, step: input.message, check });
}

/** The check before a request: the one that found an overflow, or the one that let the request go. */
function beforeRequest({ next }: Move): CheckExplanation | undefined {
  const overflow = next.events.find((event) => event.type === 'overflow');
  const hasRequest = next.commands.some(({ type }) => type === 'request');
  if (overflow === undefined ? !hasRequest : overflow.path !== 'before-request') return undefined;
  const view = viewListOf(next.state);
  const latest = readLatest(inOrder(view, next.state));
  const { state } = next;
  const step = measuredStep(state, view, latest);
  if (step === undefined) return undefined;
  const check = checkOf(overflow) ?? checkBeforeRequest(state, view, latest).check;
  return check && explainCheck('before-request', { state, step, check });
}

function checkOf(event: OverflowEvent | undefined): OverflowCheck | undefined {
  return event?.check;
}

function explainCheck(
  path: CheckExplanation['path'],
  found: {
    readonly state: LoopState;
    readonly step: AssistantMessage;
    readonly check: OverflowCheck;
  },
): CheckExplanation | undefined {
  const { policy, limits } = found.state;
  const { overflow, reservedTokens, windowShare, outputCapTokens } = policy.trigger;
  const { usage, id } = found.step;
  if (usage === undefined) return undefined;
  const isAfterStep = path === 'after-step';
  const options = {
    rule: overflow,
    reservedTokens,
    windowShare,
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

/** The history that a transition decided on: with the step that came in. */
function historyOf({ before, input }: Move): readonly Message[] {
  const { history, phase } = before;
  if (input.type === 'user-message') return [...history, input.message];
  if (input.type !== 'step-finished') return history;
  const index = phase.state === 'requested' ? phase.insertAt : history.length;
  return history.toSpliced(index, 0, input.message);
}
