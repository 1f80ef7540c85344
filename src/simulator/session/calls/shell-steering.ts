import { PATCH_PROGRAM } from './patch.ts';
import {
  CHANGERS,
  CHANGING_GIT,
  LOOKERS,
  LOOKING_GIT,
  programPlace,
  RUNNERS,
} from './shell-programs.ts';
import { type ShellWord, splitCommands } from './shell-words.ts';
import type { Span } from './span.ts';

const PROGRAMS: ReadonlySet<string> = new Set([...LOOKERS, ...CHANGERS, 'git', PATCH_PROGRAM]);
const GIT_VERBS: ReadonlySet<string> = new Set([...LOOKING_GIT, ...CHANGING_GIT]);
/** Switches of `sed`, which say where its script is and whether it changes its file; the end of a copy's name may follow. */
const SED_SWITCH = /^-(?:[nEefilrsuz]{1,3}|-in-place|-expression|-file)(?![\p{L}\p{N}])/u;
/** A stream that is sent to a file. */
const STREAM = /^\d(?=>)/;
const DEVICE = /^\/dev\//;

/** Programs and verbs that say in a command what is done to files. */
export const SHELL_VERBS: readonly string[] = [...RUNNERS, ...PROGRAMS, ...GIT_VERBS];

/** Where a command has what makes it one that reads or changes files: verbs, switches and streams, no names of files. */
export function findShellSteering(command: string): readonly Span[] {
  return splitCommands(command).commands.flatMap((words) => {
    const patterns = patternsFor(words);
    return [
      ...verbsOf(words).map(({ text, start }) => ({ start, end: start + text.length })),
      ...words.flatMap((word) => beginningOf(word, patterns)),
    ];
  });
}

/** The words up to the program, and what git is told, as far as they are listed. */
function verbsOf(words: readonly ShellWord[]): readonly ShellWord[] {
  const { start, end } = programPlace(words.map(({ text }) => text));
  const own = words.slice(0, Math.min(end, start + 1));
  const listed = own.filter(({ text }) => RUNNERS.has(text) || PROGRAMS.has(text));
  const verb = words[start]?.text === 'git' ? words.slice(start + 1, end)[0] : undefined;
  return verb !== undefined && GIT_VERBS.has(verb.text) ? [...listed, verb] : listed;
}

function patternsFor(words: readonly ShellWord[]): readonly RegExp[] {
  const { start } = programPlace(words.map(({ text }) => text));
  return words[start]?.text === 'sed' ? [STREAM, DEVICE, SED_SWITCH] : [STREAM, DEVICE];
}

/** The beginning of a word, where it is as one of those patterns has it. */
function beginningOf({ text, start }: ShellWord, patterns: readonly RegExp[]): readonly Span[] {
  return patterns.flatMap((pattern) => {
    const [found = ''] = pattern.exec(text) ?? [];
    return found === '' ? [] : [{ start, end: start + found.length }];
  });
}
