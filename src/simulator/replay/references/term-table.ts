/** Told of what could give away where a text comes from, as two hashes that stand for it. */
export type TermSink = (first: number, second: number) => void;

/** Numbers for terms, from 0 on in the order in which they came. */
export interface TermTable {
  readonly size: number;
  /** The number of a term, which gets one if it has none. */
  add(first: number, second: number): number;
  /** The number of a term; -1 where it has none. */
  find(first: number, second: number): number;
}

/** Slots for each term, of which most stay empty, so that few terms want the same. */
const SLOTS_PER_TERM = 4;
const FIRST_SLOTS = 64;
const NONE = -1;

/** Terms, of which there are none yet. */
export function createTermTable(): TermTable {
  const firsts: number[] = [];
  const seconds: number[] = [];
  let slots = new Int32Array(FIRST_SLOTS).fill(NONE);

  /** The slot of a term, or the empty one that it belongs in. */
  const slotOf = (first: number, second: number) => {
    const last = slots.length - 1;
    let slot = (first ^ (first >>> 15)) & last;
    for (;;) {
      const term = slots[slot] ?? NONE;
      if (term === NONE || (firsts[term] === first && seconds[term] === second)) return slot;
      slot = (slot + 1) & last;
    }
  };
  const grow = () => {
    slots = new Int32Array(slots.length * 2).fill(NONE);
    for (const [term, first] of firsts.entries()) slots[slotOf(first, seconds[term] ?? 0)] = term;
  };
  return {
    get size() {
      return firsts.length;
    },
    add: (first, second) => {
      const slot = slotOf(first, second);
      const known = slots[slot] ?? NONE;
      if (known !== NONE) return known;
      const term = firsts.length;
      slots[slot] = term;
      firsts.push(first);
      seconds.push(second);
      if (firsts.length * SLOTS_PER_TERM > slots.length) grow();
      return term;
    },
    find: (first, second) => slots[slotOf(first, second)] ?? NONE,
  };
}
