import type { Part } from '../message.ts';
import type { Cleanup } from './cleanup.ts';

/** What a part became, and by what. */
interface Last {
  readonly now: number;
  readonly inputText: string | undefined;
  readonly part: Part;
}

/** What parts became when a pass last cleared them; runs of one recording clear the same ones at the same times. */
export function rememberLast(clear: Cleanup['clear']): Cleanup['clear'] {
  const known = new WeakMap<Part, Last>();
  return (part, rules, now) => {
    const { inputText } = rules;
    const last = known.get(part);
    if (last?.now === now && last.inputText === inputText) return last.part;
    const cleared = clear(part, rules, now);
    known.set(part, { now, inputText, part: cleared });
    return cleared;
  };
}
