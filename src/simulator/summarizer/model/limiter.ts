import { setMaxListeners } from 'node:events';
import { sum } from '../../lib/collections.ts';
import { MINUTE_MS } from '../../lib/units.ts';

/** How much may be asked of a provider at once and in a minute. */
export interface LimiterOptions {
  readonly concurrency: number;
  readonly requestsPerMinute?: number | undefined;
  /** Of input and the output cap together. */
  readonly tokensPerMinute?: number | undefined;
}

/** Lets requests through, first come, first served. */
export interface Limiter {
  /** Waits for a place; what comes back gives it up again. */
  enter(signal: AbortSignal | undefined): Promise<() => void>;
  /** Waits until a request of that size may be sent; what comes back begins its minute. One larger than a minute's tokens is sent alone. */
  waitFor(tokens: number, signal: AbortSignal | undefined): Promise<() => void>;
}

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
export type Deadline = ReturnType<typeof startDeadline>;

export function createLimiter(options: LimiterOptions, clock: Clock): Limiter {
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
    enter: async (signal) => {
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
    waitFor: (tokens, signal) => {
      const passed = last.then(() => pass(tokens, signal));
      last = passed.catch(() => undefined);
      return passed;
    },
  };
}

export function startDeadline(clock: Clock, timeoutMs: number, parent: AbortSignal | undefined) {
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
