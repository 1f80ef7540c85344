import type { AssistantMessage, Message, Usage } from '../../engine/index.ts';
import { lengthOf } from '../../engine/internal.ts';
import type { RunEvent } from '../events.ts';
import type { CacheSplit } from '../provider/cache/prompt.ts';
import type { Reply } from '../provider/provider.ts';
import type { Source } from './references/reference.ts';
import type { Running } from './running.ts';
import { withUsage } from './same-form.ts';
import type { Service } from './service.ts';
import type { TraceStep } from './trace.ts';

/** Where a step stands in its session, both from 1. */
export interface Position {
  readonly step: number;
  readonly turn: number;
  /** The first request of its turn. */
  readonly opensTurn: boolean;
  /** The content that the step does nothing but read again; absent of a recorded step. */
  readonly reread?: Pick<Source, 'document' | 'isFileRead'>;
}

/** Who serves a step. */
type Serving = Pick<Running, 'service' | 'faults' | 'step'>;
type Served = Reply & { readonly type: 'served' };
type StepEnd = RunEvent & { readonly type: 'step-end' };

/** A step that the provider took. */
export interface Taken {
  readonly recorded: TraceStep;
  readonly position: Position;
  /** What its request showed, and the true tokens of that. */
  readonly view: readonly Message[];
  readonly tokens: number;
  readonly reply: Served;
}

/** What a step came to that the provider took. */
interface Outcome {
  readonly terms: object | undefined;
  readonly recorded: TraceStep;
  readonly event: StepEnd;
  /** With the usage that was reported of it. */
  readonly message: AssistantMessage;
}

/** The newest by how the input came about, which runs share that came along the same requests. */
const outcomes = new WeakMap<CacheSplit, Outcome>();

/** What a step came to; the same one as in an earlier run that came to it the same way. */
export function outcomeOf(running: Serving, taken: Taken): Outcome {
  const { service, faults } = running;
  const { position, reply } = taken;
  const isOwn = position.reread !== undefined || faults.changesUsage;
  if (isOwn || service.terms === undefined) return workOut(running, taken);
  const { split } = reply;
  const known = outcomes.get(split);
  if (known?.terms === service.terms && isOutcomeOf(known, taken)) return known;
  const outcome = workOut(running, taken);
  outcomes.set(split, outcome);
  return outcome;
}

/** The same request may stand before another step, or show messages of which nothing is sent. */
function isOutcomeOf({ recorded, event }: Outcome, taken: Taken): boolean {
  return (
    recorded === taken.recorded &&
    event.opensTurn === taken.position.opensTurn &&
    event.viewMessages === lengthOf(taken.view)
  );
}

function workOut(running: Serving, taken: Taken): Outcome {
  const { recorded } = taken;
  const usage = reportedUsage(running, taken);
  return {
    terms: running.service.terms,
    recorded,
    event: describeStep(running.service, taken, usage),
    message: usage === undefined ? recorded.message : withUsage(recorded.message, usage),
  };
}

/** Many are made, so that it is written down without a spread. */
function describeStep(
  service: Service,
  { recorded, position, view, tokens, reply: { split } }: Taken,
  usage: Usage | undefined,
): StepEnd {
  const bill = service.bill(split, recorded.outputTokens);
  return {
    type: 'step-end',
    step: position.step,
    turn: position.turn,
    messageId: recorded.message.id,
    contextTokens: tokens,
    outputTokens: recorded.outputTokens,
    recordedContextTokens: recorded.recordedContextTokens,
    viewMessages: lengthOf(view),
    opensTurn: position.opensTurn,
    reread: position.reread?.document,
    isFileReread: position.reread?.isFileRead,
    lostTokens: split.lostTokens,
    isCold: split.isCold,
    cacheReadTokens: bill.cacheReadTokens,
    cacheWriteTokens: bill.cacheWriteTokens,
    freshTokens: bill.freshTokens,
    costNanoUsd: bill.costNanoUsd,
    latencyMs: bill.latencyMs,
    reported: usage,
  };
}

function reportedUsage(
  { service, faults, step }: Serving,
  { recorded, position, tokens, reply }: Taken,
): Usage | undefined {
  const { outputTokens, reasoningTokens } = recorded;
  const { split, keptTokens } = reply;
  const { opensTurn } = position;
  const usage = service.report({
    split,
    outputTokens,
    reasoningTokens,
    sentTokens: tokens,
    keptTokens,
    opensTurn,
  });
  return faults.reportedUsage(step, usage);
}
