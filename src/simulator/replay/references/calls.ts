import { type Message, type Part, type ToolPart } from '../../../engine/index.ts';
import { addToGroup, countEach } from '../../lib/collections.ts';
import { type FileTouch, readTouches } from '../../session/shell.ts';
import { commandOf } from '../../session/tool-calls.ts';

/** Texts of a step, by how they can be needed. */
export interface Written {
  readonly anchors: readonly string[];
  readonly prose: readonly string[];
  readonly code: readonly string[];
  readonly commands: readonly string[];
}

/** The files of a session, each under one name: the path from its folder, where it lies there. */
export type Touches = ReturnType<typeof createTouches>;

const NONE: readonly FileTouch[] = [];
const NO_READS: readonly ToolPart[] = [];
const REPLACED: ReadonlySet<string> = new Set(['oldstring', 'oldtext', 'oldstr', 'search']);
const WANTED: ReadonlySet<string> = new Set(['pattern', 'query', 'regex', 'prompt']);
const ONE_WORD = /^\S*$/;
const PATCH = /^(?:\*\*\* Begin Patch|@@|diff --git|--- )/m;
const PATCH_CONTEXT = /^[ -](?!--)/;
const PATCH_ADDED = /^\+(?!\+\+)/;
const NOTHING: Written = { anchors: [], prose: [], code: [], commands: [] };

/** The texts of a part that the model or user wrote: its text, or every string in a call. */
export function saidTexts(part: Part): readonly string[] {
  if (part.type === 'text') return part.ignored === true ? [] : [part.text];
  if (part.type !== 'tool') return [];
  const texts: string[] = [];
  eachText('', part.state.input, (_, text) => texts.push(text));
  return texts;
}

/** Texts that a model wrote in a part, by how they can be needed. */
export function writtenIn(part: Part): Written {
  if (part.type === 'text')
    return part.ignored || part.synthetic ? NOTHING : { ...NOTHING, prose: [part.text] };
  if (part.type !== 'tool') return NOTHING;
  const command = commandOf(part);
  if (command !== undefined && !PATCH.test(command)) return { ...NOTHING, commands: [command] };
  const [anchors, code]: [string[], string[]] = [[], []];
  eachText('', part.state.input, (name, text) => {
    if (REPLACED.has(name.toLowerCase().replaceAll('_', ''))) anchors.push(text);
    else if (!PATCH.test(text)) {
      if (WANTED.has(name) || !ONE_WORD.test(text)) code.push(text);
    } else {
      anchors.push(linesLike(text, PATCH_CONTEXT));
      code.push(linesLike(text, PATCH_ADDED));
    }
  });
  return { ...NOTHING, anchors, code: withoutLines(code, anchors) };
}

/** Reads touches off the calls of a session, off each call once. */
export function createTouches(messages: readonly Message[]) {
  const written = new Map<ToolPart, readonly FileTouch[]>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === 'tool') written.set(part, readTouches([], [{ part, at: 0 }]));
  }
  const paths = [...written.values()]
    .flat()
    .flatMap((touch) => [touch.path, touch.written ?? touch.path]);
  const [start, ...others] = findStarts(new Set(paths.map(plain)));
  const shorten = (path: string) => withoutStart(plain(path), start);
  const known = new Map<Part, readonly FileTouch[]>(
    [...written].map(([part, touches]) => [
      part,
      touches.map(({ path, operation }) => ({ path: shorten(path), operation })),
    ]),
  );
  const names = new Set([...known.values()].flat().map(({ path }) => path));
  /** The name of the file that a path leads to, be it in short from another folder. */
  const nameOf = (path: string) => {
    const name = shorten(path);
    if (names.has(name) || name.startsWith('/')) return name;
    const folder = others.find((other) => names.has(shorten(other + name)));
    return folder === undefined ? name : shorten(folder + name);
  };
  const reads = readsByFile(known);
  return {
    of: (part: Part) => known.get(part) ?? NONE,
    nameOf,
    readsOf: (name: string) => reads.get(name) ?? NO_READS,
  };
}

function eachText(name: string, value: unknown, sink: (name: string, text: string) => void): void {
  if (typeof value === 'string') sink(name, value);
  else if (Array.isArray(value)) for (const each of value) eachText(name, each, sink);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) eachText(key, each, sink);
  }
}

function withoutLines(texts: readonly string[], others: readonly string[]): readonly string[] {
  if (others.length === 0) return texts;
  const known = new Set(others.flatMap((text) => text.split('\n')));
  return texts.map((text) =>
    text
      .split('\n')
      .filter((line) => !known.has(line))
      .join('\n'),
  );
}

function linesLike(text: string, mark: RegExp): string {
  const lines = text.split('\n').filter((line) => mark.test(line));
  return lines.map((line) => line.slice(1)).join('\n');
}

function readsByFile(touches: ReadonlyMap<Part, readonly FileTouch[]>) {
  const reads = new Map<string, ToolPart[]>();
  for (const [part, touched] of touches) {
    if (part.type !== 'tool') continue;
    for (const { path, operation } of touched) {
      if (operation === 'read') addToGroup(reads, path, part);
    }
  }
  return reads;
}

function findStarts(paths: ReadonlySet<string>): readonly string[] {
  const counts = countEach([...paths].flatMap((path) => startsOf(path, paths)));
  return [...counts].toSorted(([, some], [, other]) => other - some).map(([start]) => start);
}

/** Full paths whose end is also a path; a bare name is too ambiguous. */
function startsOf(path: string, paths: ReadonlySet<string>): readonly string[] {
  const starts: string[] = [];
  if (!path.startsWith('/')) return starts;
  for (let slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
    const rest = path.slice(slash + 1);
    if (rest.includes('/') && paths.has(rest)) starts.push(path.slice(0, slash + 1));
  }
  return starts;
}

function plain(path: string): string {
  const own = path.replace(/^(?:\.\/)+/, '');
  return own.includes('/.') ? withoutDetours(own) : own;
}

/** A `..` beyond the start of a relative path stays; at the root it is dropped. */
function withoutDetours(path: string): string {
  const kept: string[] = [];
  for (const step of path.split('/')) {
    const before = kept.at(-1);
    if (step === '.' || (step === '..' && before === '')) continue;
    if (step !== '..' || before === undefined || before === '..') kept.push(step);
    else kept.pop();
  }
  return kept.join('/');
}

function withoutStart(path: string, start: string | undefined): string {
  const isInside = start !== undefined && path.startsWith(start) && path !== start;
  return isInside ? path.slice(start.length) : path;
}
