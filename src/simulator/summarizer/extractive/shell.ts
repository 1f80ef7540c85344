import type { FileOperation } from './tool-calls.ts';

/** A file and what was done to it. */
export interface FileTouch {
  readonly path: string;
  readonly operation: FileOperation;
}

/** Longest beginning of a command that is read. */
const READ_CHARS = 4_000;
/** Longest path that is believed to be one. */
const LONGEST_PATH = 260;
/** Quoted text, an operator, or a word. Quotes left open close at the end. */
const TOKEN = /"[^"]*(?:"|$)|'[^']*(?:'|$)|&&|\|\||[;|&()\n]|\d*>>?|[^\s"';|&()<>]+/g;
const SEPARATORS = new Set(['&&', '||', ';', '|', '&', '(', ')', '\n']);
/** Sends one stream where another goes; names no file. */
const STREAM_JOIN = /\d*>&\d?/g;
const HEREDOC = /<<-?\s*["']?(\w+)/;
const HEREDOC_START = /<<-?\s*["']?\w+["']?/g;
/** Programs that show files. */
const SHOWERS = new Set(['cat', 'head', 'tail', 'less', 'more', 'bat', 'nl', 'wc']);
/** Programs that only look around. */
const LOOKERS = new Set([
  ...SHOWERS,
  'ls',
  'find',
  'grep',
  'rg',
  'ag',
  'tree',
  'pwd',
  'cd',
  'echo',
  'which',
  'file',
  'stat',
  'du',
  'sort',
  'uniq',
  'awk',
  'jq',
]);
const LOOKING_GIT = new Set(['log', 'show', 'diff', 'status', 'blame', 'branch', 'grep']);
const WORD_PREFIX = /^(?:\w+=.*|sudo|time|env)$/;

/** The files that a command evidently reads or changes, in order. */
export function findTouches(command: string): readonly FileTouch[] {
  return splitCommands(command).flatMap((words) => [
    ...redirected(words),
    ...argumentTouches(words),
  ]);
}

/** Whether a command only shows what is there. */
export function isLooking(command: string): boolean {
  return splitCommands(command).every((words) => {
    const [program = '', first = ''] = programAndArguments(words);
    if (redirected(words).length > 0) return false;
    if (program === 'git') return LOOKING_GIT.has(first);
    return program === 'sed' ? !isInPlace(words) : LOOKERS.has(program);
  });
}

function argumentTouches(words: readonly string[]): readonly FileTouch[] {
  const [program = '', ...rest] = programAndArguments(words);
  if (program === 'git') return rest[0] === 'rm' || rest[0] === 'mv' ? argumentTouches(rest) : [];
  const paths = rest.filter(isPath);
  const last = paths.slice(-1);
  switch (program) {
    case 'sed':
      return touches(last, isInPlace(words) ? 'edited' : 'read');
    case 'rm':
      return touches(paths, 'deleted');
    case 'touch':
    case 'tee':
      return touches(paths, 'created');
    case 'cp':
      return touches(last, 'created');
    case 'mv':
      return [...touches(paths.slice(0, -1), 'deleted'), ...touches(last, 'created')];
    default:
      return SHOWERS.has(program) ? touches(paths, 'read') : [];
  }
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

/** The words of each simple command, without quotes. */
function splitCommands(command: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [token] of withoutPlumbing(command.slice(0, READ_CHARS)).matchAll(TOKEN)) {
    if (SEPARATORS.has(token)) commands.push([]);
    else commands.at(-1)?.push(token.replace(/^["']|["']$/g, ''));
  }
  return commands.filter((words) => words.length > 0);
}

/** The command without the bodies of here-documents and without joined streams. */
function withoutPlumbing(command: string): string {
  let delimiter: string | undefined;
  const kept = command.split('\n').filter((line) => {
    const isBody = delimiter !== undefined;
    if (!isBody) delimiter = HEREDOC.exec(line)?.[1];
    else if (line.trim() === delimiter) delimiter = undefined;
    return !isBody;
  });
  return kept.join('\n').replaceAll(HEREDOC_START, ' ').replaceAll(STREAM_JOIN, ' ');
}

/** The words from the program on, without redirections. */
function programAndArguments(words: readonly string[]): readonly string[] {
  const redirection = words.findIndex((word) => /^\d*>>?$/.test(word));
  const own = redirection < 0 ? words : words.slice(0, redirection);
  return own.slice(own.findIndex((word) => !WORD_PREFIX.test(word)));
}

function isInPlace(words: readonly string[]): boolean {
  return words.some((word) => /^-\w*i/.test(word) || word === '--in-place');
}

/** Whether a word looks like a path without wildcards: it has a folder or an extension. */
function isPath(word: string): boolean {
  if (word.length > LONGEST_PATH || /^-|^\/dev\/|:\/\/|[\s$*?{}`=!\\]/.test(word)) return false;
  return /[^/]\/|\/[^/]/.test(word) || /\w\.[a-z]\w{0,9}$/i.test(word);
}
