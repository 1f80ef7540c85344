import * as engine from '../../engine/index.ts';
import { ownToolName, pathsIn, readField } from '../../engine/internal.ts';
import { isTexts } from '../lib/json.ts';

/** The effect of a call on a file. */
export type FileOperation = 'created' | 'edited' | 'deleted' | 'read' | 'searched';

/** Tools of the known agents, in lower case and letters only. */
const FILE_TOOLS: readonly (readonly [FileOperation, readonly string[]])[] = [
  ['read', engine.READING_TOOLS],
  ['edited', engine.EDITING_TOOLS],
  ['created', engine.CREATING_TOOLS],
  ['deleted', ['delete', 'deletefile', 'remove', 'removefile']],
  [
    'searched',
    ['glob', 'grep', 'list', 'ls', 'listdir', 'listdirectory', 'listfiles', 'searchfiles'],
  ],
];
const OPERATION_OF_TOOL = new Map(
  FILE_TOOLS.flatMap(([operation, tools]) => tools.map((tool) => [tool, operation] as const)),
);
const EDITORS: readonly string[] = ['strreplaceeditor', 'strreplacebasededittool', 'texteditor'];
const OPERATION_OF_VERB = new Map<string, FileOperation>([
  ['view', 'read'],
  ['create', 'created'],
  ['str_replace', 'edited'],
  ['insert', 'edited'],
  ['undo_edit', 'edited'],
]);
/** Commands of those editors. */
export const EDITOR_VERBS: readonly string[] = [...OPERATION_OF_VERB.keys()];
const WORDS = /^[a-z_-]+$/i;
/** Names of arguments that hold a shell command. */
export const COMMAND_KEYS: readonly string[] = ['command', 'cmd', 'script'];
/** Name of an argument that holds a list of them. */
export const COMMANDS_KEY = 'commands';
/** Names of arguments that may hold a patch. */
export const PATCH_KEYS: readonly string[] = ['patchText', 'patch', 'input', 'command', 'cmd'];
const UNRENDERED = { clearedOutput: '', markerQuestion: '', summaryAs: 'assistant' } as const;
/** A search by the provider, whose output recordings lack. */
const PROVIDER_SEARCH = 'web_search';

/** The effect of a file tool's call on its file; absent for other tools. */
export function operationOf(part: engine.ToolPart): FileOperation | undefined {
  const tool = engine.plainToolName(part.tool);
  if (!EDITORS.includes(tool)) return OPERATION_OF_TOOL.get(tool);
  return OPERATION_OF_VERB.get(textField(part.state.input, ['command']) ?? '');
}

/** The end of a tool's name that marks it as a file tool; empty for other tools. */
export function fileToolNameIn(tool: string): string {
  const plain = engine.plainToolName(tool);
  const isFileTool = OPERATION_OF_TOOL.has(plain) || EDITORS.includes(plain);
  const own = ownToolName(tool);
  return isFileTool && WORDS.test(own) ? own : '';
}

/** The files or folders that a file tool's call names; a glob pattern counts as one. */
export function pathsOf({ tool, state: { input } }: engine.ToolPart): readonly string[] {
  const paths = pathsIn(input);
  if (paths.length > 0 || engine.plainToolName(tool) !== 'glob') return paths;
  const pattern = textField(input, ['pattern']);
  return pattern === undefined ? paths : [pattern];
}

/** The shell command of a call; absent for tools that run none. */
export function commandOf(part: engine.ToolPart): string | undefined {
  const isEditor = EDITORS.includes(engine.plainToolName(part.tool));
  if (isEditor || operationOf(part) !== undefined) return undefined;
  const { input } = part.state;
  const command = textField(input, COMMAND_KEYS);
  if (command !== undefined) return command;
  const words = COMMAND_KEYS.map((key) => readField(input, key)).find(Array.isArray);
  if (isTexts(words)) return hasScript(words) ? words.at(-1) : words.join(' ');
  const lines = readField(input, COMMANDS_KEY);
  return isTexts(lines) ? lines.join('\n') : undefined;
}

/** The first of those keys that holds a string. */
export function textField(input: unknown, keys: readonly string[]): string | undefined {
  return keys.map((key) => readField(input, key)).find((value) => typeof value === 'string');
}

/** The output that the model sees; empty where it was cleared. */
export function visibleOutput(part: engine.ToolPart): string {
  return engine.renderResult(part, UNRENDERED).output;
}

/** Recognizes words whose last is a script, as in `["bash", "-lc", script]`; otherwise all words are the command. */
export function hasScript(words: readonly string[]): boolean {
  return /^-\w*c$/.test(words.at(-2) ?? '');
}

/** The output or error of a call; `undefined` while it runs. */
export function outputOf({ state }: engine.ToolPart): string | undefined {
  if (state.status === 'completed') return state.output;
  return state.status === 'error' ? state.error : undefined;
}

/** The arguments of a call as sent: a string unchanged, anything else as JSON. */
export function argumentsOf({ state: { input } }: engine.ToolPart): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
}

/** The recorded output of a call; `undefined` where it was not recorded, which is not the same as empty. */
export function recordedOutputOf(part: engine.ToolPart): string | undefined {
  const output = outputOf(part);
  return output === '' && part.tool === PROVIDER_SEARCH ? undefined : output;
}
