/** Numbers for terms, which two hashes stand for, from 0 on in the order in which they came. */
export interface TermTable {
  readonly size: number;
  /** The number of a term, which gets one if it has none. */
  add(first: number, second: number): number;
  /** The number of a term; `NO_TERM` where it has none. */
  find(first: number, second: number): number;
}

/** Stands for a term that has no number. */
export const NO_TERM = -1;

/** Slots for each term, of which most stay empty, so that few terms want the same. */
const SLOTS_PER_TERM = 4;
const FIRST_SLOTS = 64;
/** Spreads hashes that are like each other; its low bits are the least spread. */
const MIXER = 0x9e3779b1;
const MIXED_BITS = 8;

/** Terms, of which there are none yet. */
export function createTermTable(): TermTable {
  const firsts: number[] = [];
  const seconds: number[] = [];
  let slots = new Int32Array(FIRST_SLOTS).fill(NO_TERM);

  /** The slot of a term, or the empty one that it belongs in. */
  const slotOf = (first: number, second: number) => {
    const last = slots.length - 1;
    let slot = (Math.imul(first ^ second, MIXER) >>> MIXED_BITS) & last;
    for (;;) {
      const term = slots[slot] ?? NO_TERM;
      if (term === NO_TERM || (firsts[term] === first && seconds[term] === second)) return slot;
      slot = (slot + 1) & last;
    }
  };
  const grow = () => {
    slots = new Int32Array(slots.length * 2).fill(NO_TERM);
    for (const [term, first] of firsts.entries()) slots[slotOf(first, seconds[term] ?? 0)] = term;
  };
  return {
    get size() {
      return firsts.length;
    },
    add: (first, second) => {
      const slot = slotOf(first, second);
      const known = slots[slot] ?? NO_TERM;
      if (known !== NO_TERM) return known;
      const term = firsts.length;
      slots[slot] = term;
      firsts.push(first);
      seconds.push(second);
      if (firsts.length * SLOTS_PER_TERM > slots.length) grow();
      return term;
    },
    find: (first, second) => slots[slotOf(first, second)] ?? NO_TERM,
  };
}
