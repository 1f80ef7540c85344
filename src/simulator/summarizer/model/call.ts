import { planRetry, type Usage } from '../../../engine/index.ts';
import { badOption, HarnessError } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import type { CallRecord, FailedAnswer, SummaryAnswer } from '../summarizer.ts';
import type { Budget } from './budget.ts';
import { type Clock, type Deadline, sleep, startDeadline, untilAborted } from './clock.ts';
import { readError, type ReadError, toFailedAnswer, whyNotSetUp } from './failure.ts';
import type { Departure, Limiter } from './limiter.ts';
import { costOf, type RequestSize, worstCostOf } from './price.ts';
import type { TextModel, TextReply, TextRequest } from './text-model.ts';

/** What stands around each call of a model. */
export interface CallOptions {
  readonly model: TextModel;
  /** Absent where the catalog does not know the model. */
  readonly profile?: ModelProfile | undefined;
  readonly limiter: Limiter;
  readonly budget: Budget;
  readonly clock: Clock;
  /** For one call with all its tries. */
  readonly timeoutMs: number;
  /** Tries after the first one. */
  readonly retries: number;
}

/** How large a request is, and who waits for its answer. */
export interface CallContext {
  readonly size: RequestSize;
  /** Estimates what an answer took where its provider does not tell; the most that it can where absent. */
  readonly estimateUsage?: ((reply: TextReply) => Usage) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How one try ended. */
type Attempt =
  | { readonly state: 'answered'; readonly reply: TextReply; readonly latencyMs: number }
  | { readonly state: 'failed'; readonly read: ReadError; readonly latencyMs: number };

type Asking = CallOptions & Omit<CallContext, 'signal'> & { readonly depart: Departure };

/** Waits as long as a provider asks, up to five minutes, and tries server errors again. */
const RETRY_RULE = 'v1.17.15';
const LONGEST_REASON = 200;

/** Asks a model, and again where that may help. Rejects when it was aborted or the budget does not reach. */
export async function callModel(
  options: CallOptions,
  request: TextRequest,
  { signal, ...context }: CallContext,
): Promise<SummaryAnswer> {
  const { size } = context;
  const { model, clock, limiter, timeoutMs } = options;
  await untilAborted(model.prepare(), signal);
  const leave = await limiter.enter(signal);
  try {
    const depart = await limiter.waitFor(size.inputTokens + size.outputTokens, signal);
    const deadline = startDeadline(clock, timeoutMs, signal);
    try {
      return await askUntil(deadline, request, { ...options, ...context, depart });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      deadline.end();
    }
  } finally {
    leave();
  }
}

async function askUntil(
  deadline: Deadline,
  request: TextRequest,
  options: Asking,
): Promise<SummaryAnswer> {
  const { clock, size, limiter, timeoutMs } = options;
  let { depart } = options;
  let failed: FailedAnswer | undefined;
  for (let tries = 1; ; tries++) {
    const attempt = await unlessTooDear(tryOnce(deadline.signal, request, { ...options, depart }));
    if (attempt instanceof HarnessError) {
      if (failed === undefined) throw attempt;
      return failed;
    }
    if (attempt.state === 'answered') return toAnswer(attempt, options.profile);
    if (deadline.isOver()) return timedOut(timeoutMs, tries);
    deadline.signal.throwIfAborted();
    failed = toFailed(attempt, tries, options.profile);
    const delayMs = delayBefore(attempt.read, tries, options);
    if (delayMs === undefined || delayMs >= deadline.leftMs()) return failed;
    await sleep(clock, delayMs, deadline.signal);
    try {
      depart = await limiter.waitFor(size.inputTokens + size.outputTokens, deadline.signal);
    } catch (error) {
      if (deadline.isOver()) return failed;
      throw error;
    }
  }
}

/** An error for want of money is a value: where it hinders another try, what the last one came to says more. */
async function unlessTooDear(attempt: Promise<Attempt>): Promise<Attempt | HarnessError> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof HarnessError && error.code === 'OVER_BUDGET') return error;
    throw error;
  }
}

async function tryOnce(
  signal: AbortSignal,
  request: TextRequest,
  { model, profile, budget, clock, size, estimateUsage, depart }: Asking,
): Promise<Attempt> {
  const worstNanoUsd = worstCostOf(profile, size);
  const hold = await budget.hold(worstNanoUsd);
  const startMs = clock.now();
  depart();
  try {
    const reply = await untilAborted(model.ask(request, signal), signal);
    const latencyMs = clock.now() - startMs;
    const usage = reply.usage ?? estimateUsage?.(reply);
    await hold.settle(costOf(profile, usage) ?? worstNanoUsd ?? 0);
    return { state: 'answered', reply, latencyMs };
  } catch (error) {
    const latencyMs = clock.now() - startMs;
    const read = readError(error);
    const missing = whyNotSetUp(error);
    // What broke on its way may have been billed.
    const isFree = missing !== undefined || costsNothing(read);
    await (isFree ? hold.settle(0) : hold.giveUp());
    if (missing !== undefined) throw notSetUp(model.id, missing, error);
    return { state: 'failed', read, latencyMs };
  }
}

/** Refusals are free, and so is what never left the machine. */
function costsNothing({ error: { statusCode = 0 }, isUnsent }: ReadError): boolean {
  return statusCode >= 400 || isUnsent;
}

function delayBefore(
  { request }: ReadError,
  attempt: number,
  { clock, retries }: CallOptions,
): number | undefined {
  if (attempt > retries) return undefined;
  const plan = planRetry(request, { rule: RETRY_RULE, attempt, nowMs: clock.now() });
  return plan.state === 'retry' ? plan.delayMs : undefined;
}

/** A refusal costs nothing, and so does what was not sent; what broke on its way costs nobody knows what. */
function toFailed(
  { read, latencyMs }: Attempt & { readonly state: 'failed' },
  tries: number,
  profile: ModelProfile | undefined,
): FailedAnswer {
  const isFree = costsNothing(read) && profile?.prices !== undefined;
  const call = { latencyMs, ...(isFree && { costNanoUsd: 0 }) };
  return { ...toFailedAnswer(read, tries), call };
}

/** Nothing was sent, and nothing ever will be. */
function notSetUp(id: string, reason: string, cause: unknown): HarnessError {
  return badOption(`Expected ${quoted(id)} to be set up, got ${quoted(reason, LONGEST_REASON)}.`, {
    cause,
  });
}

function timedOut(afterMs: number, tries: number): FailedAnswer {
  return {
    state: 'failed',
    reason: `no answer within ${afterMs} ms`,
    isOverflow: false,
    failure: { type: 'time-out', afterMs },
    tries,
    call: { latencyMs: afterMs },
  };
}

function toAnswer(
  { reply, latencyMs }: Attempt & { readonly state: 'answered' },
  profile: ModelProfile | undefined,
): SummaryAnswer {
  const { text, finish, reasoningText, ...told } = reply;
  return {
    state: 'finished',
    text,
    finish,
    ...(reasoningText !== undefined && { reasoningText }),
    call: recordOf(told, { latencyMs, costNanoUsd: costOf(profile, told.usage) }),
  };
}

function recordOf(
  told: { readonly usage?: Usage; readonly model?: string; readonly answeredAt?: string },
  {
    latencyMs,
    costNanoUsd,
  }: { readonly latencyMs: number; readonly costNanoUsd?: number | undefined },
): CallRecord {
  return { ...told, latencyMs, ...(costNanoUsd !== undefined && { costNanoUsd }) };
}
