import {
  CREATING_TOOLS,
  EDITING_TOOLS,
  plainToolName,
  READING_TOOLS,
  renderResult,
  type ToolPart,
} from '../../engine/index.ts';
import { ownToolName, pathsIn, readField } from '../../engine/internal.ts';
import { isTexts } from '../lib/json.ts';

/** What a call did to a file. */
export type FileOperation = 'created' | 'edited' | 'deleted' | 'read' | 'searched';

/** Tools of the known agents, in lower case and letters only. */
const FILE_TOOLS: readonly (readonly [FileOperation, readonly string[]])[] = [
  ['read', READING_TOOLS],
  ['edited', EDITING_TOOLS],
  ['created', CREATING_TOOLS],
  ['deleted', ['delete', 'deletefile', 'remove', 'removefile']],
  [
    'searched',
    ['glob', 'grep', 'list', 'ls', 'listdir', 'listdirectory', 'listfiles', 'searchfiles'],
  ],
];
const OPERATION_OF_TOOL = new Map(
  FILE_TOOLS.flatMap(([operation, tools]) => tools.map((tool) => [tool, operation] as const)),
);
/** Editors that are told by an argument what to do. */
const EDITORS: readonly string[] = ['strreplaceeditor', 'strreplacebasededittool', 'texteditor'];
const OPERATION_OF_VERB = new Map<string, FileOperation>([
  ['view', 'read'],
  ['create', 'created'],
  ['str_replace', 'edited'],
  ['insert', 'edited'],
  ['undo_edit', 'edited'],
]);
/** What those editors are told to do. */
export const EDITOR_VERBS: readonly string[] = [...OPERATION_OF_VERB.keys()];
/** Letters and what joins words; digits between them could say something. */
const WORDS = /^[a-z_-]+$/i;
/** Names of arguments that hold a shell command. */
export const COMMAND_KEYS: readonly string[] = ['command', 'cmd', 'script'];
/** Name of an argument that holds a list of them. */
export const COMMANDS_KEY = 'commands';
/** Names of arguments that may hold a patch. */
export const PATCH_KEYS: readonly string[] = ['patchText', 'patch', 'input', 'command', 'cmd'];
const UNRENDERED = { clearedOutput: '', markerQuestion: '', summaryAs: 'assistant' } as const;

/** Where a provider searched itself, recordings have no output. */
const PROVIDER_SEARCH = 'web_search';

/** What a call of a file tool does to its file; absent for other tools. */
export function operationOf(part: ToolPart): FileOperation | undefined {
  const tool = plainToolName(part.tool);
  if (!EDITORS.includes(tool)) return OPERATION_OF_TOOL.get(tool);
  return OPERATION_OF_VERB.get(textField(part.state.input, ['command']) ?? '');
}

/** The end of a tool's name that says that it touches files; empty where nothing does, or other things as well. */
export function fileToolNameIn(tool: string): string {
  const plain = plainToolName(tool);
  const isFileTool = OPERATION_OF_TOOL.has(plain) || EDITORS.includes(plain);
  const own = ownToolName(tool);
  return isFileTool && WORDS.test(own) ? own : '';
}

/** The files or folders that a call of a file tool names; a glob's pattern counts as one. */
export function pathsOf({ tool, state: { input } }: ToolPart): readonly string[] {
  const paths = pathsIn(input);
  if (paths.length > 0 || plainToolName(tool) !== 'glob') return paths;
  const pattern = textField(input, ['pattern']);
  return pattern === undefined ? paths : [pattern];
}

/** The shell command of a call; absent for tools that run none. */
export function commandOf(part: ToolPart): string | undefined {
  if (EDITORS.includes(plainToolName(part.tool)) || operationOf(part) !== undefined)
    return undefined;
  const { input } = part.state;
  return textField(input, COMMAND_KEYS) ?? commandOfWords(input) ?? commandOfLines(input);
}

/** The value of the first of those keys that holds text. */
export function textField(input: unknown, keys: readonly string[]): string | undefined {
  return keys.map((key) => readField(input, key)).find((value) => typeof value === 'string');
}

/** What the model was given back, empty where the output was cleared. */
export function visibleOutput(part: ToolPart): string {
  return renderResult(part, UNRENDERED).output;
}

/** Whether the last of a command's words is a script, as in `["bash", "-lc", script]`; else all are the command. */
export function hasScript(words: readonly string[]): boolean {
  return /^-\w*c$/.test(words.at(-2) ?? '');
}

/** What a call gave back; nothing while it runs. */
export function outputOf({ state }: ToolPart): string | undefined {
  if (state.status === 'completed') return state.output;
  return state.status === 'error' ? state.error : undefined;
}

/** What a call was given, as it was sent: a text as it stands, anything else as JSON. */
export function argumentsOf({ state: { input } }: ToolPart): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
}

/** What a call gave back, as far as it was recorded: what is not there is unknown, not empty. */
export function recordedOutputOf(part: ToolPart): string | undefined {
  const output = outputOf(part);
  return output === '' && part.tool === PROVIDER_SEARCH ? undefined : output;
}

/** The command of a call that is given words. */
function commandOfWords(input: unknown): string | undefined {
  const value = COMMAND_KEYS.map((key) => readField(input, key)).find((field) =>
    Array.isArray(field),
  );
  if (!isTexts(value)) return undefined;
  return hasScript(value) ? value.at(-1) : value.join(' ');
}

/** The command of a call that is given several, one after the other. */
function commandOfLines(input: unknown): string | undefined {
  const lines = readField(input, COMMANDS_KEY);
  return isTexts(lines) ? lines.join('\n') : undefined;
}
