/** The time of a recording: it passes only where it is told to. */
export interface Clock {
  now(): number;
  pass(ms: number): void;
}

const START_MS = 1_767_225_600_000;

/** A clock that stands at the first moment of every recording. */
export function createClock(): Clock {
  let now = START_MS;
  return {
    now: () => now,
    pass: (ms) => {
      now += Math.round(ms);
    },
  };
}
