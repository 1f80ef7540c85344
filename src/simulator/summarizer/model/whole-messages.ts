import type { BareText } from './bare-text.ts';

/** A message, and the characters of it that no quoting changes. */
export interface SaidMessage {
  readonly text: string;
  readonly bare: string;
}

/** Short messages without what quoting changes in them, by their length. */
export type WholeMessages = ReadonlyMap<number, ReadonlySet<string>>;

/** Shorter ones may stand in any text. */
const LEAST_LENGTH = 8;
/** A word of an alphabet, or a number, which anybody may use. Other scripts write whole sentences without a blank. */
const PLAIN =
  /^[^\p{L}\p{N}]*(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+|[\p{N}.,]+)[^\p{L}\p{N}]*$/u;
const WORD_END = /[\p{L}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;

/** Those of some messages that are shorter than so many characters, and say something. */
export function wholeMessagesOf(messages: readonly SaidMessage[], tooLong: number): WholeMessages {
  const byLength = new Map<number, Set<string>>();
  for (const { text, bare } of messages) {
    const { length } = bare;
    if (length < LEAST_LENGTH || length >= tooLong || PLAIN.test(text)) continue;
    const known = byLength.get(length) ?? new Set();
    byLength.set(length, known.add(bare));
  }
  return byLength;
}

/** Marks the characters of a text where a whole message stands that is no part of other words. */
export function markWhole(bare: BareText, messages: WholeMessages, marks: Uint8Array): void {
  for (const [length, known] of messages) {
    for (let start = 0; start + length <= bare.text.length; start++) {
      const end = start + length;
      if (!known.has(bare.text.slice(start, end))) continue;
      if (isWordBoundary(bare, start) && isWordBoundary(bare, end)) marks.fill(1, start, end);
    }
  }
}

/** Whether no word goes on from one character to the next; what quoting put between them parts words, too. */
function isWordBoundary({ text, starts, ends }: BareText, at: number): boolean {
  if (at === 0 || at === text.length || ends[at - 1] !== starts[at]) return true;
  const [before, behind] = [text.slice(Math.max(0, at - 2), at), text.slice(at, at + 2)];
  return !WORD_END.test(before) || !WORD_START.test(behind);
}
