/** Made-up output of commands, line by line. */

import { createSource, type TextSource, type Words } from './words.ts';

/** Lines of one kind of output. */
type Line = (words: Words) => string;

const HOURS = { least: 0, most: 23 } as const;
const SIXTIETHS = 59;
const THOUSANDTHS = 999;
const LARGEST_FILE = 90_000;
const HASH_LENGTH = 7;
const HEX = '0123456789abcdef'.split('');

const testLines: readonly Line[] = [
  (w) => `✓ ${w.path()} > can ${w.verb()} the ${w.noun()} of each ${w.noun()} ${w.number()}ms`,
  (w) => `✓ ${w.path()} > keeps the ${w.noun()} when the ${w.noun()} is empty ${w.number()}ms`,
  (w) => `ok  \t${w.path()}\t${w.number()}.${w.number()}s`,
  (w) => `PASS ${w.path()} (${w.number()} tests)`,
];

const logLines: readonly Line[] = [
  (w) =>
    `${timeOf(w)} INFO  [${w.noun()}] ${w.verb()} ${w.noun()} id=${drawnHash(w)} took=${w.number()}ms`,
  (w) =>
    `${timeOf(w)} DEBUG [${w.noun()}] ${w.symbol()}: ${w.number()} ${w.noun()}s in ${w.noun()}`,
  (w) =>
    `${timeOf(w)} WARN  [${w.noun()}] ${w.noun()} is older than ${w.number()}s, ${w.verb()} again`,
];

const listingLines: readonly Line[] = [
  (w) => `-rw-r--r--  1 dev  dev  ${String(w.draw.whole(0, LARGEST_FILE)).padStart(6)} ${w.path()}`,
];

const pathLines: readonly Line[] = [(w) => w.path()];

const historyLines: readonly Line[] = [
  (w) => `${drawnHash(w)} ${w.verb()} the ${w.noun()} in ${w.type()}`,
  (w) => `${drawnHash(w)} ${w.noun()}: ${w.verb()} each ${w.noun()} once`,
];

const statusLines: readonly Line[] = [(w) => ` ${w.draw.word(['M', 'A', 'D'])} ${w.path()}`];

const buildLines: readonly Line[] = [
  (w) => `[${w.number()}/500] compile ${w.path()}`,
  (w) => `${w.path()}: ${w.number()} modules, ${w.number()} kB`,
  (w) => `warning: ${w.symbol()} is declared but never used (${w.path()}:${w.number()})`,
];

const traceLines: readonly Line[] = [
  (w) => `    at ${w.symbol()} (${w.path()}:${w.number()}:${w.draw.whole(1, SIXTIETHS)})`,
  (w) => `    at async ${w.type()}.${w.symbol()} (${w.path()}:${w.number()}:7)`,
];

/** Lines of output by what printed them. */
const outputLines = {
  test: testLines,
  log: logLines,
  listing: listingLines,
  paths: pathLines,
  history: historyLines,
  status: statusLines,
  build: buildLines,
  trace: traceLines,
} satisfies Record<string, readonly Line[]>;

/** Output of one kind, some lines before it. */
export function lineSource(
  kind: keyof typeof outputLines,
  words: Words,
  first: readonly string[] = [],
): TextSource {
  return sourceOf(() => words.draw.one<Line>(outputLines[kind])?.(words) ?? '', first);
}

/** Lines from a function, some lines before them. */
export function sourceOf(nextLine: () => string, first: readonly string[] = []): TextSource {
  const waiting = [...first];
  return createSource(
    () => `${waiting.shift() ?? nextLine()}\n`,
    (sentence) => `${sentence}\n`,
  );
}

/** A source with a text before it. */
export function startWith(text: string, source: TextSource): TextSource {
  let rest = text;
  return {
    peek: () => (rest === '' ? source.peek() : rest),
    take: () => {
      if (rest === '') source.take();
      rest = '';
    },
    hold: (sentence) => source.hold(sentence),
  };
}

/** Digits as a commit's short hash has them. */
export function drawnHash({ draw }: Words): string {
  return Array.from({ length: HASH_LENGTH }, () => draw.word(HEX)).join('');
}

function timeOf({ draw }: Words): string {
  const two = (most: number) => String(draw.whole(0, most)).padStart(2, '0');
  const thousandths = String(draw.whole(0, THOUSANDTHS)).padStart(3, '0');
  return `${two(HOURS.most)}:${two(SIXTIETHS)}:${two(SIXTIETHS)}.${thousandths}`;
}
