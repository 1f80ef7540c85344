import { endAlike, firstItems, type List, partingOf, toArray } from '../history.ts';
import { historyOf } from '../state.ts';
import { isSummary, type Message } from '../message.ts';
import type { RequestFacts } from './law.ts';
import { createSeen, haveSameIds } from './seen.ts';
import { findBroken, HELD, type Violation } from './violations.ts';

/** Checks the requests of a session one after the other. */
export type RequestChecker = (facts: RequestFacts) => readonly Violation[];

/** The part of a view that a checker has to look at, and the part of the view before that no longer holds. */
interface News {
  readonly from: number;
  readonly added: readonly Message[];
  readonly changed: readonly Message[];
  readonly gone: readonly Message[];
}

const NONE: readonly Message[] = [];

/**
 * A checker that looks only at what is new in a view: what follows the messages that it has already seen at its
 * start, and of that not what still stands in its place. It looks at all of it where a summary is new,
 * which may hide other messages, and what follows a broken law is looked at again.
 */
export function createRequestChecker(): RequestChecker {
  let checked: List<Message> = NONE;
  let hasHeld = true;
  const seen = createSeen();
  return ({ state, view }) => {
    const before = checked;
    checked = view;
    const { render } = state.policy;
    const { from, added, changed, gone } = whatIsNew(before, view, { hasHeld });
    if (from === 0 && changed === added) seen.forgetAll();
    else if (hasHeld) seen.forget(gone);
    else if (gone.length > 0) {
      seen.forgetAll();
      seen.takeIn(toArray(firstItems(before, from)), render);
    }
    const { repeated, unpaired } = seen.takeIn(changed, render);
    // What stands last in the history, in order by itself and under ids of its own, breaks no law behind what has none.
    const isOrderly = repeated.length === 0 && unpaired.length === 0 && from === before.length;
    if (isOrderly && added.length > 0 && endAlike(view, historyOf(state), added.length + 1)) {
      return HELD;
    }
    const violations = findBroken('request', { state, view, from, added, repeated, unpaired });
    hasHeld &&= violations.length === 0;
    return violations;
  };
}

/** The difference between two views. */
function whatIsNew(
  checked: List<Message>,
  view: List<Message>,
  { hasHeld }: { readonly hasHeld: boolean },
): News {
  const { from, before: gone, after: added } = partingOf(checked, view);
  if (added.some(isSummary)) {
    const all = toArray(view);
    return { from: 0, added: all, changed: all, gone: toArray(checked) };
  }
  if (!hasHeld || gone.length === 0) return { from, added, changed: added, gone };
  if (haveSameIds(gone, added)) {
    return { from, added, changed: added.slice(gone.length), gone: NONE };
  }
  return {
    from,
    added,
    changed: added.filter((message, index) => message !== gone[index]),
    gone: gone.filter((message, index) => message !== added[index]),
  };
}
