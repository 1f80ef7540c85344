import {
  type LoopInput,
  type LoopState,
  type Message,
  type Move,
  overflowRules,
  type PartUses,
  type SummaryRequest,
  type Violation,
} from '../../engine/index.ts';
import { type List, viewListOf } from '../../engine/internal.ts';
import type { Env } from '../env.ts';
import type { RunEvent, RunState } from '../events.ts';
import { addToGroup } from '../lib/collections.ts';
import type { CheckName, RequestChecker } from '../provider/checks.ts';
import type { SummaryAnswer } from '../summarizer/summarizer.ts';
import type { FaultSchedule } from './faults.ts';
import type { Ledger, SentPrompt } from './ledger.ts';
import { isOutput, partOf } from './references/reference.ts';
import type { Watch } from './references/watch.ts';
import type { Service } from './service.ts';
import type { Trace } from './trace.ts';

/** Some events in order, or a request for a summary. */
export type SimulationYield =
  | { readonly type: 'events'; readonly events: readonly RunEvent[] }
  | { readonly type: 'ask'; readonly request: SummaryRequest };

/** A piece of a simulation with a result; a driver answers its requests. */
export type Stage<Value = void> = Generator<SimulationYield, Value, SummaryAnswer | undefined>;

/** A simulation on its way. */
export type Simulation = Stage;

/** Why a run stops before its last step. */
export interface Halt {
  readonly state: RunState;
  readonly reason: string;
}

interface ToldMove {
  readonly move: Move;
  readonly after: number;
}

/** A session in the middle of its replay. */
export interface Running extends Lawful {
  readonly ledger: Ledger;
  readonly env: Env;
  readonly newId: (prefix: string) => string;
  readonly faults: FaultSchedule;
  readonly checkLaws: (move: Move) => readonly Violation[];
  readonly onTransition: ((move: Move) => void) | undefined;
  /** For policies that clear outputs by their uses only. */
  readonly uses?: UsesOfRun | undefined;
  readonly watch: Watch;
  told: RunEvent[];
  toldMoves: ToldMove[];
  asked: SummaryRequest | undefined;
  service: Service;
  /** Who is sent summary requests; the same unless the policy names another model. */
  summaryService: Service;
  state: LoopState;
  requested: List<Message> | undefined;
  checked: CheckedRequest | undefined;
  turn: number;
  /** The newest step that was begun, from 1; 0 before the first. */
  step: number;
  /** Without a step in between; a request that is asked again counts once. */
  compactionsInARow: number;
  summaryPrompt: SentPrompt | undefined;
  /** Of a run that meets no limits: the window that a model really has, 0 without limit. */
  windowOf: ((modelId: string) => number) | undefined;
  /** Why such a run cannot exist: its first request that no model would take. */
  impossible: string | undefined;
  halt: Halt | undefined;
}

interface CheckedRequest {
  readonly names: readonly CheckName[];
  readonly view: List<Message>;
  readonly checker: RequestChecker;
  readonly fault: string | undefined;
}

interface UsesOfRun {
  /** From a step on that looks ahead. */
  from(step: number): PartUses;
  /** Registers a part that repeats an original: a need for the original counts for it too. */
  addCopy(partId: string, originalId: string): void;
}

/** A run that may break laws. */
export interface Lawful {
  broken: Map<string, number> | undefined;
}

/** Usable tokens of a request; undefined where neither a limit nor a trigger exists. */
export function usableTokensOf({ limits, policy }: LoopState): number | undefined {
  const { trigger } = policy;
  return limits.contextTokens > 0 && (trigger.afterStep || trigger.beforeRequest)
    ? overflowRules[trigger.overflow].usable(limits, trigger)
    : undefined;
}

/** The view that would be sent now. */
export function viewToSend({ requested, state }: Running): List<Message> {
  return requested ?? viewListOf(state);
}

/** Yields pending events in order; the observer receives a move before its events. */
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

/** Looks up when outputs were written and are needed. */
export function createPartUses(
  { turns, references }: Pick<Trace, 'turns' | 'references'>,
  seed: number,
): UsesOfRun {
  const steps = turns.flatMap((turn) => turn.steps);
  const written = new Map(
    steps.flatMap(({ message }, index) =>
      message.parts.map((part) => [part.id, index + 1] as const),
    ),
  );
  const needed = new Map<string, number[]>();
  const { all, parts } = references();
  for (const { step, sources, isRecoverable, use } of all) {
    if (!isRecoverable || use === 'habit' || use === 'unknown') continue;
    for (const side of sources.filter(isOutput)) {
      const id = parts[partOf(side)]?.part.id;
      if (id !== undefined && needed.get(id)?.at(-1) !== step) addToGroup(needed, id, step);
    }
  }
  const originals = new Map<string, string>();
  const usesOf = (partId: string) => needed.get(originals.get(partId) ?? partId);
  return {
    addCopy: (partId, originalId) => void originals.set(partId, originalId),
    from: (step) => ({
      seed,
      upcoming: (partId) => (usesOf(partId) ?? []).filter((use) => use >= step),
      newest: (partId) => usesOf(partId)?.findLast((use) => use < step) ?? written.get(partId),
    }),
  };
}

/** The first step that is still to come after an input; one that was not answered is. */
export function nextStep(newestStep: number, { type }: Pick<LoopInput, 'type'>): number {
  return type === 'step-refused' || type === 'aborted' ? newestStep : newestStep + 1;
}

/** Notes that a run broke a law. */
export function noteBroken(run: Lawful, law: string): void {
  run.broken ??= new Map();
  run.broken.set(law, (run.broken.get(law) ?? 0) + 1);
}

/** How a run ends that nothing stopped: one that broke a law has failed, however far it came. */
export function verdictOf({ broken }: Lawful): {
  readonly state: RunState;
  readonly reason?: string;
} {
  if (broken === undefined) return { state: 'completed' };
  const counts = [...broken].map(([law, count]) => `${law} (${count})`);
  return { state: 'failed', reason: `laws broken: ${counts.join(', ')}` };
}
