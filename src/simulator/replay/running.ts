import {
  type LoopState,
  type Move,
  overflowRules,
  type SummaryRequest,
  type Violation,
} from '../../engine/index.ts';
import type { Env } from '../env.ts';
import type { RunEvent, RunState } from '../events.ts';
import type { SummaryAnswer } from '../summarizer/summarizer.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import type { Ledger } from './ledger.ts';
import type { UsesFrom } from './part-uses.ts';
import type { Watch } from './references/watch.ts';
import type { Service } from './service.ts';

/** A simulation yields what happened, and asks for a summary by yielding its request. */
export type SimulationYield = RunEvent | { readonly type: 'ask'; readonly request: SummaryRequest };

/** A simulation on its way; a driver answers what it asks. */
export type Simulation = Generator<SimulationYield, void, SummaryAnswer | undefined>;

/** A piece of a run that comes to a value. It yields where what it told and asked for has to be settled before it goes on. */
export type Stage<Value = void> = Generator<void, Value, void>;

/** Why a run stops before its last step. */
export interface Halt {
  readonly state: RunState;
  readonly reason: string;
}

/** What there is to tell: an event, or for somebody who looks on the move from which the next ones come. */
export type Told = RunEvent | { readonly type: 'move'; readonly move: Move };

/** A session in the middle of its replay. */
export interface Running {
  readonly ledger: Ledger;
  readonly env: Env;
  /** Ids for what the policy adds. */
  readonly newId: (prefix: string) => string;
  readonly faults: FaultSchedule;
  readonly checkLaws: (move: Move) => readonly Violation[];
  /** Somebody who looks on, if anybody does. */
  readonly onTransition: ((move: Move) => void) | undefined;
  /** For policies that clear outputs by their uses only. */
  readonly usesFrom?: UsesFrom | undefined;
  readonly watch: Watch;
  /** What happened and was not yielded yet. */
  told: Told[];
  /** The summary that the engine waits for. */
  asked: SummaryRequest | undefined;
  /** Who is sent the steps; another one after the model changed. */
  service: Service;
  /** Who is sent summary requests; the same unless the policy names another model. */
  summaryService: Service;
  state: LoopState;
  /** The newest step that was begun, from 1; 0 before the first. */
  step: number;
  /** Without a step in between; a request that is asked again counts once. */
  compactionsInARow: number;
  /** True tokens of the newest summary request. */
  summaryInputTokens: number;
  /** Violated laws that the policy does not list, by how often. */
  readonly broken: Map<string, number>;
  halt: Halt | undefined;
}

/** What a request may have before the policy acts; nothing where neither knows a limit. */
export function usableTokensOf({ limits, policy }: LoopState): number | undefined {
  const { trigger } = policy;
  return limits.contextTokens > 0 && (trigger.afterStep || trigger.beforeRequest)
    ? overflowRules[trigger.overflow].usable(limits, trigger)
    : undefined;
}

/** Yields what happened and was not yielded yet, in order; who looks on is told of a move before the events of it. */
export function* tellOut(running: Running): Generator<RunEvent, void, unknown> {
  const { told, onTransition } = running;
  if (told.length === 0) return;
  running.told = [];
  for (const item of told) {
    if (item.type === 'move') onTransition?.(item.move);
    else yield item;
  }
}
