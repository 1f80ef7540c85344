import { createRandom } from '../../random.ts';

/** A session with its size, by which sessions are spread over both parts. */
export interface SizedSession {
  readonly session: string;
  readonly size: number;
}

/** Sessions to tune on, and sessions that the outcome is reported on. */
export interface Split {
  readonly tuning: readonly string[];
  /** Empty where all sessions are tuned on. */
  readonly heldOut: readonly string[];
}

/** Parts smaller than this say nothing. */
const LEAST_PART = 2;

/**
 * Splits sessions so that both parts have small and large ones: in the order of size, one of every so many is held
 * out, which one the seed decides. Neither part is smaller than it may be; of too few for both none is held out.
 */
export function splitSessions(
  sessions: readonly SizedSession[],
  { share, seed }: { readonly share: number; readonly seed: number },
): Split {
  const ordered = sessions
    .toSorted((a, b) => a.size - b.size || (a.session < b.session ? -1 : 1))
    .map(({ session }) => session);
  const most = ordered.length - LEAST_PART;
  if (share === 0 || most < LEAST_PART) return { tuning: ordered, heldOut: [] };
  const wanted = Math.min(most, Math.max(LEAST_PART, Math.round(share * ordered.length)));
  const drawn = drawOneOfEach(ordered.length, wanted, createRandom(seed));
  return {
    tuning: ordered.filter((_, index) => !drawn.has(index)),
    heldOut: ordered.filter((_, index) => drawn.has(index)),
  };
}

/** As many indices as wanted, one of each of as many stretches of equal length. */
function drawOneOfEach(size: number, wanted: number, random: () => number): ReadonlySet<number> {
  const drawn = new Set<number>();
  for (let stretch = 0; stretch < wanted; stretch++) {
    let index = Math.floor(((stretch + random()) * size) / wanted);
    // A stretch begins where the one before ends, which may be within one session.
    while (drawn.has(index)) index = (index + 1) % size;
    drawn.add(index);
  }
  return drawn;
}
