import type { LawName } from '../policy.ts';
import type { FactsByMoment, Finding, Law, Moment } from './law.ts';
import {
  findGrowth,
  findHighFloor,
  findLostHistory,
  findLostRequest,
  findOversizedRequest,
  findRepetition,
  findTraces,
  findUnwantedMarkers,
} from './pivot-laws.ts';
import {
  findClearedGuards,
  findClearedNewest,
  findClearedProtected,
  findPoorSaving,
  findUnplanned,
  findUnwantedPrune,
} from './prune-laws.ts';
import {
  findDisorder,
  findEmptyBoundary,
  findOldMessages,
  findRepeatedMessages,
  findUnpairedCalls,
} from './view-laws.ts';

/** A law that does not hold, where, and why. */
export interface Violation extends Finding {
  readonly law: LawName;
}

interface LawAt<At extends Moment> {
  readonly name: LawName;
  readonly find: (facts: FactsByMoment[At]) => readonly Finding[];
}

/** The invariants that every policy obeys, except those that it lists as broken. Sources: OpenCode field reports, (a) to (j) but (h); design documents 000, 002 and 003. */
export const laws = {
  /** Invariant (a) of the field reports. */
  'usable-above-floor': {
    says: 'A request may hold more than what no pivot can remove.',
    check: { pivot: findHighFloor },
  },
  /** Invariant (b) of the field reports. */
  'pivot-lowers-context': {
    says: 'A pivot makes the next request smaller.',
    check: { pivot: findGrowth },
  },
  /** Invariant (c) of the field reports. */
  'one-compaction-per-step': {
    says: 'At least one step lies between any compaction and the next automatic one.',
    check: { pivot: findRepetition },
  },
  /** Invariant (d) of the field reports. */
  'no-boundary-without-text': {
    says: 'A pivot that hides what came before has text in its place.',
    check: { request: findEmptyBoundary },
  },
  /** Invariant (e) of the field reports. */
  'calls-paired': {
    says: 'Each call in a request is followed by its one result, each result has its call, and no id is used twice.',
    check: { request: findUnpairedCalls },
  },
  /** Invariant (f) of the field reports. */
  'newest-request-visible': {
    says: 'After an automatic pivot the newest real request is visible or replayed, exactly once.',
    check: { pivot: findLostRequest },
  },
  /** Invariant (g) of the field reports. */
  'ordered-by-time': {
    says:
      'A view shows messages in chronological order; only a pivot at its start may precede the older tail ' +
      'that it keeps.',
    check: { request: findDisorder },
  },
  /** Invariant (i) of the field reports. */
  'auto-off-means-never': {
    says: 'With auto off, compactions are queued only by hand.',
    check: { append: findUnwantedMarkers },
  },
  /** Invariant (j) of the field reports. */
  'summary-request-fits': {
    says: 'A summary request fits the window of its model.',
    check: { pivot: findOversizedRequest },
  },
  'no-message-twice': {
    says: 'No request holds a message twice.',
    check: { request: findRepeatedMessages },
  },
  'nothing-before-the-pivot': {
    says: 'A request holds nothing older than the newest pivot and the tail that it keeps.',
    check: { request: findOldMessages },
  },
  'prune-off-means-never': {
    says: 'With prune off, only clean-ups clear outputs.',
    check: { prune: findUnwantedPrune },
  },
  'prune-keeps-guarded-turns': {
    says: 'A prune clears nothing in the newest turns, which it guards.',
    check: { prune: findClearedGuards },
  },
  'prune-keeps-protected-tools': {
    says: 'A prune clears no output of a protected tool.',
    check: { prune: findClearedProtected },
  },
  'prune-keeps-newest-outputs': {
    says: 'A prune that keeps a number of newest outputs clears none of them.',
    check: { prune: findClearedNewest },
  },
  'prune-saves-enough': {
    says: 'A prune saves nothing, or more than the minimum.',
    check: { prune: findPoorSaving },
  },
  'prune-clears-what-it-planned': {
    says: 'A prune that fires clears what it planned; any other clears nothing.',
    check: { prune: findUnplanned },
  },
  'failed-summary-changes-nothing': {
    says: 'A failed or aborted summary leaves the history as it was before its marker.',
    check: { pivot: findTraces },
  },
  'history-only-grows': {
    says: 'No message is lost or moved, except the marker of an ended attempt and what a person has undone.',
    check: { append: findLostHistory },
  },
} satisfies Record<LawName, Law>;

const lawsAt: { readonly [At in Moment]: readonly LawAt<At>[] } = {
  append: lawsOf('append'),
  prune: lawsOf('prune'),
  pivot: lawsOf('pivot'),
  request: lawsOf('request'),
};

/** No law is broken. */
export const HELD: readonly Violation[] = [];

/** The laws of a moment that do not hold. */
export function findBroken<At extends Moment>(
  moment: At,
  facts: FactsByMoment[At],
): readonly Violation[] {
  const all = lawsAt[moment];
  let broken = HELD;
  for (let index = 0; index < all.length; index++) {
    const { name, find } = all[index] as LawAt<At>;
    const findings = find(facts);
    if (findings.length > 0)
      broken = [
        ...broken,
        ...findings.map(({ message, messageIds }) => ({ law: name, message, messageIds })),
      ];
  }
  return broken;
}

function lawsOf<At extends Moment>(moment: At): readonly LawAt<At>[] {
  const all: readonly (readonly [string, Law])[] = Object.entries(laws);
  return all.flatMap(([name, law]) => {
    const find = law.check[moment];
    return find === undefined ? [] : [{ name: name as LawName, find }];
  });
}
