import { addToGroup } from '../../group-by.ts';
import type { RunKey } from '../../metrics/record.ts';
import type { ResultRow } from '../result-row.ts';
import type { EffectiveCell } from './effective-key.ts';
import { allowsMinimum, isAtLeast, type Leeway, type Thresholds } from './thresholds.ts';

/** What a run came to, under whatever name. */
export type Outcome = Omit<ResultRow, keyof RunKey | 'sessionHash' | 'cell' | 'settings'>;

/** A run that may have been made already. */
export interface AskedRun {
  readonly cell: EffectiveCell;
  readonly seed: number;
}

/** What the runs of one session came to, for those that would be the same. */
export interface Outcomes {
  find(run: AskedRun): Outcome | undefined;
  add(run: AskedRun, outcome: Outcome, leeway: Leeway): void;
}

/** A run that was made. */
interface Known {
  readonly thresholds: Thresholds;
  readonly leeway: Leeway;
  readonly outcome: Outcome;
}

type Shelf = Pick<Leeway, 'limitsMayRise' | 'protectMayRise'>;

/** Runs lie by what has to be equal, so that nobody looks through all of them. */
const SHELVES: readonly Shelf[] = [false, true].flatMap((limitsMayRise) =>
  [false, true].map((protectMayRise) => ({ limitsMayRise, protectMayRise })),
);

/** Outcomes of a session that nothing was run of. */
export function createOutcomes(): Outcomes {
  const shelves = new Map<string, Known[]>();
  return {
    find: (run) => {
      const { thresholds } = run.cell;
      for (const key of SHELVES.map((shelf) => keyOf(run, shelf))) {
        const known = shelves.get(key)?.find((one) => holdsFor(one, thresholds));
        if (known !== undefined) return known.outcome;
      }
      return undefined;
    },
    add: (run, outcome, leeway) => {
      const known = { thresholds: run.cell.thresholds, leeway, outcome };
      addToGroup(shelves, keyOf(run, leeway), known);
    },
  };
}

function keyOf({ cell, seed }: AskedRun, { limitsMayRise, protectMayRise }: Shelf): string {
  const { limits, protectTokens } = cell.thresholds;
  const fixedLimits = limitsMayRise ? '' : limits.join();
  return `${cell.family} ${seed} ${fixedLimits} ${protectMayRise ? '' : protectTokens}`;
}

function holdsFor({ thresholds, leeway }: Known, other: Thresholds): boolean {
  const { limits, protectTokens, minimumTokens } = thresholds;
  return (
    other.protectTokens >= protectTokens &&
    isAtLeast(other.limits, limits) &&
    allowsMinimum(leeway, minimumTokens, other.minimumTokens)
  );
}
