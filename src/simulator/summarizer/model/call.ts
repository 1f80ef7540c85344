import { setMaxListeners } from 'node:events';
import { composeErrorMessage, planRetry, type Usage } from '../../../engine/index.ts';
import { known, sum } from '../../lib/collections.ts';
import { badOption, HarnessError } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import { formatDollars, MINUTE_MS, NANO_USD_PER_USD } from '../../lib/units.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { billRequest } from '../../provider/prices.ts';
import type { FailedAnswer, SummaryAnswer } from '../summarizer.ts';
import { readError, type ReadError, toFailedAnswer, whyNotSetUp } from './failure.ts';
import type { TextModel, TextReply, TextRequest } from './prompt.ts';

export interface CallOptions {
  readonly model: TextModel;
  /** Absent where the catalog does not know the model. */
  readonly profile?: ModelProfile | undefined;
  readonly limiter: Limiter;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly retries: number;
}

export interface CallContext {
  readonly size: RequestSize;
  /** The usage of an answer where its provider does not tell; the most where absent. */
  readonly estimateUsage?: ((reply: TextReply) => Usage) | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Attempt = { readonly latencyMs: number } & (
  | { readonly reply: TextReply }
  | { readonly read: ReadError }
);

type Asking = CallOptions & Omit<CallContext, 'signal'> & { readonly depart: () => void };

export interface RequestSize {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Money of one run of the program. */
export type Budget = ReturnType<typeof createBudget>;

/** How much may be asked of a provider at once and in a minute. */
interface LimiterOptions {
  readonly concurrency: number;
  readonly requestsPerMinute?: number | undefined;
  /** Of input and the output cap together. */
  readonly tokensPerMinute?: number | undefined;
}

/** Lets requests through, first come, first served. */
export type Limiter = ReturnType<typeof createLimiter>;

interface SentRequest {
  atMs: number;
  readonly tokens: number;
}

/** Time as real models need it; mocks have none. */
export interface Clock {
  /** Wall-clock time in ms. */
  now(): number;
  /** Returns a function that calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

/** A signal that fires with another one, or when time is up. */
type Deadline = ReturnType<typeof startDeadline>;

const RETRY_RULE = 'v1.17.15';
const LONGEST_REASON = 200;
/** With what the client needs besides, a fault is told within five seconds. */
const FIRST_ANSWER_MS = 3_000;
/** Short waits, each of which a busy machine lengthens, so that no clock alone takes a server for silent. */
const SIGN_OF_LIFE = { looks: 10, everyMs: 100 };
const FIRST_SIZE: RequestSize = { inputTokens: 32, outputTokens: 16 };
const FIRST_REQUEST: TextRequest = {
  system: 'Answer with one word.',
  messages: [{ role: 'user', content: 'Ready?' }],
  outputCapTokens: FIRST_SIZE.outputTokens,
};
/** Keys that are not taken, and models that are not there. */
const HOPELESS: ReadonlySet<number | undefined> = new Set([401, 403, 404]);
const NOTHING = { readTokens: 0, writeTokens: 0, freshTokens: 0, lostTokens: 0, isCold: false };

/** Asks a model, and again where that may help. Rejects at an abort or without money. */
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

/** Asks a model once, and briefly; the reason why it will never answer. */
export async function findFault(
  options: Pick<CallOptions, 'model' | 'profile' | 'budget' | 'clock' | 'limiter'>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { model, clock } = options;
  await untilAborted(model.prepare(), signal);
  const deadline = startDeadline(clock, FIRST_ANSWER_MS, signal);
  const asking = { ...options, size: FIRST_SIZE, depart: () => {}, timeoutMs: FIRST_ANSWER_MS };
  try {
    const asked = tryOnce(deadline.signal, FIRST_REQUEST, { ...asking, retries: 0 });
    const attempt = await unlessTooDear(asked);
    signal?.throwIfAborted();
    if (attempt instanceof HarnessError || 'reply' in attempt) return undefined;
    if (deadline.isOver()) return await findSilence(options, signal);
    const { error, isUnsent } = attempt.read;
    const isHopeless = isUnsent || HOPELESS.has(error.statusCode);
    return isHopeless ? composeErrorMessage(error) : undefined;
  } finally {
    deadline.end();
  }
}

/** The most that a request can cost: all of its input fresh, or all of it written to the cache. */
export function worstCostOf(
  profile: ModelProfile | undefined,
  { inputTokens, outputTokens }: RequestSize,
) {
  if (profile?.prices === undefined) return undefined;
  const { prices, cache } = profile;
  const costs = [{ freshTokens: inputTokens }, { writeTokens: inputTokens }].map((input) =>
    billRequest({ split: { ...NOTHING, ...input }, outputTokens }, prices, cache),
  );
  return Math.max(...costs.map(({ totalNanoUsd }) => totalNanoUsd));
}

/** A budget; without a limit it only counts. */
export function createBudget(limitUsd: number | undefined) {
  const limitNanoUsd = limitUsd === undefined ? Infinity : limitUsd * NANO_USD_PER_USD;
  let [spent, unanswered, held] = [0, 0, 0];
  return {
    /** Sets aside the most that a request can cost until its result is called; throws above the limit. An unknown cost counts whole. */
    hold: (worstNanoUsd: number = 0) => {
      const gone = spent + unanswered;
      if (gone + held + worstNanoUsd > limitNanoUsd) {
        const underWay = held === 0 ? '' : ` and up to ${toUsd(held)} is under way`;
        throw new HarnessError(
          'OVER_BUDGET',
          `The next request may cost ${toUsd(worstNanoUsd)}, which would pass the budget of ${toUsd(limitNanoUsd)}: ${toUsd(gone)} is spent${underWay}. It was not sent.`,
        );
      }
      held += worstNanoUsd;
      return (costNanoUsd: number | 'unknown') => {
        held -= worstNanoUsd;
        if (costNanoUsd === 'unknown') unanswered += worstNanoUsd;
        else spent += costNanoUsd;
      };
    },
    spentNanoUsd: () => spent,
    unansweredNanoUsd: () => unanswered,
  };
}

export function createLimiter(options: LimiterOptions, clock: Clock) {
  let free = options.concurrency;
  const waiting: (() => void)[] = [];
  let sent: readonly SentRequest[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const pass = async (tokens: number, signal: AbortSignal | undefined) => {
    for (;;) {
      const nowMs = clock.now();
      sent = sent.filter(({ atMs }) => nowMs - atMs < MINUTE_MS);
      const waitMs = waitMsFor(tokens, sent, { ...options, nowMs });
      if (waitMs === 0) break;
      await sleep(clock, waitMs, signal);
    }
    const request: SentRequest = { atMs: clock.now(), tokens };
    sent = [...sent, request];
    return () => {
      request.atMs = clock.now();
    };
  };
  return {
    /** Waits for a place; what comes back gives it up again. */
    enter: async (signal: AbortSignal | undefined): Promise<() => void> => {
      signal?.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return leave;
      }
      const granted = new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
      try {
        await untilAborted(granted, signal);
      } catch (error) {
        // A place that is given to someone who has gone goes on to the next.
        void granted.then(leave);
        throw error;
      }
      return leave;
    },
    /** Waits until a request of that size may be sent; what comes back begins its minute. One larger than a minute's tokens is sent alone. */
    waitFor: (tokens: number, signal: AbortSignal | undefined): Promise<() => void> => {
      const passed = last.then(() => pass(tokens, signal));
      last = passed.catch(() => undefined);
      return passed;
    },
  };
}

/** Waits, unless the signal fires first. */
export async function sleep(
  clock: Clock,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let cancel: (() => void) | undefined;
  const waiting = new Promise<void>((resolve) => {
    cancel = clock.after(delayMs, resolve);
  });
  try {
    await untilAborted(waiting, signal);
  } finally {
    cancel?.();
  }
}

/** The value, unless the signal fires first. */
export async function untilAborted<Value>(
  value: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return value;
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    // All that wait at once listen to the same one.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}

/** A slow model may answer later; a server that says nothing at all will not. */
async function findSilence(
  { model, clock }: Pick<CallOptions, 'model' | 'clock'>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (model.isServed === undefined) return undefined;
  const over = new AbortController();
  let cancel: (() => void) | undefined;
  const look = (left: number) => {
    if (left === 0) over.abort();
    else cancel = clock.after(SIGN_OF_LIFE.everyMs, () => look(left - 1));
  };
  look(SIGN_OF_LIFE.looks);
  try {
    const isServed = await model.isServed(
      AbortSignal.any([over.signal, ...(signal ? [signal] : [])]),
    );
    signal?.throwIfAborted();
    return isServed ? undefined : 'a server that takes requests and says nothing';
  } finally {
    cancel?.();
  }
}

async function askUntil(deadline: Deadline, request: TextRequest, options: Asking) {
  const { clock, size, limiter, timeoutMs } = options;
  let { depart } = options;
  let failed: FailedAnswer | undefined;
  for (let tries = 1; ; tries++) {
    const attempt = await unlessTooDear(tryOnce(deadline.signal, request, { ...options, depart }));
    if (attempt instanceof HarnessError) {
      if (failed === undefined) throw attempt;
      return failed;
    }
    if ('reply' in attempt) return toAnswer(attempt, options.profile);
    if (deadline.isOver()) return timedOut(timeoutMs, tries);
    deadline.signal.throwIfAborted();
    // The cost of an interrupted request is unknown.
    const isFree = costsNothing(attempt.read) && options.profile?.prices !== undefined;
    const call = { latencyMs: attempt.latencyMs, ...(isFree && { costNanoUsd: 0 }) };
    failed = { ...toFailedAnswer(attempt.read, tries), call };
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
  const settle = budget.hold(worstNanoUsd);
  const startMs = clock.now();
  depart();
  try {
    const reply = await untilAborted(model.ask(request, signal), signal);
    const usage = reply.usage ?? estimateUsage?.(reply);
    settle(costOf(profile, usage) ?? worstNanoUsd ?? 0);
    return { reply, latencyMs: clock.now() - startMs };
  } catch (error) {
    const read = readError(error);
    const missing = whyNotSetUp(error);
    // A call that broke on its way may have been billed.
    settle(missing !== undefined || costsNothing(read) ? 0 : 'unknown');
    if (missing === undefined) return { read, latencyMs: clock.now() - startMs };
    throw badOption(
      `Expected ${quoted(model.id)} to be set up, got ${quoted(missing, LONGEST_REASON)}.`,
      { cause: error },
    );
  }
}

function costOf(profile: ModelProfile | undefined, usage: Usage | undefined) {
  if (profile?.prices === undefined || usage === undefined) return undefined;
  const { input, output, reasoning, cacheRead, cacheWrite } = usage;
  const split = { ...NOTHING, readTokens: cacheRead, writeTokens: cacheWrite, freshTokens: input };
  const billed = { split, outputTokens: output + reasoning };
  return billRequest(billed, profile.prices, profile.cache).totalNanoUsd;
}

/** Refusals are free, and so is what never left the machine. */
function costsNothing({ error: { statusCode = 0 }, isUnsent }: ReadError) {
  return statusCode >= 400 || isUnsent;
}

function toAnswer(
  { reply, latencyMs }: Attempt & { readonly reply: TextReply },
  profile: ModelProfile | undefined,
): SummaryAnswer {
  const { text, finish, reasoningText, ...told } = reply;
  const costNanoUsd = costOf(profile, told.usage);
  return {
    state: 'finished',
    text,
    finish,
    ...known({ reasoningText }),
    call: { ...told, latencyMs, ...known({ costNanoUsd }) },
  };
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

function delayBefore({ request }: ReadError, attempt: number, { clock, retries }: CallOptions) {
  if (attempt > retries) return undefined;
  const plan = planRetry(request, { rule: RETRY_RULE, attempt, nowMs: clock.now() });
  return plan.state === 'retry' ? plan.delayMs : undefined;
}

function toUsd(nanoUsd: number) {
  return formatDollars(nanoUsd / NANO_USD_PER_USD);
}

function startDeadline(clock: Clock, timeoutMs: number, parent: AbortSignal | undefined) {
  const over = new AbortController();
  const untilMs = clock.now() + timeoutMs;
  const cancel = clock.after(timeoutMs, () => {
    over.abort(new Error(`No answer within ${timeoutMs} ms.`));
  });
  const signal = AbortSignal.any([over.signal, ...(parent ? [parent] : [])]);
  return {
    signal,
    /** True if time was up before the other signal fired. */
    isOver: () => over.signal.aborted && signal.reason === over.signal.reason,
    leftMs: () => untilMs - clock.now(),
    end: cancel,
  };
}

/** Time until enough earlier requests are a minute old; 0 where nothing blocks. */
function waitMsFor(
  tokens: number,
  sent: readonly SentRequest[],
  {
    requestsPerMinute = Infinity,
    tokensPerMinute = Infinity,
    nowMs,
  }: LimiterOptions & { readonly nowMs: number },
) {
  const hasRoom = (after: number) => {
    const rest = sent.slice(after);
    const restTokens = sum(rest.map((request) => request.tokens));
    const hasTokens = rest.length === 0 || restTokens + tokens <= tokensPerMinute;
    return rest.length < requestsPerMinute && hasTokens;
  };
  const blocking = sent.findIndex((_, index) => !hasRoom(index) && hasRoom(index + 1));
  const last = sent[blocking];
  return hasRoom(0) || last === undefined ? 0 : Math.max(1, last.atMs + MINUTE_MS - nowMs);
}
