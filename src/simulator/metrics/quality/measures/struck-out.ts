import type { Occurrence, TextIndex } from '../text/text-index.ts';

/** What strikes out in Markdown, before a piece of a text and behind it. */
const OPENS = /(?:^|[\s(>|])~~(?!\s)[^~]*$/u;
const CLOSES = /^[^~]*(?<!\s)~~/u;
/** Characters of what is struck out on either side of a value. */
const FAR = 200;

/** Whether a value stands in a piece of its unit that is struck out. */
export function isStruckOut(
  { text, units, unitOf }: TextIndex,
  { start, end, first }: Occurrence,
): boolean {
  const unit = units[unitOf[first] ?? 0];
  const before = text.slice(Math.max(unit?.start ?? 0, start - FAR), start);
  const after = text.slice(end, Math.min(end + FAR, unit?.end ?? end));
  return OPENS.test(before) && CLOSES.test(after);
}
