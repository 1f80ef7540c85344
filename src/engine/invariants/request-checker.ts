import { isSummary, type Message } from '../message.ts';
import { endAlike, grownItems } from '../series/growth.ts';
import { firstItems, itemsFrom, partingOf } from '../series/series.ts';
import type { RequestFacts } from './law.ts';
import { haveSameIds } from './pairing.ts';
import { createSeen } from './seen.ts';
import { findBroken, HELD, type Violation } from './violations.ts';

/** Checks the requests of a session one after the other. */
export type RequestChecker = (facts: RequestFacts) => readonly Violation[];

/** What of a view a checker has to look at, and what of the view before it no longer holds. */
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
  let checked = NONE;
  let hasHeld = true;
  const seen = createSeen();
  return ({ state, view }) => {
    const before = checked;
    checked = view;
    const grown = before === NONE ? itemsFrom(view, 0) : grownItems(view, before);
    // What stands last in the history, in order by itself and under ids of its own, breaks no law behind what has none.
    if (grown.length > 0 && endAlike(view, state.history, grown.length + 1) && seen.follow(grown)) {
      return HELD;
    }
    const { from, added, changed, gone } = whatIsNew(before, view, { hasHeld });
    const { render } = state.policy;
    if (from === 0 && changed === added) seen.forgetAll();
    else if (hasHeld) seen.forget(gone);
    else if (gone.length > 0) seen.keepOnly(firstItems(before, from), render);
    const kept = () => without(before, gone);
    const { repeated, unpaired } = seen.takeIn(changed, { render, kept });
    const violations = findBroken('request', { state, view, from, added, repeated, unpaired });
    hasHeld &&= violations.length === 0;
    return violations;
  };
}

/** What is new in a view that may start as one before it. */
function whatIsNew(
  checked: readonly Message[],
  view: readonly Message[],
  { hasHeld }: { readonly hasHeld: boolean },
): News {
  const { from, before: gone, after: added } = partingOf(checked, view);
  if (added.some(isSummary)) {
    const all = itemsFrom(view, 0);
    return { from: 0, added: all, changed: all, gone: checked };
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

function without(messages: readonly Message[], gone: readonly Message[]): readonly Message[] {
  const others = new Set(gone);
  return messages.filter((message) => !others.has(message));
}
