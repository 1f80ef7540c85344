/** Runs the laws of a moment, and gives those that do not hold. */

import type { Finding } from './finding.ts';
import type { FactsByMoment, Law, Moment } from './law.ts';
import { type LawName } from '../policy.ts';
import { laws } from './laws.ts';

/** A law that does not hold, where, and why. */
export interface Violation extends Finding {
  readonly law: LawName;
}

interface LawAt<At extends Moment> {
  readonly name: LawName;
  readonly find: (facts: FactsByMoment[At]) => readonly Finding[];
}

/** Laws in their order, by when they are checked. */
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
      broken = [...broken, ...findings.map((finding) => blame(name, finding))];
  }
  return broken;
}

function blame(law: LawName, { message, messageIds }: Finding): Violation {
  return { law, message, messageIds };
}

function lawsOf<At extends Moment>(moment: At): readonly LawAt<At>[] {
  const all: readonly (readonly [string, Law])[] = Object.entries(laws);
  return all.flatMap(([name, law]) => {
    const find = law.check[moment];
    return find === undefined ? [] : [{ name: name as LawName, find }];
  });
}
