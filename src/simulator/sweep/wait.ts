import { setTimeout as delay } from 'node:timers/promises';

export async function pause(delayMs: number, signal: AbortSignal | undefined) {
  try {
    await delay(delayMs, undefined, { signal });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/** The value; `undefined` if the signal fires first, for a server that is away answers nothing. */
export async function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined) {
  if (signal === undefined) return value;
  const stopped = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    const stop = () => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true, signal: stopped.signal });
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    stopped.abort();
  }
}
