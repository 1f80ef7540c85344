import { type CompletedPart, isCompleted, type Part } from './message.ts';
import { isRecord, readField } from './values.ts';

/** A call that named a file, and which. */
export interface FileCall {
  readonly path: string;
  readonly part: CompletedPart;
}

/** Plain names of tools of the known agents that touch files: of those that read them. */
export const READING_TOOLS: readonly string[] =
  'read readfile readfiles readmanyfiles view viewfile cat open openfile notebookread'.split(' ');

/** Plain names of those that change them. */
export const EDITING_TOOLS: readonly string[] = [
  'edit editfile editor multiedit patch replace replaceinfile strreplace insert',
  'applydiff searchreplace searchandreplace notebookedit',
].flatMap((names) => names.split(' '));

/** Plain names of those that write them whole. */
export const CREATING_TOOLS: readonly string[] =
  'write writefile writetofile create createfile createnewfile'.split(' ');

const WRITING_TOOLS = [...CREATING_TOOLS, ...EDITING_TOOLS];

/** Keys under which known agents name a file in the inputs of their tools. */
export const PATH_KEYS: readonly string[] =
  'filePath file_path path notebook_path absolute_path target_file'.split(' ');

const LIST_KEYS: readonly string[] = ['files', 'paths'];
const NO_PATHS: readonly string[] = [];

/** A tool's name as tables have it that know the tools of several agents: without its server, in lower case, letters only. */
export function plainToolName(tool: string): string {
  return ownToolName(tool)
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

/** A tool's name without that of its server. */
export function ownToolName(tool: string): string {
  return tool.split('__').at(-1) ?? tool;
}

/** The one file that a call read. */
export function fileReadBy(part: Part): FileCall | undefined {
  return fileNamedBy(part, READING_TOOLS);
}

/** The one file that a call wrote. */
export function fileWrittenBy(part: Part): FileCall | undefined {
  return fileNamedBy(part, WRITING_TOOLS);
}

/** The files that an input of a file tool names, in order. */
export function pathsIn(input: unknown): readonly string[] {
  if (!isRecord(input)) return NO_PATHS;
  const path = pathIn(input);
  if (path !== undefined) return [path];
  return LIST_KEYS.flatMap((key) => {
    const list = readField(input, key);
    return (Array.isArray(list) ? list : []).flatMap((file) => {
      const named = isRecord(file) ? pathIn(file) : file;
      return typeof named === 'string' ? named : [];
    });
  });
}

function fileNamedBy(part: Part, tools: readonly string[]): FileCall | undefined {
  if (!isCompleted(part) || !tools.includes(plainToolName(part.tool))) return undefined;
  const [path, another] = pathsIn(part.state.input);
  return path === undefined || another !== undefined ? undefined : { path, part };
}

function pathIn(fields: object): string | undefined {
  return PATH_KEYS.map((key) => readField(fields, key)).find((value) => typeof value === 'string');
}
