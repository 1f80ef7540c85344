import type { Message } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { isCarried } from './carried.ts';
import { goneAfter, hiddenBy } from './gone.ts';
import { describeReference, type Loss, type Need, type StepNeeds } from './needs.ts';
import type { Reference } from './reference.ts';
import type { ViewTracker } from './view-tracker.ts';
import { hasPart, hasRecorded, hasSaid, hasWhole } from './visible.ts';

/** What the steps of a run needed and a view did not show; most runs have none. */
export interface Misses {
  readonly tracker: ViewTracker;
  missed: Map<Reference, Loss> | undefined;
}

const NO_MESSAGES: readonly Message[] = [];
const NO_REFERENCES: readonly Reference[] = [];
const NOTHING: readonly RunEvent[] = [];

/** The misses of a run that has not begun. */
export function startMisses(tracker: ViewTracker): Misses {
  return { tracker, missed: undefined };
}

/** What of a step's needs the view does not show; it counts as missed from then on. */
export function findMissed(misses: Misses, step: StepNeeds | undefined): readonly Reference[] {
  if (step === undefined || hasAll(misses, step)) return NO_REFERENCES;
  let lost: Reference[] | undefined;
  for (const need of step.needs) {
    const loss = lossOf(misses, need);
    if (loss === undefined) continue;
    const { reference } = need;
    misses.missed ??= new Map();
    if (!misses.missed.has(reference)) misses.missed.set(reference, loss);
    lost ??= [];
    lost.push(reference);
  }
  return lost ?? NO_REFERENCES;
}

/** Tells what a step needed and what of it was missed. */
export function tellNeeds({ missed }: Misses, step: StepNeeds | undefined): readonly RunEvent[] {
  if (step === undefined) return NOTHING;
  const { needs, told } = step;
  return missed === undefined
    ? told
    : needs.map(({ reference }, index) => {
        const loss = missed.get(reference);
        return (loss ? undefined : told[index]) ?? describeReference(reference, loss);
      });
}

/** Where nothing happened to the messages that hold it, nothing of what a step needs is missed. */
function hasAll({ tracker }: Misses, { from, to }: StepNeeds): boolean {
  return hasRecorded(tracker.visible, from, to);
}

function lossOf(misses: Misses, need: Need): Loss | undefined {
  const loss = lossOfPart(misses, need);
  return loss !== undefined && isShownElsewhere(misses, need) ? undefined : loss;
}

function lossOfPart({ tracker }: Misses, { reference, part }: Need): Loss | undefined {
  const { visible, leaving } = tracker;
  const { side } = reference.source;
  const isShown = side === 'said' ? hasSaid : hasWhole;
  if (isShown(visible, part)) return undefined;
  const by = hasPart(visible, part) ? 'prune' : hiddenBy(leaving, part);
  return { by, after: goneAfter(leaving, part, side) };
}

/** An older part may hold the same; what a policy sends again under another name is visible, too. */
function isShownElsewhere({ tracker }: Misses, { alike, sought }: Need): boolean {
  for (const part of alike) if (hasWhole(tracker.visible, part)) return true;
  return sought !== undefined && isCarried(tracker.own ?? NO_MESSAGES, sought);
}
