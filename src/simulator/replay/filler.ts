import { keepIn, sum } from '../lib/collections.ts';
import { outputOf } from '../session/tool-calls.ts';
import type { CountText } from './count.ts';
import { saidTexts } from './references/calls.ts';
import { type NumberedPart, type Side, sideOf } from './references/reference.ts';

/** The size of a text: its characters, those that JSON escapes, and its tokens. */
export interface TextSize {
  readonly chars: number;
  readonly escapes: number;
  readonly tokens: number;
}

/** Filler in the place of the texts of one trace. */
export type Fillers = ReturnType<typeof createFillers>;

interface Filled {
  readonly chars: number;
  readonly tokens: number;
  side?: Side;
}

const OUTLINE = '\0';
/** Each block has the number of its text, so that it is known again where a policy cuts it. */
const BLOCK_CHARS = 256;
const MARK = '\x7f';
const BLOCK = /\x7f\d+\.[~\n]*/g;
const NONE: readonly number[] = [];

/** The line that is kept of a text: its number, by which it is known again, and its size. */
export function outlineOf(number: number, { chars, escapes, tokens }: TextSize): string {
  return `${OUTLINE}${number} ${chars} ${escapes} ${tokens}`;
}

/** No filler yet. */
export function createFillers() {
  const filled = new Map<number, Filled>();
  const known = new Map<string, number>();
  return {
    fill: (outline: string) => fill(outline, { filled, known }),
    keepCount: (text: string, tokens: number) => void known.set(text, tokens),
    count: (text: string, count: CountText) => known.get(text) ?? countFilled(text, filled, count),
    nameSides: (parts: readonly NumberedPart[]) => nameSides(parts, filled),
    /** Numbers that a text carries of the sides whose filler it has. */
    carriedIn: (text: string, bySide: readonly (readonly number[])[]) =>
      carriedIn(text, filled, bySide),
  };
}

function fill(
  outline: string,
  { filled, known }: { readonly filled: Map<number, Filled>; readonly known: Map<string, number> },
): string {
  const at = outline.indexOf(OUTLINE);
  if (at < 0) return outline;
  const [number = 0, chars = 0, escapes = 0, tokens = 0] = outline
    .slice(at + 1)
    .split(' ')
    .map(Number);
  keepIn(filled, number, (): Filled => ({ chars, tokens }));
  const start = `${MARK}${number}.`;
  const block = start + '~'.repeat(BLOCK_CHARS - start.length);
  const text = block.repeat(Math.ceil(chars / BLOCK_CHARS)).slice(0, chars);
  const filler = escapes > 0 ? escaped(text, escapes) : text;
  known.set(filler, tokens);
  return outline.slice(0, at) + filler;
}

function escaped(text: string, escapes: number): string {
  let left = escapes;
  return text.replace(/~+/g, (pad) => {
    const wide = Math.min(left, pad.length);
    left -= wide;
    return '\n'.repeat(wide) + pad.slice(wide);
  });
}

function nameSides(parts: readonly NumberedPart[], filled: ReadonlyMap<number, Filled>): void {
  for (const [number, { part }] of parts.entries()) {
    const output = part.type === 'tool' ? (outputOf(part) ?? '') : '';
    const texts = [
      [sideOf(number, 'said'), saidTexts(part).at(-1) ?? ''],
      [sideOf(number, 'output'), output],
    ] as const;
    for (const [side, text] of texts) {
      for (const { one } of fillersIn(text.slice(0, BLOCK_CHARS), filled)) one.side ??= side;
    }
  }
}

function fillersIn(text: string, filled: ReadonlyMap<number, Filled>) {
  const chars = new Map<Filled, number>();
  while (BLOCK.test(text)) {
    const start = text.lastIndexOf(MARK, BLOCK.lastIndex - 1);
    const one = filled.get(Number.parseInt(text.slice(start + 1, BLOCK.lastIndex), 10));
    if (one !== undefined) chars.set(one, (chars.get(one) ?? 0) + BLOCK.lastIndex - start);
  }
  return [...chars].map(([one, some]) => ({ one, chars: some }));
}

function carriedIn(
  text: string,
  filled: ReadonlyMap<number, Filled>,
  bySide: readonly (readonly number[])[],
): readonly number[] {
  const carried = fillersIn(text, filled).flatMap(({ one, chars }) => {
    const all = one.side === undefined ? NONE : (bySide[one.side] ?? NONE);
    return all.slice(0, Math.ceil((all.length * chars) / one.chars));
  });
  return [...new Set(carried)];
}

function countFilled(text: string, filled: ReadonlyMap<number, Filled>, count: CountText): number {
  const fillers = fillersIn(text, filled);
  if (fillers.length === 0) return count(text);
  const tokens = fillers.map(({ one, chars }) => (one.tokens * chars) / one.chars);
  return Math.round(sum(tokens)) + count(text.replace(BLOCK, ''));
}
