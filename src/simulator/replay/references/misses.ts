import type { RunEvent } from '../../events.ts';
import { isCarried, type Sought } from './carried.ts';
import { describeReference, type MissedBy, type Need, type StepNeeds } from './needs.ts';
import { type Recording, recordingOf } from './recording.ts';
import type { Reference, References, Source } from './reference.ts';
import type { ViewTracker } from './view-tracker.ts';

/** Keeps in mind what the steps of a run needed and a view did not show. */
export interface Misses {
  /** What of a step's needs the view does not show; it counts as missed from then on. */
  find(step: StepNeeds | undefined): readonly Reference[];
  /** Tells what a step needed and what of it was missed. */
  tell(step: StepNeeds | undefined): readonly RunEvent[];
}

/** The misses of a run in the middle of it; most runs have none. */
interface Missing {
  readonly references: References;
  readonly recording: Recording;
  readonly tracker: ViewTracker;
  missed: Map<Reference, MissedBy> | undefined;
}

const NO_REFERENCES: readonly Reference[] = [];
const NOTHING: readonly RunEvent[] = [];

/** The misses of a run that has not begun. */
export function createMisses(references: References, tracker: ViewTracker): Misses {
  const missing: Missing = {
    references,
    recording: recordingOf(references),
    tracker,
    missed: undefined,
  };
  return {
    find: (step) => findMisses(missing, step),
    tell: (step) => (step === undefined ? NOTHING : tellNeeds(missing, step)),
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

function lossOf(missing: Missing, need: Need): MissedBy | undefined {
  const loss = lossOfPart(missing, need);
  return loss !== undefined && isShownElsewhere(missing, need) ? undefined : loss;
}

function lossOfPart({ tracker }: Missing, { reference, part }: Need): MissedBy | undefined {
  const { visible } = tracker;
  if (!visible.hasPart(part)) return 'pivot';
  return reference.source.side === 'said' || visible.hasWhole(part) ? undefined : 'prune';
}

/** An older part may hold the same; what a policy sends again under another name is visible, too. */
function isShownElsewhere(missing: Missing, { reference: { source } }: Need): boolean {
  if (source.side === 'output' && hasAnyWhole(missing, source)) return true;
  const sought = soughtOf(missing, source);
  return sought !== undefined && isCarried(missing.tracker.own, sought);
}

function hasAnyWhole({ references, tracker }: Missing, { parts }: Source): boolean {
  return parts.some(({ id }) => {
    const part = references.partNumbers.get(id);
    return part !== undefined && tracker.visible.hasWhole(part);
  });
}

function soughtOf({ references, recording }: Missing, source: Source): Sought | undefined {
  const message = references.messages[recording.places.get(source.messageId) ?? -1];
  const part = message?.parts.find(({ id }) => id === source.partId);
  return message && part && { message, part, side: source.side };
}

function tellNeeds({ missed }: Missing, { needs, told }: StepNeeds): readonly RunEvent[] {
  return missed === undefined
    ? told
    : needs.map(({ reference }, index) => {
        const missedBy = missed.get(reference);
        return (missedBy ? undefined : told[index]) ?? describeReference(reference, missedBy);
      });
}
