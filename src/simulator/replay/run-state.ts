import {
  type LoopState,
  type Message,
  type Move,
  overflowRules,
  type PartUses,
  planRetry,
  type ProviderError,
  type RetryOptions,
  type SummaryRequest,
  type Usage,
  type Violation,
} from '../../engine/index.ts';
import { type List, viewListOf } from '../../engine/internal.ts';
import type { Env } from '../env.ts';
import type { RunEvent, RunState } from '../events.ts';
import { addToGroup, known } from '../lib/collections.ts';
import type { CheckName, RequestChecker } from '../provider/checks.ts';
import { refusals } from '../provider/refusals.ts';
import type { Failure, Fault } from '../scenario/scenario.ts';
import type { SummaryAnswer } from '../summarizer/summarizer.ts';
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
  step: number;
  /** Without a step in between; a request that is asked again counts once. */
  compactionsInARow: number;
  summaryPrompt: SentPrompt | undefined;
  /** Of a run that meets no limits: the window that a model really has, 0 without limit. */
  windowOf: ((modelId: string) => number) | undefined;
  impossible: string | undefined;
  halt: Halt | undefined;
}

interface CheckedRequest {
  readonly names: readonly CheckName[];
  readonly view: List<Message>;
  readonly checker: RequestChecker;
  readonly fault: string | undefined;
}

type UsesOfRun = ReturnType<typeof createPartUses>;

/** A run that may break laws. */
export interface Lawful {
  broken: Map<string, number> | undefined;
}

/** The faults of a run, by the request that they affect. */
export type FaultSchedule = ReturnType<typeof scheduleFaults>;

type Of<On extends Fault['on']> = Fault & { readonly on: On };

/** A failure that is no refusal for size. */
export type OtherFailure = Exclude<Failure, { readonly type: 'overflow' }>;

interface FailedTry {
  readonly of: 'step' | 'summary';
  readonly failure: Failure;
  readonly nth: number;
}

/** Refusals of one step after which a run ends. */
export const MAX_REFUSALS = 2;
const MAX_TRIES = 10;
const TOO_MANY_REQUESTS = 429;

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
) {
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
    /** Registers a part that repeats an original: a need for the original counts for it too. */
    addCopy: (partId: string, originalId: string) => void originals.set(partId, originalId),
    from: (step: number): PartUses => ({
      seed,
      upcoming: (partId) => (usesOf(partId) ?? []).filter((use) => use >= step),
      newest: (partId) => usesOf(partId)?.findLast((use) => use < step) ?? written.get(partId),
    }),
  };
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

/** The schedule of some faults. */
export function scheduleFaults(faults: readonly Fault[]) {
  const tries = new Map<number, number>();
  let calls = 0;
  const of = <On extends Fault['on']>(on: On) =>
    faults.filter((fault): fault is Of<On> => fault.on === on);
  const [steps, summaries, usages] = [of('step'), of('summary'), of('usage')];
  const [messages, compacts, models] = [of('message'), of('compact'), of('model')];

  return {
    nextTry: (step: number): Failure | undefined => {
      if (steps.length === 0) return undefined;
      const nth = (tries.get(step) ?? 0) + 1;
      tries.set(step, nth);
      return steps.find((fault) => fault.step === step && nth <= fault.times)?.failure;
    },
    nextSummary: () => {
      calls += 1;
      const failing = summaries.find(({ call, times }) => call <= calls && calls < call + times);
      const prompts = messages.filter(({ call }) => call === calls);
      return { failure: failing?.failure, prompts: prompts.map(({ text }) => text) };
    },
    reportedUsage: (step: number, usage: Usage | undefined): Usage | undefined => {
      const fault = usages.find((one) => one.step === step);
      if (fault === undefined || usage === undefined) return usage;
      const kinds = Object.entries(usage).map(([kind, tokens]) => [
        kind,
        Math.round(tokens * fault.factor),
      ]);
      return Object.fromEntries(kinds) as Usage;
    },
    compactsBefore: (step: number) => compacts.some((fault) => fault.step === step),
    modelFrom: (step: number) => models.find((fault) => fault.step === step)?.model,
  };
}

/** Reports a failure; returns true if the client sends the request again by itself. */
export function failRequest(
  { env, state, step, told }: Running,
  { of, failure, nth }: FailedTry,
): boolean {
  const nowMs = env.now();
  const waitMs = waitMsOf(failure, { rule: state.policy.reading.retries, attempt: nth, nowMs });
  told.push({ type: 'request-failed', of, step, failure: failure.type, ...known({ waitMs }) });
  env.advanceTo(nowMs + (failure.type === 'time-out' ? failure.afterMs : (waitMs ?? 0)));
  return waitMs !== undefined;
}

/** Describes a failure for the reason of a run. */
export function describeFailure(failure: OtherFailure): string {
  switch (failure.type) {
    case 'fail':
      return failure.message ?? 'the provider failed';
    case 'time-out':
      return `no answer within ${failure.afterMs} ms`;
    case 'rate-limit':
      return `${TOO_MANY_REQUESTS} too many requests, ${MAX_TRIES} times`;
    case 'abort':
      return `aborted after ${failure.afterTokens} tokens`;
  }
}

/** The error of a request that is refused for its size. */
export function errorOf(
  { statusCode, message }: Failure & { readonly type: 'overflow' },
  { profile, windowTokens }: Service,
): ProviderError {
  if (message !== undefined) return { message, ...known({ statusCode }) };
  const own = refusals[profile.behaviour.refusal].errorFor({
    requestTokens: windowTokens + 1,
    windowTokens,
  });
  return { ...own, ...known({ statusCode }) };
}

function waitMsOf(failure: Failure, options: RetryOptions): number | undefined {
  if (failure.type !== 'rate-limit' || options.attempt >= MAX_TRIES) return undefined;
  const { retryAfterMs } = failure;
  const plan = planRetry(
    {
      name: 'APIError',
      statusCode: TOO_MANY_REQUESTS,
      isRetryable: true,
      headers: retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) },
    },
    options,
  );
  return plan.state === 'retry' ? plan.delayMs : undefined;
}
