import type { LawName } from '../policy.ts';
import type { FactsByMoment, Finding, Law, Moment } from './law.ts';
import { pivotLaws } from './pivot-laws.ts';
import { pruneLaws } from './prune-laws.ts';
import { viewLaws } from './view-laws.ts';

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
  'usable-above-floor': pivotLaws['usable-above-floor'], // (a)
  'pivot-lowers-context': pivotLaws['pivot-lowers-context'], // (b)
  'one-compaction-per-step': pivotLaws['one-compaction-per-step'], // (c)
  'no-boundary-without-text': viewLaws['no-boundary-without-text'], // (d)
  'calls-paired': viewLaws['calls-paired'], // (e)
  'newest-request-visible': pivotLaws['newest-request-visible'], // (f)
  'ordered-by-time': viewLaws['ordered-by-time'], // (g)
  'auto-off-means-never': pivotLaws['auto-off-means-never'], // (i)
  'summary-request-fits': pivotLaws['summary-request-fits'], // (j)
  'no-message-twice': viewLaws['no-message-twice'],
  'nothing-before-the-pivot': viewLaws['nothing-before-the-pivot'],
  'prune-off-means-never': pruneLaws['prune-off-means-never'],
  'prune-keeps-guarded-turns': pruneLaws['prune-keeps-guarded-turns'],
  'prune-keeps-protected-tools': pruneLaws['prune-keeps-protected-tools'],
  'prune-keeps-newest-outputs': pruneLaws['prune-keeps-newest-outputs'],
  'prune-saves-enough': pruneLaws['prune-saves-enough'],
  'prune-clears-what-it-planned': pruneLaws['prune-clears-what-it-planned'],
  'failed-summary-changes-nothing': pivotLaws['failed-summary-changes-nothing'],
  'history-only-grows': pivotLaws['history-only-grows'],
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
