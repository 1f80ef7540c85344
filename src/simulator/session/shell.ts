import type { Message, ToolPart } from '../../engine/index.ts';
import { readField } from '../../engine/internal.ts';
import { toLine } from '../lib/lines.ts';
import * as calls from './tool-calls.ts';

/** A file with the effect of a command on it. */
export interface FileTouch {
  readonly path: string;
  readonly operation: calls.FileOperation;
  /** The path as written, if the command changed folders before; absent if equal. */
  readonly written?: string;
}

/** A call, and the index of the message that it stands in. */
export interface Call {
  readonly part: ToolPart;
  readonly at: number;
}

/** A file, its operation, and the index of the message that did it. */
export type DatedTouch = FileTouch & { readonly at: number };

/** A range of a text; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const LONGEST_PATH = 260;
const FULL_PATH = /^[/~]/;
/** Characters that no plain file name contains. */
const UNCLEAR = /^-|[\s$*?{}`=!\\]/;
const DEVICE = /^\/dev\//;
const READ_CHARS = 4_000;
/** Quoted text, a comment, an operator, or a word. Quotes left open close at the end. */
const TOKEN =
  /"[^"]*(?:"|$)|'[^']*(?:'|$)|(?<![^\s;|&()])#[^\n]*|&&|\|\||[;|&()\n]|\d*>>?|[^\s"';|&()<>]+/g;
const OPENING_BRACKET = '(';
const SEPARATORS = new Set(['&&', '||', ';', '|', '&', OPENING_BRACKET, ')', '\n']);
/** A redirection of one stream to another, which names no file. */
const STREAM_JOIN = /\d*>&\d?/g;
const HEREDOC = /<<-?\s*["']?(\w+)/;
const HEREDOC_START = /<<-?\s*["']?\w+["']?/g;
const ASSIGNMENT = /^\w+=.*$/;
const REDIRECTION = /^\d*>>?$/;
const STREAM = /^\d(?=>)/;
/** One that ends with itself has the script in the next word. */
const SCRIPT_OF_SED = /^(?:-[Enrsuz]*[ef]|--expression|--file)/;
const SCRIPT_OF_SED_FOLLOWS = new RegExp(`${SCRIPT_OF_SED.source}=?$`);
const SED_SWITCH = /^-(?:[nEefilrsuz]{1,3}|-in-place|-expression|-file)(?![\p{L}\p{N}])/u;
const SCRIPT_SWITCH = /^-[eilux]{0,4}c$/;

const CHANGERS = new Map<
  string,
  (paths: readonly string[], words: readonly string[]) => readonly FileTouch[]
>([
  ['sed', (_, words) => touches(filesOfSed(words), isInPlace(words) ? 'edited' : 'read')],
  ['rm', (paths) => touches(paths, 'deleted')],
  ['touch', (paths) => touches(paths, 'created')],
  ['tee', (paths) => touches(paths, 'created')],
  ['cp', (paths) => touches(targetsOf(paths), 'created')],
  [
    'mv',
    (paths) => [...touches(paths.slice(0, -1), 'deleted'), ...touches(targetsOf(paths), 'created')],
  ],
]);
const SHOWERS = 'cat head tail less more bat nl wc'.split(' ');
const LOOKERS = [
  ...SHOWERS,
  ...'ls find grep rg ag tree pwd cd echo printf which file stat du sort uniq awk cut tr jq true'.split(
    ' ',
  ),
];
const LOOKING_GIT = 'log show diff status blame branch grep'.split(' ');
const CHANGING_GIT = ['rm', 'mv'];
const GIT_VERBS = [...LOOKING_GIT, ...CHANGING_GIT];
const RUNNERS = ['sudo', 'time', 'env'];
const PATCH_PROGRAM = 'apply_patch';
const PROGRAMS = [...RUNNERS, ...LOOKERS, ...CHANGERS.keys(), 'git', PATCH_PROGRAM];

const OPERATION_OF_MARK = new Map<string, calls.FileOperation>([
  ['Add File', 'created'],
  ['Update File', 'edited'],
  ['Delete File', 'deleted'],
  ['Move to', 'created'],
]);
const FILE_MARKS = [...OPERATION_OF_MARK.keys()];
const PATCH_MARKS = [...FILE_MARKS, 'Begin Patch', 'End Patch', 'End of File'];
const STARS = '*** ';
const FILE_LINE = new RegExp(`^\\*\\*\\* (${FILE_MARKS.join('|')}): (.+)$`);
const MARK = new RegExp(`^\\*\\*\\* (?:${PATCH_MARKS.join('|')})`, 'gm');
/** A patch given as an argument; its lines are no commands. */
const BARE_PATCH = new RegExp(`^${PATCH_PROGRAM} \\*{3} `);

/** Argument names whose words say what a call does to files. */
export const STEERED_KEYS: readonly string[] = [
  ...new Set([...calls.COMMAND_KEYS, calls.COMMANDS_KEY, ...calls.PATCH_KEYS]),
];
/** All words that say what a call does to files, except switches. */
export const STEERING_WORDS: readonly string[] = [
  ...new Set([...PROGRAMS, ...GIT_VERBS, ...calls.EDITOR_VERBS, ...PATCH_MARKS]),
];

/** Every touch of a file or folder by calls, after the files that the user attached. */
export function readTouches(messages: readonly Message[], made: readonly Call[]) {
  const attached = messages.flatMap(({ role, parts }, at) =>
    parts.flatMap((part) =>
      role === 'user' && part.type === 'file' && part.filename !== undefined
        ? [{ path: part.filename, operation: 'read' as const, at }]
        : [],
    ),
  );
  return [...attached, ...made.flatMap(touchesOfCall)]
    .map((touch) => ({ ...touch, path: toLine(touch.path) }))
    .filter(({ path }) => path !== '' && path.length <= LONGEST_PATH);
}

/** Tests if a touch changed the file. */
export function isChange({ operation }: FileTouch): boolean {
  return operation !== 'read' && operation !== 'searched';
}

/** The files that a command evidently reads or changes, in order, relative to the folder that it changed to. */
export function findTouches(command: string): readonly FileTouch[] {
  const { commands, hasBrackets } = splitCommands(command);
  let folder: string | undefined;
  return commands.flatMap((written) => {
    const words = written.map(({ text }) => text);
    const [program = '', ...rest] = programAndArguments(words);
    // The folder of a command in brackets is not that of the others.
    if (program === 'cd' && !hasBrackets) folder = folderAfter(rest[0] ?? '', folder);
    return [...redirected(words), ...argumentTouches(program, rest)].map((touch) => {
      const path = inFolder(touch.path, folder);
      return path === touch.path ? touch : { ...touch, path, written: touch.path };
    });
  });
}

/** Recognizes commands that only show files and folders. */
export function isLooking(command: string): boolean {
  return splitCommands(command).commands.every((written) => {
    const words = written.map(({ text }) => text);
    const [program = '', first = ''] = programAndArguments(words);
    if (redirected(words).length > 0) return false;
    if (program === 'git') return LOOKING_GIT.includes(first);
    return program === 'sed' ? !isInPlace(words) : LOOKERS.includes(program);
  });
}

/** Ranges of an argument that say what its call does to files; without a key, of the whole input. */
export function findSteering(text: string, key = ''): readonly Span[] {
  const marks = findPatchMarks(text);
  if (key !== calls.COMMANDS_KEY && !calls.COMMAND_KEYS.includes(key)) return marks;
  if (calls.EDITOR_VERBS.includes(text)) return [spanOf(text)];
  return inOrder([...marks, ...inCommand(text)]);
}

/** Such ranges in each text of a list: several commands, or the words of one. */
export function findSteeringInList(texts: readonly string[], key: string) {
  if (key === calls.COMMANDS_KEY) return texts.map((text) => findSteering(text, key));
  const spans = calls.hasScript(texts) ? inScript(texts) : inJoined(texts);
  return texts.map((word, index) => inOrder([...findPatchMarks(word), ...(spans[index] ?? [])]));
}

function touchesOfCall({ part, at }: Call): readonly DatedTouch[] {
  if (part.state.status !== 'completed') return [];
  const { input } = part.state;
  const operation = calls.operationOf(part);
  const own =
    operation === undefined ? [] : calls.pathsOf(part).map((path) => ({ path, operation }));
  const command = calls.commandOf(part);
  const inShell = command === undefined || isBarePatch(command) ? [] : findTouches(command);
  const patch =
    typeof input === 'string'
      ? input
      : (calls.textField(input, calls.PATCH_KEYS) ?? wordsOf(input));
  return [...own, ...patchedFiles(patch), ...inShell].map((touch) => ({ at, ...touch }));
}

function wordsOf(input: unknown): string {
  const fields = calls.PATCH_KEYS.map((key) => readField(input, key));
  const words = fields.find((value) => Array.isArray(value)) ?? [];
  return words.filter((word) => typeof word === 'string').join('\n');
}

function isBarePatch(command: string): boolean {
  return BARE_PATCH.test(command);
}

function patchedFiles(patch: string): readonly FileTouch[] {
  if (!patch.includes(STARS)) return [];
  return patch.split(/\r\n?|\n/).flatMap((line) => {
    const [, mark = '', path = ''] = FILE_LINE.exec(line) ?? [];
    const operation = OPERATION_OF_MARK.get(mark);
    return operation === undefined ? [] : [{ path, operation }];
  });
}

function splitCommands(command: string) {
  const commands: { readonly text: string; readonly start: number }[][] = [[]];
  let hasBrackets = false;
  for (const { 0: token, index } of withoutPlumbing(command.slice(0, READ_CHARS)).matchAll(TOKEN)) {
    hasBrackets ||= token === OPENING_BRACKET;
    if (SEPARATORS.has(token)) commands.push([]);
    else if (!token.startsWith('#')) {
      const opened = token.replace(/^["']/, '');
      const start = index + token.length - opened.length;
      commands.at(-1)?.push({ text: opened.replace(/["']$/, ''), start });
    }
  }
  return { commands: commands.filter((words) => words.length > 0), hasBrackets };
}

function withoutPlumbing(command: string): string {
  let delimiter: string | undefined;
  const lines = command.split('\n').map((line) => {
    const isBody = delimiter !== undefined;
    if (!isBody) delimiter = HEREDOC.exec(line)?.[1];
    else if (line.trim() === delimiter) delimiter = undefined;
    return isBody ? blank(line) : line;
  });
  return lines.join('\n').replaceAll(HEREDOC_START, blank).replaceAll(STREAM_JOIN, blank);
}

function blank({ length }: string): string {
  return ' '.repeat(length);
}

function programAndArguments(words: readonly string[]): readonly string[] {
  const { start, end } = programPlace(words);
  return words.slice(start, end);
}

function programPlace(words: readonly string[]): Span {
  const redirection = words.findIndex((word) => REDIRECTION.test(word));
  const end = redirection < 0 ? words.length : redirection;
  const start = words.findIndex((word) => !RUNNERS.includes(word) && !ASSIGNMENT.test(word));
  return { start: start < 0 || start >= end ? Math.max(0, end - 1) : start, end };
}

/** The folder after `cd`; unknown if the target is computed, or relative to an unknown folder. */
function folderAfter(target: string, folder: string | undefined): string | undefined {
  if (target === '' || UNCLEAR.test(target)) return undefined;
  return FULL_PATH.test(target) || folder !== undefined ? inFolder(target, folder) : undefined;
}

function inFolder(path: string, folder: string | undefined): string {
  if (folder === undefined || FULL_PATH.test(path)) return path;
  return `${folder.replace(/\/$/, '')}/${path}`;
}

function redirected(words: readonly string[]): readonly FileTouch[] {
  return words.flatMap((word, index) => {
    const target = words[index + 1];
    if (!/^1?>>?$/.test(word) || target === undefined || !isPath(target)) return [];
    return touches([target], word.endsWith('>>') ? 'edited' : 'created');
  });
}

function isPath(word: string): boolean {
  if (word.length > LONGEST_PATH || UNCLEAR.test(word)) return false;
  if (DEVICE.test(word) || word.includes('://')) return false;
  return /[^/]\/|\/[^/]/.test(word) || /\w\.[a-z]\w{0,9}$/i.test(word);
}

function touches(paths: readonly string[], operation: calls.FileOperation): readonly FileTouch[] {
  return paths.map((path) => ({ path, operation }));
}

function argumentTouches(program: string, rest: readonly string[]): readonly FileTouch[] {
  const [verb = '', ...others] = rest;
  if (program === 'git') return CHANGING_GIT.includes(verb) ? argumentTouches(verb, others) : [];
  const paths = rest.filter(isPath);
  const change = CHANGERS.get(program);
  if (change !== undefined) return change(paths, rest);
  return SHOWERS.includes(program) ? touches(paths, 'read') : [];
}

function isInPlace(words: readonly string[]): boolean {
  return words.some((word) => /^-\w*i/.test(word) || word === '--in-place');
}

function filesOfSed(words: readonly string[]): readonly string[] {
  const own = words.filter((word, index) => {
    const isScript = SCRIPT_OF_SED_FOLLOWS.test(words[index - 1] ?? '');
    return word !== '' && !word.startsWith('-') && !isScript;
  });
  const files = words.some((word) => SCRIPT_OF_SED.test(word)) ? own : own.slice(1);
  return files.filter(isPath);
}

/** Below a folder if there are several sources, or the name ends in a slash. */
function targetsOf(paths: readonly string[]): readonly string[] {
  const [target, sources] = [paths.at(-1), paths.slice(0, -1)];
  if (target === undefined) return [];
  if (!target.endsWith('/') && sources.length < 2) return [target];
  return sources.map((source) => inFolder(source.split('/').findLast(Boolean) ?? '', target));
}

function findPatchMarks(patch: string): readonly Span[] {
  if (!patch.includes(STARS)) return [];
  return Array.from(patch.matchAll(MARK), ({ 0: mark, index }) => ({
    start: index + STARS.length,
    end: index + mark.length,
  }));
}

function spanOf({ length }: string, start = 0): Span {
  return { start, end: start + length };
}

function inOrder(spans: readonly Span[]): readonly Span[] {
  return spans.toSorted((left, right) => left.start - right.start);
}

function inCommand(command: string): readonly Span[] {
  if (isBarePatch(command)) return [spanOf(PATCH_PROGRAM)];
  return splitCommands(command).commands.flatMap((words) => {
    const texts = words.map(({ text }) => text);
    const { start: place, end } = programPlace(texts);
    const program = texts[place];
    const patterns = program === 'sed' ? [STREAM, DEVICE, SED_SWITCH] : [STREAM, DEVICE];
    return words.flatMap(({ text, start }, index) => {
      const isOfGit = program === 'git' && index === place + 1 && GIT_VERBS.includes(text);
      const isVerb = isOfGit || (index <= place && PROGRAMS.includes(text));
      const beginnings = patterns.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
      return [...(isVerb && index < end ? [text] : []), ...beginnings].map((found) =>
        spanOf(found, start),
      );
    });
  });
}

function inScript(words: readonly string[]): readonly (readonly Span[])[] {
  return words.map((word, index) => {
    if (index === words.length - 1) return inCommand(word);
    const isSwitch = index === words.length - 2 && SCRIPT_SWITCH.test(word);
    return isSwitch ? [spanOf(word)] : [];
  });
}

function inJoined(words: readonly string[]): readonly (readonly Span[])[] {
  const spans = inCommand(words.join(' '));
  let wordStart = 0;
  return words.map(({ length }) => {
    const [start, end] = [wordStart, wordStart + length];
    wordStart = end + 1;
    return spans
      .filter((span) => span.start >= start && span.end <= end)
      .map((span) => ({ start: span.start - start, end: span.end - start }));
  });
}
