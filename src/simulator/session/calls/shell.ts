import {
  type Changer,
  CHANGING_GIT,
  isInPlace,
  filesOfSed,
  LOOKERS,
  LOOKING_GIT,
  programPlace,
  SHOWERS,
} from './shell-programs.ts';
import { type ShellWord, splitCommands } from './shell-words.ts';
import type { FileOperation } from './tool-calls.ts';

/** A file and what was done to it. */
export interface FileTouch {
  readonly path: string;
  readonly operation: FileOperation;
  /** The path as a command has it that went to a folder before; absent where it is the same. */
  readonly written?: string;
}

type ArgumentTouches = (paths: readonly string[], words: readonly string[]) => readonly FileTouch[];

/** Longest path that is believed to be one. */
const LONGEST_PATH = 260;
const CHANGE_FOLDER = 'cd';
/** How paths begin that are the same in every folder. */
const FULL_PATH = /^[/~]/;
/** What stands in no word that names a file as it is. */
const UNCLEAR = /^-|[\s$*?{}`=!\\]/;
/** What programs do to the paths among their words. */
const TOUCHES_OF: Record<Changer, ArgumentTouches> = {
  sed: (_, words) =>
    touches(filesOfSed(words).filter(isPath), isInPlace(words) ? 'edited' : 'read'),
  rm: (paths) => touches(paths, 'deleted'),
  touch: (paths) => touches(paths, 'created'),
  tee: (paths) => touches(paths, 'created'),
  cp: (paths) => touches(targetsOf(paths), 'created'),
  mv: (paths) => [
    ...touches(paths.slice(0, -1), 'deleted'),
    ...touches(targetsOf(paths), 'created'),
  ],
};

/** The files that a command evidently reads or changes, in order; from the folder that it evidently went to before. */
export function findTouches(command: string): readonly FileTouch[] {
  const { commands, hasBrackets } = splitCommands(command);
  let folder: string | undefined;
  return commands.flatMap((written) => {
    const words = written.map(textOf);
    const [program = '', ...rest] = programAndArguments(words);
    if (program === CHANGE_FOLDER && !hasBrackets) folder = folderAfter(rest[0] ?? '', folder);
    const touched = [...redirected(words), ...argumentTouches(program, rest)];
    return touched.map((touch) => fromFolder(touch, folder));
  });
}

/** Whether a command only shows what is there. */
export function isLooking(command: string): boolean {
  return splitCommands(command).commands.every((written) => {
    const words = written.map(textOf);
    const [program = '', first = ''] = programAndArguments(words);
    if (redirected(words).length > 0) return false;
    if (program === 'git') return LOOKING_GIT.has(first);
    return program === 'sed' ? !isInPlace(words) : LOOKERS.has(program);
  });
}

function argumentTouches(program: string, rest: readonly string[]): readonly FileTouch[] {
  const [verb = '', ...others] = rest;
  if (program === 'git') return CHANGING_GIT.has(verb) ? argumentTouches(verb, others) : [];
  const paths = rest.filter(isPath);
  if (isChanger(program)) return TOUCHES_OF[program](paths, rest);
  return SHOWERS.has(program) ? touches(paths, 'read') : [];
}

/** Where something is copied or moved to: a folder where there are several of them, or it is called one. */
function targetsOf(paths: readonly string[]): readonly string[] {
  const [target, sources] = [paths.at(-1), paths.slice(0, -1)];
  if (target === undefined) return [];
  if (!target.endsWith('/') && sources.length < 2) return [target];
  return sources.map((source) => inFolder(source.split('/').findLast(Boolean) ?? '', target));
}

/** Unknown after a folder that a program has to work out, or that lies in an unknown one. */
function folderAfter(target: string, folder: string | undefined): string | undefined {
  if (target === '' || UNCLEAR.test(target)) return undefined;
  return FULL_PATH.test(target) || folder !== undefined ? inFolder(target, folder) : undefined;
}

function fromFolder(touch: FileTouch, folder: string | undefined): FileTouch {
  const path = inFolder(touch.path, folder);
  return path === touch.path ? touch : { ...touch, path, written: touch.path };
}

function inFolder(path: string, folder: string | undefined): string {
  if (folder === undefined || FULL_PATH.test(path)) return path;
  return `${folder.replace(/\/$/, '')}/${path}`;
}

function isChanger(program: string): program is Changer {
  return Object.hasOwn(TOUCHES_OF, program);
}

function redirected(words: readonly string[]): readonly FileTouch[] {
  return words.flatMap((word, index) => {
    const target = words[index + 1];
    if (!/^1?>>?$/.test(word) || target === undefined || !isPath(target)) return [];
    return touches([target], word.endsWith('>>') ? 'edited' : 'created');
  });
}

function touches(paths: readonly string[], operation: FileOperation): readonly FileTouch[] {
  return paths.map((path) => ({ path, operation }));
}

/** The words from the program on, without redirections. */
function programAndArguments(words: readonly string[]): readonly string[] {
  const { start, end } = programPlace(words);
  return words.slice(start, end);
}

function textOf({ text }: ShellWord): string {
  return text;
}

/** Whether a word looks like a path without wildcards: it has a folder or an extension. */
function isPath(word: string): boolean {
  if (word.length > LONGEST_PATH || UNCLEAR.test(word) || /^\/dev\/|:\/\//.test(word)) return false;
  return /[^/]\/|\/[^/]/.test(word) || /\w\.[a-z]\w{0,9}$/i.test(word);
}
