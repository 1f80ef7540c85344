import {
  CREATING_TOOLS,
  EDITING_TOOLS,
  isCompleted,
  type Message,
  type Part,
  plainToolName,
  type ToolPart,
} from '../../../engine/index.ts';
import { addToGroup, countEach } from '../../lib/collections.ts';
import type { PlantedFact } from '../../session/facts.ts';
import type { FileTouch } from '../../session/shell.ts';
import { outputOf } from '../../session/tool-calls.ts';
import { isChange, readTouches } from '../../summarizer/extractive/touches.ts';
import { callKey, saidTexts, type Side } from './reference.ts';

/** Rows of identical calls, regardless of their outputs. */
export interface CallRows {
  /** Adds the next call of a session, with its message. */
  add(messageId: string, part: ToolPart): void;
  /** Something else comes in between. */
  end(): void;
  /**
   * Rows that are loops, by the message that they end with, once it is known how often steps of the whole session asked
   * for what a call gave.
   */
  loops(askedFor: AskedFor): ReadonlyMap<string, number>;
}

/** How often steps asked for what a call gave, the first of them included. */
export type AskedFor = (part: ToolPart) => number;

/** The calls since the last other one. */
interface Row {
  readonly key: string;
  messageId: string;
  readonly calls: ToolPart[];
}

/** A part that holds a fact's value, and on which side. */
export interface Holder {
  readonly part: Part;
  readonly side: Side;
}

/** The files of a session, each under one name: the path from the folder that it works in, where it lies there. */
export interface Touches {
  /** The files that a call read or changed. */
  readonly of: (part: Part) => readonly FileTouch[];
  /** The name of the file that a path leads to, be it in short from another folder. */
  readonly nameOf: (path: string) => string;
}

/** Identical calls that make a loop. Source: evaluation design, section 9.3. */
export const LOOP_CALLS = 3;

/** Facts that are looked for; more than any generated session has. */
const MOST_FACTS = 1_000;

/** Plain names of tools whose calls do something rather than tell something: made again, they do it again. */
const ACTING_TOOLS: ReadonlySet<string> = new Set([
  ...CREATING_TOOLS,
  ...EDITING_TOOLS,
  'applypatch',
  'task',
  'agent',
  'newtask',
  'spawnagent',
  'waitagent',
  'taskcreate',
  'taskupdate',
  'todowrite',
  'writetodos',
  'updateplan',
  'writestdin',
  'savememory',
  'question',
  'askuserquestion',
  'askfollowupquestion',
  'attemptcompletion',
  'exitplanmode',
  'finish',
  'submit',
]);

const NONE: readonly FileTouch[] = [];

/** No call yet. */
export function createCallRows(): CallRows {
  const rows: Row[] = [];
  let row: Row | undefined;
  const end = () => {
    if (row !== undefined && row.calls.length >= LOOP_CALLS) rows.push(row);
    row = undefined;
  };
  return {
    end,
    add: (messageId, part) => {
      const key = callKey(part);
      if (row?.key !== key) end();
      row ??= { key, messageId, calls: [] };
      row.messageId = messageId;
      row.calls.push(part);
    },
    loops: (askedFor) => {
      const loops = rows.filter(({ calls }) => isLoop(calls, askedFor));
      return countEach(loops.map(({ messageId }) => messageId));
    },
  };
}

/** The needs of each step that a generated session declares as facts. */
export function findDeclared(
  messages: readonly Message[],
  facts: readonly PlantedFact[],
): ReadonlyMap<number, readonly Holder[]> {
  const needs = new Map<number, Holder[]>();
  const byStep = facts.length === 0 ? [] : messagesByStep(messages);
  for (const fact of facts.slice(0, MOST_FACTS)) {
    if (fact.neededAt.length === 0) continue;
    const holder = findHolder(byStep[fact.step] ?? [], fact);
    if (holder === undefined) continue;
    for (const step of fact.neededAt) addToGroup(needs, step, holder);
  }
  return needs;
}

/** Tests if the same call would return the same output again: it succeeded and only reads. */
export function isRepeatable(part: Part, touches: readonly FileTouch[]): boolean {
  if (!isCompleted(part) || touches.some(isChange)) return false;
  return !ACTING_TOOLS.has(plainToolName(part.tool));
}

/** Reads touches off the calls of a session, off each call once. */
export function createTouches(messages: readonly Message[]): Touches {
  const written = new Map<Part, readonly FileTouch[]>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === 'tool') written.set(part, readTouches([], [{ part, at: 0 }]));
  }
  const [start, ...others] = findStarts(new Set([...written.values()].flat().flatMap(namesIn)));
  const shorten = (path: string) => withoutStart(plain(path), start);
  const known = new Map(
    [...written].map(([part, touches]) => [
      part,
      touches.map(({ path, operation }) => ({ path: shorten(path), operation })),
    ]),
  );
  const names = new Set([...known.values()].flat().map(({ path }) => path));
  const nameOf = (path: string) => {
    const name = shorten(path);
    if (names.has(name) || name.startsWith('/')) return name;
    const folder = others.find((other) => names.has(shorten(other + name)));
    return folder === undefined ? name : shorten(folder + name);
  };
  return { of: (part) => known.get(part) ?? NONE, nameOf };
}

/** Tests if the same content is requested so often that it is no new need. */
function isLoop(calls: readonly ToolPart[], askedFor: AskedFor): boolean {
  return calls.filter((part) => askedFor(part) < LOOP_CALLS).length >= LOOP_CALLS;
}

/** Each step with the user messages that it answers, by its number. */
function messagesByStep(messages: readonly Message[]): readonly (readonly Message[])[] {
  const steps: Message[][] = [[], []];
  for (const message of messages) {
    steps.at(-1)?.push(message);
    if (message.role === 'assistant') steps.push([]);
  }
  return steps;
}

/** The first part of a fact's step that contains its value, on the side of its author. */
function findHolder(
  messages: readonly Message[],
  { source, value }: Pick<PlantedFact, 'source' | 'value'>,
): Holder | undefined {
  const role = source === 'user' ? 'user' : 'assistant';
  const side = source === 'tool' ? 'output' : 'said';
  const said = messages.filter((message) => message.role === role).flatMap(({ parts }) => parts);
  const part = said.find((each) => textsOn(each, side).some((text) => text.includes(value)));
  return part && { part, side };
}

function textsOn(part: Part, side: Side): readonly string[] {
  if (side === 'said') return saidTexts(part);
  return part.type === 'tool' ? [outputOf(part) ?? ''] : [];
}

/** How paths begin that lead into folders from which files are named in short that are named in full elsewhere; first that of most files. */
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

/** A file in full, and in short where a command has it so. */
function namesIn({ path, written = path }: FileTouch): readonly string[] {
  return [plain(path), plain(written)];
}

/** Without steps that lead nowhere or back. */
function plain(path: string): string {
  const own = path.replace(/^(?:\.\/)+/, '');
  return own.includes('/.') ? withoutDetours(own) : own;
}

/** Resolves `.` and `..` in a path. A `..` beyond the start of a relative path stays; at the root it is dropped. */
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
