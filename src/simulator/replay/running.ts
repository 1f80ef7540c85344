import {
  type LoopState,
  type Message,
  type Move,
  overflowRules,
  type SummaryRequest,
  type Violation,
} from '../../engine/index.ts';
import { type List, viewListOf } from '../../engine/internal.ts';
import type { Env } from '../env.ts';
import type { RunEvent, RunState } from '../events.ts';
import type { SummaryAnswer } from '../summarizer/summarizer.ts';
import type { Lawful } from './broken-laws.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import type { Ledger } from './ledger.ts';
import type { UsesOfRun } from './part-uses.ts';
import type { Watch } from './references/watch.ts';
import type { WholePrompt } from './sent-prompt.ts';
import type { Service } from './service.ts';

/** Some events in order, or a request for a summary. */
export type SimulationYield =
  | { readonly type: 'events'; readonly events: readonly RunEvent[] }
  | { readonly type: 'ask'; readonly request: SummaryRequest };

/** A piece of a simulation that comes to a value; a driver answers what it asks. */
export type Stage<Value = void> = Generator<SimulationYield, Value, SummaryAnswer | undefined>;

/** A simulation on its way. */
export type Simulation = Stage;

/** Why a run stops before its last step. */
export interface Halt {
  readonly state: RunState;
  readonly reason: string;
}

/** A move for somebody who looks on, and how many events were told before it. */
interface ToldMove {
  readonly move: Move;
  readonly after: number;
}

/** A session in the middle of its replay. */
export interface Running extends Lawful {
  readonly ledger: Ledger;
  readonly env: Env;
  /** Ids for what the policy adds. */
  readonly newId: (prefix: string) => string;
  readonly faults: FaultSchedule;
  readonly checkLaws: (move: Move) => readonly Violation[];
  /** Somebody who looks on, if anybody does. */
  readonly onTransition: ((move: Move) => void) | undefined;
  /** For policies that clear outputs by their uses only. */
  readonly uses?: UsesOfRun | undefined;
  readonly watch: Watch;
  /** What happened and was not yielded yet. */
  told: RunEvent[];
  /** The moves that came meanwhile, where somebody looks on. */
  toldMoves: ToldMove[];
  /** The summary that the engine waits for. */
  asked: SummaryRequest | undefined;
  /** Who is sent the steps; another one after the model changed. */
  service: Service;
  /** Who is sent summary requests; the same unless the policy names another model. */
  summaryService: Service;
  state: LoopState;
  /** What the engine asked to be sent with its newest move; absent where it did not. */
  requested: List<Message> | undefined;
  /** The newest turn that was begun, from 1; 0 before the first. */
  turn: number;
  /** The newest step that was begun, from 1; 0 before the first. */
  step: number;
  /** Without a step in between; a request that is asked again counts once. */
  compactionsInARow: number;
  /** The newest summary request as it is sent. */
  summaryPrompt: WholePrompt | undefined;
  halt: Halt | undefined;
}

/** Events that are yielded at once; more of them wait until there are as many. */
export const EVENTS_AT_ONCE = 32;

/** What a request may have before the policy acts; nothing where neither knows a limit. */
export function usableTokensOf({ limits, policy }: LoopState): number | undefined {
  const { trigger } = policy;
  return limits.contextTokens > 0 && (trigger.afterStep || trigger.beforeRequest)
    ? overflowRules[trigger.overflow].usable(limits, trigger)
    : undefined;
}

/** What the model would be sent now. */
export function viewToSend({ requested, state }: Running): List<Message> {
  return requested ?? viewListOf(state);
}

/** Whether there is so much to tell, or something to answer, that it should not wait. */
export function isWaiting({ told, asked }: Running): boolean {
  return told.length >= EVENTS_AT_ONCE || asked !== undefined;
}

/** Yields what happened and was not yielded yet, in order; who looks on is told of a move before the events of it. */
export function* tellOut(running: Running): Stage {
  const { told, toldMoves, onTransition } = running;
  running.told = [];
  running.toldMoves = [];
  let from = 0;
  for (const { move, after } of toldMoves) {
    if (after > from) yield { type: 'events', events: told.slice(from, after) };
    from = after;
    onTransition?.(move);
  }
  if (told.length > from) yield { type: 'events', events: from === 0 ? told : told.slice(from) };
}
