import {
  CREATING_TOOLS,
  EDITING_TOOLS,
  isCompleted,
  type Part,
  plainToolName,
  type ToolPart,
} from '../../../engine/index.ts';
import { type FileTouch, isLooking } from '../../session/shell.ts';
import { commandOf, operationOf } from '../../session/tool-calls.ts';
import { isChange } from '../../session/touches.ts';

/** Texts of a step, by how they can be needed. */
export interface Written {
  readonly anchors: readonly string[];
  readonly prose: readonly string[];
  readonly code: readonly string[];
  readonly commands: readonly string[];
}

/** Made again, their calls do something again. */
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

const REPLACED: ReadonlySet<string> = new Set(['oldstring', 'oldtext', 'oldstr', 'search']);
const WANTED: ReadonlySet<string> = new Set(['pattern', 'query', 'regex', 'prompt']);
const ONE_WORD = /^\S*$/;
const PATCH = /^(?:\*\*\* Begin Patch|@@|diff --git|--- )/m;
const PATCH_CONTEXT = /^[ -](?!--)/;
const PATCH_ADDED = /^\+(?!\+\+)/;
const GIT = /(?:^|[\s;&|(])git\s/;

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

/** Tests if a call only shows files or folders, and tests or builds nothing. */
export function isReading(part: ToolPart): boolean {
  const operation = operationOf(part);
  if (operation !== undefined) return operation === 'read' || operation === 'searched';
  const command = commandOf(part);
  return command !== undefined && !GIT.test(command) && isLooking(command);
}

/** Tests if the same call would return the same output again. */
export function isRepeatable(part: Part, touches: readonly FileTouch[]): boolean {
  if (!isCompleted(part) || touches.some(isChange)) return false;
  return !ACTING_TOOLS.has(plainToolName(part.tool));
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
