import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

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

/** Variables of the environment by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

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

/** A generator of numbers in [0, 1), the same for a seed on every machine. */
export function createRandom(seed: number): () => number {
  const generator = xoroshiro128plus(seed);
  return () => (generator.next() >>> 0) / 2 ** 32;
}
