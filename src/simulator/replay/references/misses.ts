import type { RunEvent } from '../../events.ts';
import { describeReference, type MissedBy, type Need, type StepNeeds } from './needs.ts';
import type { Reference, Source } from './reference.ts';
import type { ViewTracker } from './view-tracker.ts';

/** A part that was read again. */
export interface Copy {
  readonly partId: string;
  readonly output: string;
}

/** Keeps in mind what the steps of a run needed and a view did not show. */
export interface Misses {
  /** What of a step's needs the view does not show; it counts as missed from then on. */
  find(step: StepNeeds | undefined): readonly Reference[];
  /** Tells what a step needed and what of it was missed. */
  tell(step: StepNeeds | undefined): readonly RunEvent[];
  /** The source of a reference stands in the view again. */
  restore(source: Source, copy: Copy): void;
}

/** The misses of a run in the middle of it; most runs have none. */
interface Missing {
  readonly tracker: ViewTracker;
  /** Numbers of parts that were read again, by the part that was lost. */
  copies: Map<string, number> | undefined;
  missed: Map<Reference, MissedBy> | undefined;
}

const NO_REFERENCES: readonly Reference[] = [];
const NOTHING: readonly RunEvent[] = [];

/** The misses of a run that has not begun. */
export function createMisses(tracker: ViewTracker): Misses {
  const missing: Missing = { tracker, copies: undefined, missed: undefined };
  return {
    find: (step) => findMisses(missing, step),
    tell: (step) => (step === undefined ? NOTHING : tellNeeds(missing, step)),
    restore: (source, { partId, output }) => {
      missing.copies ??= new Map();
      missing.copies.set(source.partId, tracker.addOutput(partId, output));
    },
  };
}

function findMisses(missing: Missing, step: StepNeeds | undefined): readonly Reference[] {
  if (step === undefined || hasAll(missing, step)) return NO_REFERENCES;
  let lost: Reference[] | undefined;
  for (const need of step.needs) {
    const loss = lossOf(missing, need);
    if (loss === undefined) continue;
    const { reference } = need;
    missing.missed ??= new Map();
    if (!missing.missed.has(reference)) missing.missed.set(reference, loss);
    lost ??= [];
    lost.push(reference);
  }
  return lost ?? NO_REFERENCES;
}

/** Where nothing happened to the messages that hold it, nothing of what a step needs is missed. */
function hasAll({ tracker }: Missing, { from, to }: StepNeeds): boolean {
  return tracker.visible.hasRecorded(from, to);
}

function lossOf({ copies, tracker }: Missing, { reference, part }: Need): MissedBy | undefined {
  const { visible } = tracker;
  const { partId, side } = reference.source;
  const copy = copies?.get(partId);
  if (copy !== undefined && visible.hasWhole(copy)) return undefined;
  if (!visible.hasPart(part)) return 'pivot';
  return side === 'said' || visible.hasWhole(part) ? undefined : 'prune';
}

function tellNeeds({ missed }: Missing, { needs, told }: StepNeeds): readonly RunEvent[] {
  return missed === undefined
    ? told
    : needs.map(({ reference }, index) => {
        const missedBy = missed.get(reference);
        return (missedBy ? undefined : told[index]) ?? describeReference(reference, missedBy);
      });
}
