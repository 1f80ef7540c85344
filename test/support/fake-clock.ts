import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/simulator/summarizer/model/call.ts';

/** A clock that stands still until nothing else happens, and then jumps to what it was set for. */
export interface FakeClock extends Clock {
  /** The value, with time passing as it is waited for. */
  passUntil<Value>(value: Promise<Value>): Promise<Value>;
  /** Timers that nobody called off. */
  pending(): number;
}

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that begins at that time. */
export function fakeClock(startMs = 1_000_000): FakeClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  const jump = () => {
    const [next] = [...timers].toSorted((one, other) => one.atMs - other.atMs);
    if (next === undefined) throw new Error('Expected something to wait for.');
    timers.delete(next);
    nowMs = Math.max(nowMs, next.atMs);
    next.run();
  };
  return {
    now: () => nowMs,
    after: (delayMs, run) => {
      const timer = { atMs: nowMs + delayMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pending: () => timers.size,
    passUntil: async (value) => {
      let isSettled = false;
      const settle = () => {
        isSettled = true;
      };
      value.then(settle, settle);
      for (;;) {
        await setImmediate();
        if (isSettled) return value;
        jump();
      }
    },
  };
}
