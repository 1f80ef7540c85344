/** Time as real models need it; mocks have none. */
export interface Clock {
  /** Wall-clock time in ms. */
  now(): number;
  /** Runs something after a while; what comes back calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

/** A signal that fires with another one, or when time is up. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether time was up before the other signal fired. */
  isOver(): boolean;
  /** Time left in ms. */
  leftMs(): number;
  /** Lets go of the clock and of the other signal. */
  end(): void;
}

/** A deadline that begins at once. */
export function startDeadline(
  clock: Clock,
  timeoutMs: number,
  parent: AbortSignal | undefined,
): Deadline {
  const controller = new AbortController();
  const untilMs = clock.now() + timeoutMs;
  let isOver = false;
  const cancel = clock.after(timeoutMs, () => {
    isOver = !controller.signal.aborted;
    controller.abort(new Error(`No answer within ${timeoutMs} ms.`));
  });
  const follow = () => controller.abort(parent?.reason);
  if (parent?.aborted) follow();
  parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    isOver: () => isOver,
    leftMs: () => untilMs - clock.now(),
    end: () => {
      cancel();
      parent?.removeEventListener('abort', follow);
    },
  };
}

/** Waits, unless the signal fires first: then it rejects with the signal's reason. */
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

/** The value, unless the signal fires first: whoever makes the value may not listen to it. */
export async function untilAborted<Value>(
  value: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return value;
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}
