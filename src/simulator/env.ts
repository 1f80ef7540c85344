import { createRandom } from './random.ts';

/** The only source of time, randomness and ids in a run. */
export interface Env {
  /** Simulated time in ms; it passes only when `advanceTo` says so. */
  readonly now: () => number;
  /** Moves the clock forward to a recorded time; an earlier one is ignored. */
  readonly advanceTo: (timeMs: number) => void;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** The next id of that kind: `message-1`, `message-2`, … */
  readonly newId: (prefix: string) => string;
}

/** An `Env` that gives the same values for the same seed. */
export function createEnv(seed: number): Env {
  const random = createRandom(seed);
  let timeMs = 0;
  let lastId = 0;
  return {
    now: () => timeMs,
    advanceTo: (recordedMs) => {
      if (recordedMs > timeMs) timeMs = recordedMs;
    },
    random,
    newId: (prefix) => `${prefix}-${++lastId}`,
  };
}
