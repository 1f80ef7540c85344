import type { EvictionCause } from '../../events.ts';
import type { Side } from './reference.ts';
import type { Shown } from './shown-in.ts';
import { hasItem, hasPart, hasSaid, hasWhole, type Visible } from './visible.ts';

/** What a view does not show any more. */
export interface Gone {
  /** Outputs that are hidden or cleared, and the recording's texts and calls, each the first time since it was shown whole. */
  readonly parts: number;
  /** Standing items, in their order in the view. */
  readonly items: readonly number[];
}

/** Times at which messages left a view. */
export interface Leaving {
  /** The newest step that was sent. */
  step: number;
  /** The step that was the newest then, of each time; nothing before the first. */
  readonly steps: number[];
  /** What they left by, of each time; before the first, what a view did not show at all was behind its window. */
  readonly causes: EvictionCause[];
  /** The newest of them at which an output was gone, by the number of its part. */
  readonly outputsGoneAt: number[];
  /** The newest of them at which something said was gone, by the number of its part. */
  readonly saidGoneAt: number[];
  /** The newest of them at which all of a part was gone, by its number. */
  readonly hiddenAt: number[];
}

/** Messages that left a view, and by what. */
export interface Left {
  readonly left: readonly Shown[];
  readonly by: EvictionCause;
  readonly onHidden: OnHidden;
}

/** Whom it is told of what else happens to outputs, by the numbers of their parts. */
export type OnHidden = (part: number) => void;

/** Stands for the time at which nothing has left yet. */
const NEVER = -1;

/** No message has left yet. */
export function startLeaving(): Leaving {
  return {
    step: 0,
    steps: [NEVER],
    causes: ['window'],
    outputsGoneAt: [],
    saidGoneAt: [],
    hiddenAt: [],
  };
}

/** Looks what is gone of messages that left; of outputs that are, it tells somebody. */
export function goneFrom(leaving: Leaving, visible: Visible, { left, by, onHidden }: Left): Gone {
  leaving.steps.push(leaving.step);
  leaving.causes.push(by);
  let parts = 0;
  for (const shown of left) {
    parts +=
      countOutputs(leaving, visible, { shown, onHidden }) + countSaid(leaving, visible, shown);
    noteHidden(leaving, visible, shown);
  }
  return { parts, items: goneItems(visible, left) };
}

/** The step after which a side of a part was gone; absent where it never was. */
export function goneAfter(
  { steps, outputsGoneAt, saidGoneAt }: Leaving,
  part: number,
  side: Side,
): number | undefined {
  const goneAt = side === 'output' ? outputsGoneAt : saidGoneAt;
  const step = steps[goneAt[part] ?? 0];
  return step === NEVER ? undefined : step;
}

/** What a part that no message shows any more was hidden by. */
export function hiddenBy({ causes, hiddenAt }: Leaving, part: number): EvictionCause {
  return causes[hiddenAt[part] ?? 0] ?? 'window';
}

function noteHidden(leaving: Leaving, visible: Visible, { parts }: Shown): void {
  for (const part of parts) {
    if (!hasPart(visible, part)) noteGone(leaving.hiddenAt, part, leaving);
  }
}

function countOutputs(
  leaving: Leaving,
  visible: Visible,
  { shown, onHidden }: { readonly shown: Shown; readonly onHidden: OnHidden },
): number {
  let gone = 0;
  for (const part of shown.wholes) {
    if (hasWhole(visible, part)) continue;
    if (isNewlyGone(leaving.outputsGoneAt, part, leaving)) gone += 1;
    onHidden(part);
  }
  return gone;
}

/** An output is gone as soon as it is not whole any more, and is so no second time where its call goes, too. */
function countSaid(leaving: Leaving, visible: Visible, { said }: Shown): number {
  const { times } = visible.wholes.places;
  let gone = 0;
  for (const part of said) {
    if (hasSaid(visible, part)) continue;
    // What a policy wrote itself has numbers behind those of the recording.
    if (part >= times.length || !isNewlyGone(leaving.saidGoneAt, part, leaving)) continue;
    const hasLostOutput = (times[part] ?? 0) > 0 && !hasWhole(visible, part);
    if (!hasLostOutput) gone += 1;
  }
  return gone;
}

/** Whether a part was not known to be gone at the newest time; from now on it is. */
function isNewlyGone(goneAt: number[], part: number, leaving: Leaving): boolean {
  if (goneAt[part] === leaving.steps.length - 1) return false;
  noteGone(goneAt, part, leaving);
  return true;
}

function noteGone(goneAt: number[], part: number, { steps }: Leaving): void {
  while (goneAt.length <= part) goneAt.push(0);
  goneAt[part] = steps.length - 1;
}

/** Items that no message shows. */
function goneItems(visible: Visible, left: readonly Shown[]): readonly number[] {
  const gone = new Set<number>();
  for (const { items } of left) {
    for (const item of items) if (!hasItem(visible, item)) gone.add(item);
  }
  return [...gone];
}
