import type { RunEvent } from '../../events.ts';

/** Numbers of a cell that runs do nothing with but hold their counts against. */
export interface Thresholds {
  /** What a request may hold, by whoever asks: usable tokens, windows and caps on input. */
  readonly limits: readonly number[];
  readonly protectTokens: number;
  readonly minimumTokens: number;
}

/** How far the thresholds of a run can be moved, all of them at once, without the run being another one. */
export interface Leeway {
  /** Whether no limit was met: larger ones would not be either. */
  readonly limitsMayRise: boolean;
  /** Whether nothing was ever old enough to be cleared: nothing would be if more were protected. */
  readonly protectMayRise: boolean;
  /** The largest saving that was too small; a minimum of less would have let it pass. */
  readonly leastMinimum: number;
  /** The smallest saving that was enough; a minimum of that would have stopped it. */
  readonly minimumBelow: number;
}

/** Finds the leeway of a run from its events. */
export interface LeewayWatch {
  readonly add: (event: RunEvent) => void;
  /** The run that it is measured against, where another one is: the prune of that one goes by everything. */
  readonly addBound: (event: RunEvent) => void;
  readonly end: () => Leeway;
}

/** What happens in runs that meet no limit. Whatever else happened, other limits might have changed it. */
const QUIET: ReadonlySet<RunEvent['type']> = new Set([
  'run-start',
  'turn-start',
  'step-end',
  'prune-end',
  'reference',
  'eviction',
  'stale-kept',
  'standing',
  'turn-end',
]);

/** No minimum lies there, so that only the run's own holds. */
const NO_OTHER_PRUNE = { protectMayRise: false, leastMinimum: Infinity, minimumBelow: 0 };

/** The leeway of a run that nothing is known of: none. */
export const NO_LEEWAY: Leeway = { limitsMayRise: false, ...NO_OTHER_PRUNE };

/** A watch over a run that has not begun. */
export function watchLeeway(): LeewayWatch {
  const leeway = {
    limitsMayRise: true,
    protectMayRise: true,
    leastMinimum: 0,
    minimumBelow: Infinity,
  };
  let hasBound = false;
  const add = (event: RunEvent) => {
    leeway.limitsMayRise &&= isQuiet(event);
    if (event.type !== 'prune-end' || event.state === 'nothing') return;
    leeway.protectMayRise = false;
    const { estimatedTokens: saved } = event;
    if (event.state === 'fired') leeway.minimumBelow = Math.min(leeway.minimumBelow, saved);
    else leeway.leastMinimum = Math.max(leeway.leastMinimum, saved);
  };
  return {
    add,
    addBound: (event) => {
      hasBound = true;
      leeway.limitsMayRise &&= isQuiet(event);
    },
    end: () => (hasBound ? { ...leeway, ...NO_OTHER_PRUNE } : leeway),
  };
}

/** Whether a minimum does what a run's own did. */
export function allowsMinimum(leeway: Leeway, own: number, other: number): boolean {
  const { leastMinimum, minimumBelow } = leeway;
  return other === own || (other >= leastMinimum && other < minimumBelow);
}

/** Whether no number of one is smaller than that of the other. */
export function isAtLeast(one: readonly number[], other: readonly number[]): boolean {
  return one.every((number, index) => number >= (other[index] ?? 0));
}

/** Smaller thresholds first, for what they let pass tells of the larger ones. */
export function compareThresholds(one: Thresholds, other: Thresholds): number {
  const [a, b] = [toNumbers(one), toNumbers(other)];
  const index = a.findIndex((number, place) => number !== b[place]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

function isQuiet(event: RunEvent): boolean {
  return event.type === 'run-end' ? event.state === 'completed' : QUIET.has(event.type);
}

function toNumbers({ limits, protectTokens, minimumTokens }: Thresholds): readonly number[] {
  return [protectTokens, minimumTokens, ...limits];
}
