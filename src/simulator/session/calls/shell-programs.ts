import type { Span } from './span.ts';

/** Programs that show files. */
export const SHOWERS: ReadonlySet<string> = new Set('cat head tail less more bat nl wc'.split(' '));

/** Programs that only look around. */
export const LOOKERS: ReadonlySet<string> = new Set([
  ...SHOWERS,
  ...'ls find grep rg ag tree pwd cd echo which file stat du sort uniq awk jq'.split(' '),
]);

/** Programs that change files, and the one that edits or shows them as its switches say. */
export const CHANGERS = ['sed', 'rm', 'touch', 'tee', 'cp', 'mv'] as const;

/** One of them. */
export type Changer = (typeof CHANGERS)[number];

/** What git does where it only looks around. */
export const LOOKING_GIT: ReadonlySet<string> = new Set(
  'log show diff status blame branch grep'.split(' '),
);

/** What git does to files as the programs of the same names do. */
export const CHANGING_GIT: ReadonlySet<string> = new Set(['rm', 'mv']);

/** Programs that run the one that is named after them. */
export const RUNNERS: ReadonlySet<string> = new Set(['sudo', 'time', 'env']);

const ASSIGNMENT = /^\w+=.*$/;
/** A switch of `sed` that has its script or the file of it, in the next word where it ends with itself. */
const SCRIPT_OF_SED = /^(?:-[Enrsuz]*[ef]|--expression|--file)/;
const SCRIPT_OF_SED_FOLLOWS = new RegExp(`${SCRIPT_OF_SED.source}=?$`);
const REDIRECTION = /^\d*>>?$/;

/** Where the program of a simple command stands among its words, and where its arguments end. */
export function programPlace(words: readonly string[]): Span {
  const redirection = words.findIndex((word) => REDIRECTION.test(word));
  const end = redirection < 0 ? words.length : redirection;
  const start = words.findIndex((word) => !RUNNERS.has(word) && !ASSIGNMENT.test(word));
  return { start: start < 0 || start >= end ? Math.max(0, end - 1) : start, end };
}

/** Whether the words of `sed` have it change its file. */
export function isInPlace(words: readonly string[]): boolean {
  return words.some((word) => /^-\w*i/.test(word) || word === '--in-place');
}

/** What stands behind `sed` but its switches and its script, which is the first other word unless a switch has it. */
export function filesOfSed(words: readonly string[]): readonly string[] {
  const own = words.filter((word, index) => {
    const isScript = SCRIPT_OF_SED_FOLLOWS.test(words[index - 1] ?? '');
    return word !== '' && !word.startsWith('-') && !isScript;
  });
  return words.some((word) => SCRIPT_OF_SED.test(word)) ? own : own.slice(1);
}
