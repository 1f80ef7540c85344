import { isSummary, type Message } from '../message.ts';
import { itemsFrom, partingOf } from '../series/series.ts';
import type {
  AppendFacts,
  FactsByMoment,
  Law,
  Moment,
  PivotFacts,
  PruneFacts,
  RequestFacts,
} from './law.ts';
import type { Finding } from './finding.ts';
import { type LawName, laws } from './laws.ts';
import { clearedBy } from './prune-laws.ts';
import { createSeen } from './seen.ts';

/** A law that does not hold, where, and why. */
export interface Violation extends Finding {
  readonly law: LawName;
}

/** Checks the requests of a session one after the other. */
export type RequestChecker = (facts: RequestFacts) => readonly Violation[];

/** Laws that any transition obeys. */
export function checkAppend(facts: AppendFacts): readonly Violation[] {
  return check('append', facts);
}

/** Laws that a prune pass obeys, whether it fires or not. */
export function checkPrune(facts: PruneFacts): readonly Violation[] {
  const { before, after, plan, isEnabled, options, estimator } = facts;
  const cleared = clearedBy(facts);
  return check('prune', { before, after, plan, isEnabled, options, estimator, cleared });
}

/** Laws that the end of a summary obeys, good or bad. */
export function checkPivot(facts: PivotFacts): readonly Violation[] {
  return check('pivot', facts);
}

/** Laws that a request obeys, all of it. */
export function checkRequest(facts: RequestFacts): readonly Violation[] {
  return createRequestChecker()(facts);
}

/**
 * A checker that looks only at what is new in a view: what follows the messages that it has already seen at its
 * start, and of that not what still stands in its place. It looks at all of it where a summary is new,
 * which may hide other messages, and what follows a broken law is looked at again.
 */
export function createRequestChecker(): RequestChecker {
  let checked: readonly Message[] = [];
  let hasHeld = true;
  const seen = createSeen();
  return ({ state, view }) => {
    const { from, added, changed, gone } = whatIsNew(checked, view, hasHeld);
    if (from === 0 && changed === added) seen.forgetAll();
    else seen.forget(gone);
    const { repeated, unpaired } = seen.takeIn(changed, state.policy.render);
    const violations = check('request', { state, view, from, added, repeated, unpaired });
    checked = view;
    hasHeld &&= violations.length === 0;
    return violations;
  };
}

/** Laws in their order, by when they are checked. */
const lawsAt: { readonly [At in Moment]: readonly LawAt<At>[] } = {
  append: lawsOf('append'),
  prune: lawsOf('prune'),
  pivot: lawsOf('pivot'),
  request: lawsOf('request'),
};

interface LawAt<At extends Moment> {
  readonly name: LawName;
  readonly find: (facts: FactsByMoment[At]) => readonly Finding[];
}

function lawsOf<At extends Moment>(moment: At): readonly LawAt<At>[] {
  const all: readonly (readonly [string, Law])[] = Object.entries(laws);
  return all.flatMap(([name, law]) => {
    const find = law.check[moment];
    return find === undefined ? [] : [{ name: name as LawName, find }];
  });
}

const HELD: readonly Violation[] = [];

function check<At extends Moment>(moment: At, facts: FactsByMoment[At]): readonly Violation[] {
  let violations = HELD;
  for (const { name, find } of lawsAt[moment]) {
    const findings = find(facts);
    if (findings.length === 0) continue;
    violations = [...violations, ...findings.map((finding) => ({ law: name, ...finding }))];
  }
  return violations;
}

/** What of a view a checker has to look at, and what of the view before it no longer holds. */
interface News {
  readonly from: number;
  readonly added: readonly Message[];
  readonly changed: readonly Message[];
  readonly gone: readonly Message[];
}

/** What is new in a view that may start as one before it. */
function whatIsNew(checked: readonly Message[], view: readonly Message[], hasHeld: boolean): News {
  const { from, before: gone, after: added } = partingOf(checked, view);
  if (added.some(isSummary)) {
    const all = itemsFrom(view, 0);
    return { from: 0, added: all, changed: all, gone: checked };
  }
  if (!hasHeld || gone.length === 0) return { from, added, changed: added, gone };
  return {
    from,
    added,
    changed: added.filter((message, index) => message !== gone[index]),
    gone: gone.filter((message, index) => message !== added[index]),
  };
}
